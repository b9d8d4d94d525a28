//! Whatever answers for a list of tools: a generated catalog with its handlers, later an MCP server or a plugin.

pub(crate) mod availability;
pub mod compiled;
pub(crate) mod dynamic;

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

/// Whatever answers for a list of tools. `cargo xtask gen` writes one around a type that implements the
/// catalog's handler traits.
pub trait ToolProvider: Send + Sync {
    /// Its tools, the same whenever it is asked. A tool's position is its index in [`call`](Self::call).
    fn tools(&self) -> &[Tool];

    /// How `dialect` defines its tools, in their order, the same whenever it is asked. None, or nothing at the end of the
    /// list, of a tool that is not there in that dialect. First asked when a session makes a turn in it, and then whenever one
    /// is written: what takes long is to be kept. It is asked where locks are held, and so makes no turns itself.
    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>];

    /// The toolsets that it knows of, the same whenever it is asked.
    fn toolsets(&self) -> &[Toolset];

    /// The facts that its tools' conditions and texts ask for.
    fn facts(&self) -> &[Fact] {
        &[]
    }

    /// The environment variables that its tools require.
    fn variables(&self) -> &[Variable] {
        &[]
    }

    /// What its tools are found by, in their order: see [`ToolSearch`](crate::ToolSearch). Gen makes it of a generated
    /// catalog; of any other provider it is made when somebody searches.
    #[cfg(feature = "search")]
    fn index(&self) -> Option<crate::index::Index> {
        None
    }

    /// Whether all that its toolsets name has to be there when it is added. Not of a generated catalog: gen has looked at
    /// its names, and another part of it may be added later, or never.
    fn checks_names(&self) -> bool {
        false
    }

    /// Whether a tool, or a toolset's home tools, can be used now. Asked where a tool or toolset of its own says
    /// [`Requirement::Check`](crate::requirement::Requirement::Check), for tools that were granted and that nothing hides
    /// of what their environment and facts have to be.
    ///
    /// All that a turn has to ask is asked at the same time, each on a thread of its own, and waited for together: see
    /// [`SessionBuilder::check_timeout`](crate::SessionBuilder::check_timeout). The answer is believed for 30 seconds. A
    /// failure within 60 seconds of the last success (a no, a panic, or none in time) is taken for a flake: the tools stay,
    /// and this is asked again for the next turn. What has not answered yet is not asked again before it does.
    ///
    /// Where there are neither threads nor a clock, this is asked on the caller's thread for every turn.
    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        let _ = (check, env);
        Availability::Available
    }

    /// Runs the tool at `index`. The slots are those of the tool's table, read and valid; whatever is needed
    /// of them is taken before this returns. Never asked for a tool that the agent's own loop runs.
    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a>;
}

/// An answer, now or later.
pub enum HandlerReply<'a> {
    /// A synchronous handler's.
    Ready(ToolResult),
    /// An asynchronous handler's.
    Later(Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>),
}

impl<'a> HandlerReply<'a> {
    /// The answer of a handler that blocks: `work` runs on a thread of a pool, which it is given when the reply is first
    /// polled, by whatever executor. At most 64 work at a time, others wait in line. If the reply is dropped, as it is
    /// when the call takes too long or is cancelled, work that has begun goes on unheard: it should ask
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

    /// The answer to a call of a tool that the agent's own loop runs, where it comes to a provider all the same.
    pub fn agent() -> Self {
        HandlerReply::Ready(Err(no_agent_loop()))
    }

    /// The answer to an index that the provider does not have: a fault of the caller, never of the model.
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

/// The answer where nobody took such a call.
pub(crate) fn no_agent_loop() -> ToolError {
    ToolError::new("this tool is run by the agent's own loop, and this host has none that took the call")
}
