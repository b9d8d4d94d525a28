//! Tools that the agent's own loop runs: their calls arrive typed, their results take the same way out as all others.

use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;
use std::fmt;

use crate::args::Slots;
use crate::call::OwnedRequest;
use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::dispatch::call_record::CallRecord;
use crate::dispatch::running::HandlerFuture;
use crate::session::turn::Turn;

/// The agent-run tools of one catalog, as the enum that `cargo xtask gen` writes: a variant for each of them, which
/// holds its arguments.
pub trait AgentTools: Sized {
    /// The call of `tool` with these arguments, which are valid. None where it is no agent-run tool of this catalog.
    fn read(tool: &str, args: Slots<'_, '_>) -> Option<Self>;
}

/// A call that the agent's own loop has to run: see [`Turn::agent_call`].
#[derive(Debug)]
#[must_use = "the model waits for an answer"]
pub struct AgentTask<C> {
    /// What is to be done.
    pub call: C,
    /// Who waits for the result.
    pub pending: PendingAgentCall,
}

/// The other end of a call that the agent's own loop runs.
#[must_use = "the model waits for an answer"]
pub struct PendingAgentCall {
    turn: Turn,
    tool: ToolId,
    request: OwnedRequest,
    record: CallRecord,
}

impl PendingAgentCall {
    pub(crate) fn new(turn: Turn, tool: ToolId, request: &ToolCall<'_>, record: CallRecord) -> Self {
        Self { turn, tool, request: request.to_owned_request(), record }
    }

    /// The called tool's own name.
    pub fn tool(&self) -> &str {
        self.turn.name(self.tool)
    }

    /// The call's span, for the loop to do its work in. It ends with [`finish`](Self::finish).
    #[cfg(feature = "tracing")]
    pub fn span(&self) -> &tracing::Span {
        self.record.trace.span()
    }

    /// What the model gets, after all that becomes of a handler's result, too.
    pub fn finish(self, result: ToolResult) -> CallResponse {
        let Self { turn, tool, request, record } = self;
        turn.finished(tool, &request.borrow(), record, result)
    }
}

impl fmt::Debug for PendingAgentCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("tool", &self.tool()).finish_non_exhaustive()
    }
}

/// What the agent's own loop makes of a call of this tool with these arguments: what runs it, as soon as that is polled.
/// None: it does not take the call.
pub(crate) type AgentLoop<'l> = dyn Fn(&str, Slots<'_, '_>) -> Option<HandlerFuture<'l>> + Sync + 'l;

/// That of a host which runs such calls elsewhere.
pub(crate) fn no_loop<'l>(_: &str, _: Slots<'_, '_>) -> Option<HandlerFuture<'l>> {
    None
}
