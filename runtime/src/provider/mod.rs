//! Tool providers: sources of tools, such as a generated catalog with its handlers, an MCP server or a plugin.

pub(crate) mod availability;
pub(crate) mod code_parameters;
pub mod compiled;
pub(crate) mod dynamic;
pub(crate) mod function_definition;
pub(crate) mod invalid_tools;
pub(crate) mod probe_cache;

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::args::Slots;
use crate::call::Call;
use crate::call::found_directory::FoundDirectory;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::observe::trace;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::probe_cache::CheckRunner;
use crate::result::error::ToolError;
use crate::result::output::{ToolOutput, ToolResult};
use crate::run::pool::POOL;

/// A source of tools. `cargo xtask gen` implements it for a catalog and its handlers; [`DynamicTools`](crate::DynamicTools)
/// builds one for tools that are made at run time.
pub trait ToolProvider: Send + Sync {
    /// Returns the tools, which must be the same for each call. [`call`](Self::call) refers to a tool by its index in this
    /// slice.
    fn tools(&self) -> &[Tool];

    /// Returns the definitions of the tools in `dialect`, in the order of [`tools`](Self::tools). They must be the same for
    /// each call. A tool without a definition in this dialect is `None`, or beyond the end of a shorter slice.
    ///
    /// It is called for each turn that renders definitions, so expensive results should be cached. It is called while locks
    /// are held, and must not make turns itself.
    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>];

    /// Returns the declared toolsets, which must be the same for each call.
    fn toolsets(&self) -> &[Toolset];

    /// Returns the facts that the tools' conditions and texts use.
    fn facts(&self) -> &[Fact] {
        &[]
    }

    /// Returns why the data of a generated catalog cannot be read, so that a registry refuses it.
    #[doc(hidden)]
    fn damage(&self) -> Option<String> {
        None
    }

    /// Returns the environment variables that the tools require.
    fn variables(&self) -> &[Variable] {
        &[]
    }

    /// Returns a prebuilt search index of the tools, for [tool search](crate::search). A generated catalog has one. With
    /// `None`, the index is built at the first search.
    #[cfg(feature = "search")]
    fn index(&self) -> Option<crate::index::Index> {
        None
    }

    /// Returns whether the registry checks that all names in the toolsets exist when the provider is added. `false` by
    /// default, as for a generated catalog: gen has checked its names, and other parts of it may be added later or never.
    fn checks_names(&self) -> bool {
        false
    }

    /// Returns the parameters of the tool at `index` that hold code, although its declaration does not say so: an approver is asked
    /// about them. None for a generated catalog, whose manifests say so.
    fn code_parameters(&self, index: usize) -> Vec<code_parameters::CodeParameter> {
        let _ = index;
        Vec::new()
    }

    /// Checks whether a tool, or the home tools of a toolset, can be used now. It is called for tools and toolsets with
    /// [`Requirement::Check`](crate::availability::Requirement::Check), if they are granted and their requirements on
    /// environment and facts are met.
    ///
    /// All checks of a turn run concurrently, each on a thread of its own, with one time limit: see
    /// [`SessionBuilder::check_timeout`](crate::SessionBuilder::check_timeout). The result is cached for 30 seconds. A
    /// failure (`Unavailable`, a panic or a timeout) within 60 seconds of the last success counts as a flake: the tools are
    /// still shown, and the check runs again for the next turn. A check that is still running is not started again.
    ///
    /// On platforms without threads or a clock, it is called on the caller's thread for each turn.
    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        let _ = (check, env);
        Availability::Available
    }

    /// Returns what runs the checks, or `None` if [`available`](Self::available) is never needed.
    #[doc(hidden)]
    fn checks(&self) -> Option<CheckRunner> {
        Some(CheckRunner::new())
    }

    /// Returns the directory in which a call of the tool at `index` starts its command, or `None` if this provider leaves that to the
    /// runtime. It is called before the call is approved, if the session judges the tool's commands, and must change nothing. `args`
    /// must be taken before this returns.
    ///
    /// The command is judged in this directory, questions and records show it, and [`call`](Self::call) gets it from
    /// [`Call::start_directory`]. An error ends the call.
    fn start_directory<'a>(
        &'a self,
        index: usize,
        args: Slots<'_, '_>,
        call: &'a Call<'a>,
    ) -> Option<StartDirectory<'a>> {
        let _ = (index, args, call);
        None
    }

    /// Runs the tool at `index` of [`tools`](Self::tools). `args` holds its arguments, validated against the tool's table;
    /// they must be taken before this returns. It is never called for a tool that the agent's own loop runs.
    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a>;
}

/// The future of the directory in which a command starts.
pub type StartDirectory<'a> = Pin<Box<dyn Future<Output = Result<FoundDirectory, ToolError>> + Send + 'a>>;

/// Finds the directory in which a command starts, on a thread of the process's pool.
pub fn start_directory<'a, W>(call: &'a Call<'a>, find: W) -> StartDirectory<'a>
where
    W: FnOnce(&Call<'_>) -> Result<FoundDirectory, ToolError> + Send + 'static,
{
    Box::pin(async move {
        let found = Arc::new(Mutex::new(FoundDirectory::default()));
        let slot = Arc::clone(&found);
        let find = move |call: &Call<'_>| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = find(call)?;
            Ok(ToolOutput::text(""))
        };
        blocking(call, find).await?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *found))
    })
}

/// Runs `work` on a thread of the process's pool.
pub(crate) async fn blocking<W>(call: &Call<'_>, work: W) -> ToolResult
where
    W: FnOnce(&Call<'_>) -> ToolResult + Send + 'static,
{
    let (owned, scope) = (call.to_owned_call(), trace::current());
    POOL.run(call.lifetime(), move || scope.within(|| work(&owned.borrow()))).await
}

/// The reply of a handler: its result, or a future of it.
pub enum HandlerReply<'a> {
    /// The result of a sync handler.
    Ready(ToolResult),
    /// The future of an async or blocking handler.
    Async(Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>),
}

impl<'a> HandlerReply<'a> {
    /// Runs `work` on a thread of the process's pool, and returns a reply with its result. The work is queued at the first
    /// poll of the reply, which works with any executor. At most 64 handlers run at the same time.
    ///
    /// If the call is cancelled or exceeds its time limit, the reply is dropped. Work that is already running continues, and
    /// its result is ignored, so it should check [`Call::is_cancelled`].
    pub fn blocking<W>(call: &'a Call<'a>, work: W) -> Self
    where
        W: FnOnce(&Call<'_>) -> ToolResult + Send + 'static,
    {
        HandlerReply::Async(Box::pin(blocking(call, work)))
    }

    /// Returns the error reply for a tool that the agent's own loop runs. Calls of such a tool do not reach its provider, so
    /// this reports a mistake of the host.
    pub fn agent() -> Self {
        HandlerReply::Ready(Err(no_agent_loop()))
    }

    /// Returns the error reply for an index without a tool: a mistake of the caller, never of the model.
    pub fn no_such_tool(index: usize) -> Self {
        HandlerReply::Ready(Err(ToolError::new(format!("the tool provider has no tool at index {index}"))))
    }
}

impl fmt::Debug for HandlerReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandlerReply::Ready(result) => f.debug_tuple("Ready").field(result).finish(),
            HandlerReply::Async(_) => f.write_str("Async"),
        }
    }
}

/// Returns the error for a call of an agent-run tool that the agent's loop did not take.
pub(crate) fn no_agent_loop() -> ToolError {
    ToolError::new("this tool is run by the agent's own loop, which did not accept the call")
}
