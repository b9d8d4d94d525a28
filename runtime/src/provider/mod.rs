//! Tool providers: sources of tools, such as a generated catalog with its handlers, an MCP server or a plugin.

pub(crate) mod availability;
pub mod compiled;
pub(crate) mod dynamic;
pub(crate) mod function_definition;
pub(crate) mod invalid_tools;

use crate::result::output::ToolResult;
use std::fmt;
use std::pin::Pin;

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::observe::trace;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::result::output::ToolError;
use crate::run::pool::POOL;

/// A source of tools. `cargo xtask gen` writes one for types that implement the catalog's handler traits.
pub trait ToolProvider: Send + Sync {
    /// Returns the tools, always the same ones. The position of a tool is its index in [`call`](Self::call).
    fn tools(&self) -> &[Tool];

    /// Returns the definitions of the tools in `dialect`, in the order of the tools, always the same ones. A tool
    /// without a definition in that dialect is `None`, or missing at the end of the list. It is first called when a
    /// session makes a turn in the dialect, and then for each rendering, so expensive results should be cached. It is
    /// called while locks are held, and must not make turns itself.
    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>];

    /// Returns the toolsets, always the same ones.
    fn toolsets(&self) -> &[Toolset];

    /// Returns the facts in the tools' conditions and texts.
    fn facts(&self) -> &[Fact] {
        &[]
    }

    /// Returns the environment variables that the tools require.
    fn variables(&self) -> &[Variable] {
        &[]
    }

    /// Returns the search index of the tools: see [`ToolSearch`](crate::search::ToolSearch). gen writes that of a
    /// generated catalog. For other providers, it is built at the first search.
    #[cfg(feature = "search")]
    fn index(&self) -> Option<crate::index::Index> {
        None
    }

    /// Returns whether all names in its toolsets must exist when it is added. `false` for a generated catalog: gen has
    /// checked its names, and another part of it may be added later or never.
    fn checks_names(&self) -> bool {
        false
    }

    /// Returns whether a tool, or a toolset's home tools, can be used now. It is called for tools and toolsets with
    /// [`Requirement::Check`](crate::availability::Requirement::Check), if they are granted and their requirements on
    /// environment and facts are met.
    ///
    /// All checks of a turn run concurrently, each on a thread of its own, with one time limit: see
    /// [`SessionBuilder::check_timeout`](crate::SessionBuilder::check_timeout). The answer is cached for 30 seconds. A
    /// failure (`Unavailable`, a panic or a timeout) within 60 seconds of the last success counts as a flake: the tools
    /// stay, and the check runs again for the next turn. A running check is not started again.
    ///
    /// On platforms without threads and clock, this is called on the caller's thread for each turn.
    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        let _ = (check, env);
        Availability::Available
    }

    /// Runs the tool at `index`. The slots hold its arguments, which are valid by the tool's table. They must be read
    /// before this returns. It is never called for a tool of the agent's own loop.
    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a>;
}

/// The reply of a handler, now or later.
pub enum HandlerReply<'a> {
    /// The result of a sync handler.
    Ready(ToolResult),
    /// The future of an async handler.
    Later(Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>),
}

impl<'a> HandlerReply<'a> {
    /// Returns the reply of a blocking handler: `work` runs on a thread of a pool, from the first poll of the reply, by
    /// any executor. At most 64 handlers run at a time; others are queued. If the reply is dropped, because the call
    /// exceeds its time limit or is cancelled, running work continues, and its result is ignored: it should check
    /// [`Call::is_cancelled`].
    pub fn blocking<W>(call: &'a Call<'a>, work: W) -> Self
    where
        W: FnOnce(&Call<'_>) -> ToolResult + Send + 'static,
    {
        HandlerReply::Later(Box::pin(async move {
            let (owned, scope) = (call.to_owned_call(), trace::current());
            POOL.run(call.life(), move || scope.within(|| work(&owned.borrow()))).await
        }))
    }

    /// Returns the reply to a call of a tool of the agent's own loop, which should not reach a tool provider.
    pub fn agent() -> Self {
        HandlerReply::Ready(Err(no_agent_loop()))
    }

    /// Returns the reply to an unknown index: a mistake of the caller, never of the model.
    pub fn no_such_tool(index: usize) -> Self {
        HandlerReply::Ready(Err(ToolError::new(format!("this provider has no tool number {index}"))))
    }
}

impl fmt::Debug for HandlerReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandlerReply::Ready(result) => f.debug_tuple("Ready").field(result).finish(),
            HandlerReply::Later(_) => f.write_str("Later"),
        }
    }
}

/// Returns the error for such a call without an agent's loop.
pub(crate) fn no_agent_loop() -> ToolError {
    ToolError::new("the agent's own loop runs this tool, and the loop of this host did not take the call")
}
