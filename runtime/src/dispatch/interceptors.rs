//! What a host has to do with a call: its hooks before and after, its word where one has to be approved.

use std::time::Duration;

use crate::args::{Arguments, Limits, SlotBuffer};
use crate::call::ToolCall;
use crate::call::approval::{ApprovalReason, ApprovalRequest};
use crate::call::hooks;
use crate::call::hooks::CallInfo;
use crate::call::hooks::{HookAction, HostError, HostStage};
use crate::call::response::CallResponse;
use crate::data::behaviour::Annotations;
use crate::dispatch::approval;
use crate::dispatch::call_record::CallRecord;
use crate::dispatch::finish::Outcome;
use crate::panics;
use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;
use crate::result::output::attempt;
use crate::result::output::{ErrorKind, ToolError};
use crate::run::cancel::{CancelEpoch, CancelledFuture};
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::turn::Turn;

impl Turn {
    /// Whether anybody looks at the calls of this tool before they are run.
    pub(crate) fn is_watched(&self, id: ToolId) -> bool {
        !self.host().hooks.is_empty() || self.state()[id].plan.needs_approval
    }

    /// Whether the results of this tool may repeat a secret.
    pub(crate) fn takes_secrets(&self, id: ToolId) -> bool {
        self.table(id).has_secrets()
    }

    /// Reads the arguments of a call into `buffer`, if it may be run after all who look at it.
    pub(crate) async fn admitted(
        &self,
        id: ToolId,
        request: &ToolCall<'_>,
        session: CancelEpoch<'_>,
        record: &mut CallRecord,
        buffer: &mut SlotBuffer<'_>,
    ) -> Result<(), ToolError> {
        let (host, table, limits) = (self.host(), self.table(id), Limits::default());
        let mut arguments = Arguments::read(request.arguments(), table, limits)?;
        record.arguments = arguments.shown(table, limits);
        let mut why = Vec::from_iter(self.state()[id].plan.needs_approval.then_some(ApprovalReason::Declared));
        for hook in &host.hooks {
            let failed = |info: &CallInfo<'_>, message: &str| {
                host.note(info, &HostError { part: hooks::name(&**hook), stage: HostStage::BeforeCall, message });
                ToolError::of(
                    ErrorKind::HookFailed,
                    "the call was not run: a check of this host failed, for no fault of the call's. Do without it, or \
                     try again later",
                )
            };
            let info = self.info(Some(id), request, record);
            let mut step = attempt(|| hook.before_call(&info));
            if let Ok(HookAction::Later(_)) = step {
                let (call, time) = (self.context(id, request, session), self.time(id));
                step = match with_deadline(settled(step), CancelledFuture::new(call.cancel_sources()), time).await {
                    Ok(step) => step,
                    Err(Interrupted::Cancelled) => return Err(cancelled_unchecked()),
                    Err(Interrupted::TimedOut) => {
                        failed(&info, &format!("it took longer than {time:?}"));
                        return Err(timed_out(time));
                    }
                };
            }
            match step.map_err(|message| failed(&info, &message))? {
                HookAction::Continue | HookAction::Later(_) => {}
                HookAction::Change(some) => {
                    let changed = arguments.change(some, table, limits);
                    arguments = changed.map_err(|error| failed(&info, error.message()))?;
                    record.arguments = arguments.shown(table, limits);
                }
                HookAction::Block(reason) => {
                    let text = format!("this host does not allow the call: {reason}");
                    return Err(ToolError::of(ErrorKind::Blocked, text));
                }
                HookAction::Ask(reason) => why.push(ApprovalReason::Hook(reason)),
            }
        }
        let why = host.allowed.unsettled(self.name(id), why);
        if !why.is_empty() {
            let info = self.info(Some(id), request, record);
            let asked = ApprovalRequest { call: info, why: &why };
            let call = self.context(id, request, session);
            approval::ask(host, asked, CancelledFuture::new(call.cancel_sources())).await?;
        }
        arguments.fill(table, limits, buffer);
        Ok(())
    }

    /// What the hooks make of a result.
    pub(crate) fn transformed(
        &self,
        id: ToolId,
        request: &ToolCall<'_>,
        record: &CallRecord,
        mut result: ToolResult,
    ) -> ToolResult {
        for hook in &self.host().hooks {
            let info = self.info(Some(id), request, record);
            match attempt(|| hook.transform_result(&info, &result)) {
                Ok(None) => {}
                Ok(Some(other)) => result = other,
                Err(message) => {
                    let fault =
                        HostError { part: hooks::name(&**hook), stage: HostStage::TransformResult, message: &message };
                    self.host().note(&info, &fault);
                }
            }
        }
        result
    }

    /// Tells the hooks what the model gets.
    pub(crate) fn told(&self, request: &ToolCall<'_>, outcome: Outcome) -> CallResponse {
        let Outcome { answer, tool, record, .. } = outcome;
        for hook in &self.host().hooks {
            let info = self.info(tool, request, &record);
            if let Err(message) = attempt(|| hook.after_call(&info, &answer)) {
                self.host().note(
                    &info,
                    &HostError { part: hooks::name(&**hook), stage: HostStage::AfterCall, message: &message },
                );
            }
        }
        answer
    }

    pub(crate) fn info<'i>(
        &'i self,
        tool: Option<ToolId>,
        request: &ToolCall<'i>,
        record: &'i CallRecord,
    ) -> CallInfo<'i> {
        CallInfo {
            tool: tool.map_or(request.name(), |id| self.name(id)),
            id: request.id(),
            task: request.task(),
            annotations: tool.map_or(Annotations::DEFAULT, |id| self.state().tool(id).behaviour.annotations),
            arguments: &record.arguments,
            began: record.began,
            takes_secrets: tool.is_some_and(|id| self.takes_secrets(id)),
        }
    }
}

/// What a step comes to that is settled later.
async fn settled(mut step: Result<HookAction, String>) -> Result<HookAction, String> {
    while let Ok(HookAction::Later(future)) = step {
        step = match panics::CatchPanic(future).await {
            Ok(step) => step.map_err(ToolError::into_message),
            Err(panicked) => Err(panicked.0),
        };
    }
    step
}

fn cancelled_unchecked() -> ToolError {
    ToolError::of(ErrorKind::Cancelled, "the call was cancelled while this host checked it: nothing was done")
}

fn timed_out(time: Duration) -> ToolError {
    let text = format!("a check of this host took longer than {time:?}, and the call was not run: try again later");
    ToolError::of(ErrorKind::Timeout, text)
}

#[cfg(test)]
mod tests;
