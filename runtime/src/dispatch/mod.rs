//! The way that a call takes through a turn: to the tool that it names, if that is shown, with arguments that are
//! valid, past the hooks and whoever has to approve it; and back, as one JSON text, whatever happens.

pub(crate) mod agent;
mod approval;
pub(crate) mod batch;
mod blocking;
mod call_record;
mod finish;
mod interceptors;
mod parallel_key;
mod running;

use crate::args;
use crate::args::Slots;
use crate::args::{Limits, SlotBuffer};
use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::dispatch::agent::AgentLoop;
use crate::dispatch::agent::{AgentTask, AgentTools, PendingAgentCall};
use crate::dispatch::call_record::CallRecord;
use crate::dispatch::finish::Outcome;
use crate::observe::trace;
use crate::panics;
use crate::provider::HandlerReply;
use crate::provider::no_agent_loop;
use crate::registration::ids::ToolId;
use crate::result::limit;
use crate::result::output::ToolResult;
use crate::result::output::{ErrorKind, ToolError, ToolOutput};
use crate::run::cancel::CancelEpoch;
use crate::session::turn::Turn;
use crate::text::display::short_name;
use crate::text::nearest::nearest;

impl Turn {
    /// Answers a model's call. A panic of the handler, too, ends in an answer.
    ///
    /// In this order: the tool is found; its arguments are read, repaired and validated; hooks are asked, and whoever
    /// has to approve it; the handler runs; hooks may transform its result; an error loses framing, a result that is too
    /// long is shortened; hooks see what the model gets.
    pub async fn call(&self, request: &ToolCall<'_>) -> CallResponse {
        #[cfg(feature = "search")]
        let bridged = self.bridged(request);
        #[cfg(feature = "search")]
        let inner = bridged.as_ref().map(|bridged| bridged.request(request));
        #[cfg(feature = "search")]
        let request = inner.as_ref().unwrap_or(request);
        let session = self.begin();
        // Where nobody looks at it, nothing is made but the arguments, and a handler that waits for nothing is done
        // before any of this is kept.
        if let Some(id) = self.find(request.name())
            && !self.is_watched(id)
            && !self.state()[id].plan.agent_run
            && !trace::is_on()
        {
            let call = self.context(id, request, session);
            let result = match self.start(id, request, &call) {
                Ok(HandlerReply::Ready(result)) => result,
                Ok(HandlerReply::Later(handler)) => self.wait(id, handler, &call).await,
                Err(error) => Err(error),
            };
            return match result {
                Ok(ToolOutput { json, images }) if !limit::is_over(&json, self.most(Some(id))) => {
                    CallResponse { json, error: None, images }
                }
                result => self.ended(Some(id), request, CallRecord::default(), result).answer,
            };
        }
        let outcome = self.outcome(request, session, &agent::no_loop).await;
        self.told(request, outcome)
    }

    /// The call of a tool that the agent's own loop runs, typed. None where `request` calls no such tool of `A`: then
    /// [`call`](Self::call) answers it. The error is the answer to a call that is not to be run: its
    /// arguments are wrong, a hook blocked it, or somebody denied it.
    ///
    /// ```
    /// use toolc::agent::{AgentTask, AgentTools};
    /// use toolc::args::Slots;
    /// use toolc::{CallResponse, ToolCall, ToolOutput, ToolResult, Turn};
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
        #[cfg(feature = "search")]
        let bridged = self.bridged(request);
        #[cfg(feature = "search")]
        let inner = bridged.as_ref().map(|bridged| bridged.request(request));
        #[cfg(feature = "search")]
        let request = inner.as_ref().unwrap_or(request);
        let id = self.find(request.name())?;
        if !self.state()[id].plan.agent_run {
            return None;
        }
        // Nobody is asked about a call that this loop will not take.
        if (self.is_watched(id) || trace::is_on())
            && self.is_left(id, request, |tool, slots| A::read(tool, slots).is_none())
        {
            return None;
        }
        let mut buffer = SlotBuffer::default();
        let (session, mut record) = (self.begin(), self.record(Some(id), request));
        let read = record.trace.scope().around(async {
            let slots = if self.is_watched(id) {
                self.admitted(id, request, session, &mut record, &mut buffer).await?;
                buffer.slots()
            } else {
                self.read(id, request, &mut buffer)?
            };
            Ok(panics::catch(|| A::read(self.name(id), slots))?)
        });
        match read.await {
            Ok(call) => {
                Some(Ok(AgentTask { call: call?, pending: PendingAgentCall::new(self.clone(), id, request, record) }))
            }
            Err(error) => {
                let outcome = self.ended(Some(id), request, record, Err(error));
                Some(Err(self.told(request, outcome)))
            }
        }
    }

    /// Runs a call to its end. What a batch comes to is held against the turn's budget before anybody is
    /// [`told`](Self::told).
    pub(crate) async fn outcome(
        &self,
        request: &ToolCall<'_>,
        session: CancelEpoch<'_>,
        agent: &AgentLoop<'_>,
    ) -> Outcome {
        let tool = self.find(request.name());
        let mut record = self.record(tool, request);
        let result = record.trace.scope().around(self.run(tool, request, session, &mut record, agent)).await;
        self.ended(tool, request, record, result)
    }

    async fn run(
        &self,
        tool: Option<ToolId>,
        request: &ToolCall<'_>,
        session: CancelEpoch<'_>,
        record: &mut CallRecord,
        agent: &AgentLoop<'_>,
    ) -> ToolResult {
        let Some(id) = tool else {
            #[cfg(feature = "search")]
            if let Some(result) = self.answer_of_search(request) {
                return result;
            }
            return Err(self.unknown(request.name()));
        };
        let agent_run = self.state()[id].plan.agent_run;
        let call = self.context(id, request, session);
        let reply = if self.is_watched(id) {
            if agent_run && self.is_left(id, request, |tool, slots| agent(tool, slots).is_none()) {
                return Err(no_agent_loop());
            }
            let mut buffer = SlotBuffer::default();
            Box::pin(self.admitted(id, request, session, record, &mut buffer)).await?;
            if agent_run {
                self.looped(id, buffer.slots(), &call, agent)
            } else {
                self.handled(id, buffer.slots(), &call)
            }
        } else if agent_run {
            let mut buffer = SlotBuffer::default();
            self.read(id, request, &mut buffer).and_then(|slots| self.looped(id, slots, &call, agent))
        } else {
            self.start(id, request, &call)
        };
        let result = match reply {
            Ok(HandlerReply::Ready(result)) => result,
            Ok(HandlerReply::Later(handler)) => self.wait(id, handler, &call).await,
            Err(error) => Err(error),
        };
        self.transformed(id, request, record, result)
    }

    /// Whether the agent's own loop will not take the call, about which nobody has to be asked then.
    fn is_left(&self, id: ToolId, request: &ToolCall<'_>, leaves: impl FnOnce(&str, Slots<'_, '_>) -> bool) -> bool {
        let mut buffer = SlotBuffer::default();
        let read = self.read(id, request, &mut buffer);
        read.is_ok_and(|slots| panics::catch(|| leaves(self.name(id), slots)).unwrap_or(false))
    }

    /// What the model gets of a result that the agent's own loop came to.
    pub(crate) fn finished(
        &self,
        id: ToolId,
        request: &ToolCall<'_>,
        record: CallRecord,
        result: ToolResult,
    ) -> CallResponse {
        let scope = record.trace.scope();
        let result = scope.within(|| self.transformed(id, request, &record, result));
        let outcome = self.ended(Some(id), request, record, result);
        self.told(request, outcome)
    }

    #[inline]
    pub(crate) fn read<'b, 'r>(
        &self,
        id: ToolId,
        request: &ToolCall<'r>,
        buffer: &'b mut SlotBuffer<'r>,
    ) -> Result<Slots<'b, 'r>, ToolError> {
        args::read(request.arguments(), self.table(id), Limits::default(), buffer)
    }

    #[cold]
    pub(crate) fn unknown(&self, name: &str) -> ToolError {
        let shown = short_name(name);
        let error =
            |hint| ToolError::of(ErrorKind::UnknownTool, format!("there is no tool `{shown}` in this turn: {hint}"));
        if let Some((_, reason)) = self.hidden_ids().find(|&(id, _)| [self.name(id), self.called(id)].contains(&name)) {
            return error(format!("it is not available now: {reason}"));
        }
        // A tool whose own name is not what this dialect calls it.
        let own = self.state().find(name).map(|id| self.called(id)).filter(|called| self.find(called).is_some());
        let near = own.map_or_else(|| nearest(name, self.callable()), |called| vec![called]);
        error(if near.is_empty() {
            #[cfg(feature = "search")]
            if !self.deferred_ids().is_empty() {
                return error(format!("look for it with `{}`", crate::render::search_tools::SEARCH));
            }
            match self.callable().collect::<Vec<_>>() {
                all if all.is_empty() => "no tool is enabled".to_owned(),
                all if all.len() <= 20 => format!("the tools are: {}", all.join(", ")),
                all => format!("{} tools are enabled; call one of those that were listed", all.len()),
            }
        } else {
            format!("did you mean `{}`?", near.join("` or `"))
        })
    }
}

#[cfg(test)]
mod tests;
