//! Calls of tools that the agent's own loop runs. The loop gets typed calls, and its results are finished like those of
//! handlers.

use std::fmt;
use std::pin::pin;

use crate::args::Slots;
use crate::args::repairs::Repairs;
use crate::call::response::CallResponse;
use crate::call::{OwnedRequest, ToolCall};
use crate::dispatch::guard::guarded;
use crate::dispatch::running::CallArguments;
use crate::panics::{self, CatchPanic};
use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;
use crate::run::block_on::block_on;
use crate::session::prepared::{CallRecord, PreparedCall};
use crate::session::turn::Turn;

/// The calls of the agent-run tools of a catalog. `cargo xtask gen` writes an enum that implements it, with a variant for each
/// tool, which holds the arguments.
pub trait AgentTools: Sized {
    /// Returns the call of `tool` with these validated arguments, or `None` if it is not an agent-run tool of this catalog.
    fn read(tool: &str, args: Slots<'_, '_>) -> Option<Self>;
}

/// A call that the agent's own loop must run: see [`Turn::agent_call`].
#[derive(Debug)]
#[must_use = "the model waits for a response"]
pub struct AgentTask<C> {
    /// The typed call.
    pub call: C,
    /// The pending response: pass the result of the call to [`finish`](PendingAgentCall::finish).
    pub pending: PendingAgentCall,
}

/// A call that the agent's own loop is running.
#[must_use = "the model waits for a response"]
pub struct PendingAgentCall {
    turn: Turn,
    tool: ToolId,
    request: OwnedRequest,
    record: Option<Box<CallRecord>>,
    repairs: Repairs,
}

impl PendingAgentCall {
    /// Returns the called tool's own name.
    pub fn tool(&self) -> &str {
        self.turn.name(self.tool)
    }

    /// Returns the call's tracing span, in which the loop should run the call. It ends with [`finish`](Self::finish).
    #[cfg(feature = "tracing")]
    pub fn span(&self) -> &tracing::Span {
        static NONE: tracing::Span = tracing::Span::none();
        self.record.as_ref().map_or(&NONE, |record| record.trace.span())
    }

    /// Ends the call with this result, and returns the response for the model. The result is transformed, scrubbed and
    /// shortened like that of a handler. Blocks this thread while a hook [waits](crate::hooks::Hook::transform_later).
    pub fn finish(self, result: ToolResult) -> CallResponse {
        let Self { turn, tool, request, record, repairs } = self;
        let request = request.borrow();
        let call = PreparedCall { record, repairs, ..PreparedCall::new(&request, Some(tool)) };
        let response = async {
            let transformed = CatchPanic(pin!(turn.transform(&call, turn.cancel_epoch(), result))).await;
            let result = transformed.unwrap_or_else(|panicked| Err(turn.panicked(&call, &panicked)));
            turn.finish(call, result)
        };
        block_on(guarded(pin!(response), |error| Err(error).into()))
    }
}

impl fmt::Debug for PendingAgentCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAgentCall").field("tool", &self.tool()).finish_non_exhaustive()
    }
}

impl Turn {
    /// Prepares a call of a tool that the agent's own loop runs: validates the arguments, and runs hooks and the approver.
    ///
    /// Returns `None` if `request` does not call an agent-run tool of `A`; run it with [`call`](Self::call) instead. It also returns `None`
    /// for a call of `tool_call` with several calls inside it: only [`batch_with`](Self::batch_with) runs agent-run tools inside such a
    /// call. Returns an error if the call must not run, because its arguments are invalid, a hook blocked it, the approver denied it, or
    /// it is cancelled. The error is the response for the model.
    ///
    /// ```
    /// use toolc::{CallResponse, ToolCall, ToolOutput, ToolResult, Turn};
    /// use toolc::agent::{AgentTask, AgentTools};
    /// use toolc::args::Slots;
    ///
    /// // `cargo xtask gen` writes this enum: a variant for each tool with `execution = "agent"`.
    /// enum AgentCall {
    ///     Delegate { goal: String },
    /// }
    ///
    /// impl AgentTools for AgentCall {
    ///     fn read(tool: &str, mut args: Slots<'_, '_>) -> Option<Self> {
    ///         (tool == "delegate").then(|| AgentCall::Delegate { goal: args.value(0) })
    ///     }
    /// }
    ///
    /// async fn answer(turn: &Turn, request: &ToolCall<'_>) -> CallResponse {
    ///     match turn.agent_call(request).await {
    ///         Some(Ok(AgentTask { call, pending })) => pending.finish(run(call).await),
    ///         Some(Err(answer)) => answer,
    ///         None => turn.call(request).await,
    ///     }
    /// }
    ///
    /// async fn run(call: AgentCall) -> ToolResult {
    ///     match call {
    ///         AgentCall::Delegate { goal } => Ok(ToolOutput::text(format!("done: {goal}"))),
    ///     }
    /// }
    /// ```
    pub async fn agent_call<A: AgentTools>(
        &self,
        request: &ToolCall<'_>,
    ) -> Option<Result<AgentTask<A>, CallResponse>> {
        guarded(pin!(self.agent_task(request)), |error| Some(Err(Err(error).into()))).await
    }

    async fn agent_task<A: AgentTools>(&self, request: &ToolCall<'_>) -> Option<Result<AgentTask<A>, CallResponse>> {
        let expanded = self.expand(request);
        let step = expanded.single(self, *request)?;
        let (request, id) = (&step.request, step.tool.filter(|&id| self.plan(id).agent_run)?);
        // Hooks and subscribers must not see a call that this loop does not take.
        if self.is_observed(Some(id)) && self.is_declined(id, request, |tool, slots| A::read(tool, slots).is_none()) {
            return None;
        }
        let mut call = self.prepare_step(&step);
        let session = self.cancel_epoch();
        let read = async {
            let read = match self.admit(id, &mut call, session, None)? {
                Some(interceptors) => Some(interceptors.await?),
                None => None,
            };
            let context = self.context(id, request, session);
            self.take_arguments(id, &mut call, read, &context, |slots| {
                let slots = slots?;
                Ok(panics::catch(|| A::read(self.name(id), slots))?)
            })
        };
        let read = CatchPanic(pin!(read)).await;
        match read.unwrap_or_else(|panicked| Err(self.panicked(&call, &panicked))) {
            Ok(typed) => {
                let PreparedCall { record, repairs, .. } = call;
                let request = request.to_owned_request();
                let pending = PendingAgentCall { turn: self.clone(), tool: id, request, record, repairs };
                Some(Ok(AgentTask { call: typed?, pending }))
            }
            Err(error) => Some(Err(self.finish(call, Err(error)))),
        }
    }

    /// Returns whether the agent's own loop does not run the call. A call with invalid arguments is not declined, so that its
    /// error is reported.
    pub(super) fn is_declined(
        &self,
        id: ToolId,
        request: &ToolCall<'_>,
        refuses: impl FnOnce(&str, Slots<'_, '_>) -> bool,
    ) -> bool {
        self.with_slots(id, request, &mut CallArguments::default(), |slots| {
            slots.is_ok_and(|slots| panics::catch(|| refuses(self.name(id), slots)).unwrap_or(false))
        })
    }
}
