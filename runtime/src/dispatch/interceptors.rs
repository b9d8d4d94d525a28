//! The code of the host that runs before and after a handler: hooks and the approver.

use serde_json::Value;

use crate::args::{Arguments, Limits};
use crate::call::approval::{ApprovalReason, ApprovalRequest, subject};
#[cfg(feature = "approval")]
use crate::call::decision::{DecidedBy, RecordedDecision};
use crate::call::hooks::{self, CallInfo, Hook, HookAction, HostError, HostStage, Sent, TransformFuture};
use crate::call::response::CallResponse;
use crate::data::behaviour::Annotations;
use crate::dispatch::approval::{self, Answer};
use crate::dispatch::permissions::{Asked, Permitting};
use crate::panics;
use crate::provider::no_agent_loop;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::{ToolResult, attempt};
use crate::run::cancel::{CancelEpoch, CancelSources, CancelledFuture};
#[cfg(feature = "approval")]
use crate::run::clock;
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::SessionBuilder;
use crate::session::prepared::{AgentLoop, HandlerFuture, PreparedCall};
use crate::session::turn::{Interceptors, Observers, Turn};

/// The hooks, the approver and the permissions of any session.
#[derive(Debug)]
struct AllObservers;

impl SessionBuilder {
    /// Lets hooks, the approver and permissions see calls. What adds one of them calls this.
    pub(crate) fn observed(mut self) -> Self {
        self.observers = Some(&AllObservers);
        self
    }
}

impl Observers for AllObservers {
    fn intercept<'c>(
        &self,
        turn: &'c Turn,
        id: ToolId,
        call: &'c mut PreparedCall<'_>,
        session: CancelEpoch<'c>,
        agent: Option<&'c AgentLoop<'_>>,
    ) -> Interceptors<'c> {
        let scope = call.scope();
        Box::pin(scope.around(async move {
            turn.check_declined(id, call, agent)?;
            turn.run_interceptors(id, call, session).await
        }))
    }

    fn transform<'c>(
        &self,
        turn: &'c Turn,
        call: &'c PreparedCall<'_>,
        session: CancelEpoch<'c>,
        result: ToolResult,
    ) -> HandlerFuture<'c> {
        Box::pin(turn.transform_recorded(call, session, result))
    }

    fn after_call(&self, turn: &Turn, call: &PreparedCall<'_>, response: &CallResponse) {
        let info = turn.info(call);
        for hook in &turn.config().hooks {
            if let Err(message) = attempt(|| hook.after_call(&info, response)) {
                let (part, stage) = (hooks::name(&**hook), HostStage::AfterCall);
                turn.config().report_host_error(&info, &HostError { part, stage, message: &message });
            }
        }
    }

    fn host_error(&self, turn: &Turn, call: &PreparedCall<'_>, error: &HostError<'_>) {
        turn.config().report_host_error(&turn.info(call), error);
    }

    fn tools_changed(&self, before: &Turn, turn: &Turn) {
        let config = turn.config();
        if config.hooks.is_empty() {
            return;
        }
        let changes = turn.changes_since(before);
        if changes.is_empty() {
            return;
        }
        for hook in &config.hooks {
            let _ = attempt(|| {
                hook.on_tool_changes(&config.id, &changes);
                Ok(())
            });
        }
    }
}

impl Turn {
    /// Returns whether hooks or the approver see calls of this tool. For an unknown tool (`None`), only hooks do.
    #[inline]
    pub(super) fn has_interceptors(&self, tool: Option<ToolId>) -> bool {
        !self.config().hooks.is_empty() || tool.is_some_and(|id| self.may_need_approval(id))
    }

    #[inline]
    fn may_need_approval(&self, id: ToolId) -> bool {
        #[cfg(feature = "approval")]
        if self.judges_commands(id) {
            return true;
        }
        self.plan(id).needs_approval || self.has_permissions(id)
    }

    /// Checks the caller of a call. Returns the interceptors as a future, if there are any: they decide about the call, and read
    /// its arguments. They do not see a call that `agent`, the agent's own loop, would not take.
    #[inline]
    pub(super) fn admit<'c>(
        &'c self,
        id: ToolId,
        call: &'c mut PreparedCall<'_>,
        session: CancelEpoch<'c>,
        agent: Option<&'c AgentLoop<'_>>,
    ) -> Result<Option<Interceptors<'c>>, ToolError> {
        self.check_caller(id, call.request)?;
        if call.record.is_none() || !self.has_interceptors(call.tool) {
            return Ok(None);
        }
        match self.observers() {
            Some(observers) => Ok(Some(observers.intercept(self, id, call, session, agent))),
            None => Err(self.refuse_unapproved(id, call, agent)),
        }
    }

    /// Returns the error for a call that needs approval, in a session that cannot ask for it.
    #[cold]
    fn refuse_unapproved(&self, id: ToolId, call: &mut PreparedCall<'_>, agent: Option<&AgentLoop<'_>>) -> ToolError {
        let scope = call.scope();
        let read = scope.within(|| {
            self.check_declined(id, call, agent)?;
            self.read_arguments(id, call)
        });
        read.map_or_else(|error| error, |_| approval::no_approver())
    }

    /// Refuses a call that the agent's own loop would not take.
    fn check_declined(
        &self,
        id: ToolId,
        call: &PreparedCall<'_>,
        agent: Option<&AgentLoop<'_>>,
    ) -> Result<(), ToolError> {
        match agent {
            Some(agent)
                if self.plan(id).agent_run
                    && self.is_declined(id, call.request, |tool, slots| agent(tool, slots).is_none()) =>
            {
                Err(no_agent_loop())
            }
            _ => Ok(()),
        }
    }

    /// Reads the arguments of a call before its handler does. Records the repairs.
    fn read_arguments(&self, id: ToolId, call: &mut PreparedCall<'_>) -> Result<Arguments, ToolError> {
        let (arguments, repaired) = Arguments::read(call.request.arguments(), self.table(id), Limits::default())
            .map_err(|error| self.with_definition(id, call.request, error))?;
        if call.is_corrected || !repaired.is_empty() {
            call.repairs = self.record_repairs(id, call, repaired);
        }
        Ok(arguments)
    }

    /// Shows a call to the hooks, and to the approver if it needs approval. Returns the arguments to run it with, which
    /// hooks may have changed.
    async fn run_interceptors(
        &self,
        id: ToolId,
        call: &mut PreparedCall<'_>,
        session: CancelEpoch<'_>,
    ) -> Result<Arguments, ToolError> {
        let (config, table, limits) = (self.config(), self.table(id), Limits::default());
        let mut arguments = self.read_arguments(id, call)?;
        call.show_arguments(arguments.redacted(table, limits));
        let mut asked = Asked::default();
        if self.plan(id).needs_approval {
            asked.reasons.push(ApprovalReason::Declared);
        }
        for hook in &config.hooks {
            match self.before_call(&**hook, id, call, session).await? {
                HookAction::Continue | HookAction::Async(_) => {}
                HookAction::Change(_) if !hooks::changes_arguments(&**hook, &self.state().tool(id).name) => {
                    let message = "it changes arguments, but its `changes_arguments` returns false";
                    return Err(self.hook_failed(&**hook, call, message));
                }
                HookAction::Change(changes) => match arguments.change(changes, table, limits) {
                    Ok(new) => {
                        arguments = new;
                        call.show_arguments(arguments.redacted(table, limits));
                    }
                    Err(error) => return Err(self.hook_failed(&**hook, call, error.message())),
                },
                HookAction::Block(reason) => {
                    let text = format!("the host blocked the call: {reason}");
                    return Err(ToolError::with_kind(ErrorKind::Blocked, text));
                }
                HookAction::Ask(reason) => asked.reasons.push(ApprovalReason::Hook(reason)),
                HookAction::AskEachTime(reason) => asked.reasons.push(ApprovalReason::HookEachTime(reason)),
            }
        }
        let permissions = config.permissions.as_ref().filter(|_| self.has_permissions(id));
        let permitting = permissions.map(|permissions| Permitting {
            turn: self,
            permissions,
            id,
            call,
            session,
            arguments: &arguments,
        });
        if let Some(permitting) = &permitting {
            permitting.apply(&mut asked).await?;
        }
        #[cfg(feature = "approval")]
        if let Some(commands) = &config.commands {
            self.approve_commands(commands, id, call, session, &arguments, (asked, permitting.as_ref())).await?;
            return Ok(arguments);
        }
        self.approve(id, call, session, asked).await?;
        Ok(arguments)
    }

    /// Gets approval of a call for these reasons.
    async fn approve(
        &self,
        id: ToolId,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
        asked: Asked,
    ) -> Result<(), ToolError> {
        let context = self.context(id, call.request, session);
        let environment = context.environment();
        let subject = subject(self.name(id), environment.as_deref());
        self.approve_for(&subject, self.info(call), context.cancel_sources(), asked).await
    }

    /// Returns the reasons that have not been approved for the session, under this [subject].
    pub(super) fn not_yet_approved(
        &self,
        subject: &str,
        call: &CallInfo<'_>,
        reasons: Vec<ApprovalReason>,
    ) -> Vec<ApprovalReason> {
        let (open, approved) = self.config().approvals.partition(subject, reasons);
        #[cfg(feature = "approval")]
        approval::record(call, &approved, RecordedDecision::Allowed, DecidedBy::Session, None);
        #[cfg(not(feature = "approval"))]
        let _ = (call, approved);
        open
    }

    /// Gets approval of a call for these reasons. Earlier approvals of the [subject] count.
    pub(super) async fn approve_for(
        &self,
        subject: &str,
        call: CallInfo<'_>,
        cancel: CancelSources<'_>,
        mut asked: Asked,
    ) -> Result<(), ToolError> {
        let config = self.config();
        asked.reasons = self.not_yet_approved(subject, &call, asked.reasons);
        if asked.reasons.is_empty() {
            return Ok(());
        }
        let request = ApprovalRequest {
            call,
            reasons: &asked.reasons,
            offer: asked.offer.as_ref(),
            time_limit: self.config().approval_timeout,
        };
        #[cfg(feature = "approval")]
        let began = clock::now();
        let answer = approval::ask(config, request, CancelledFuture::new(cancel)).await;
        #[cfg(feature = "approval")]
        approval::record(&call, &asked.reasons, answer.decision(), answer.decided_by(), began);
        if let Answer::Decided(decision) = &answer {
            self.keep_answer(decision, subject, &asked, &call);
        }
        answer.result(None)
    }

    /// Calls one hook before a call, and waits for its decision, at most for the time limit of the call.
    async fn before_call(
        &self,
        hook: &dyn Hook,
        id: ToolId,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
    ) -> Result<HookAction, ToolError> {
        let info = self.info(call);
        let mut action = attempt(|| hook.before_call(&info));
        if let Ok(HookAction::Async(_)) = action {
            let (context, limit) = (self.context(id, call.request, session), self.time_limit(id));
            let cancelled = CancelledFuture::new(context.cancel_sources());
            action = match with_deadline(resolved(action), cancelled, limit).await {
                Ok(action) => action,
                Err(Interrupted::Cancelled) => {
                    let text = "the call was cancelled while this host checked it: nothing was done";
                    return Err(ToolError::with_kind(ErrorKind::Cancelled, text));
                }
                Err(Interrupted::TimedOut) => {
                    self.hook_failed(hook, call, &format!("it took longer than {limit:?}"));
                    let text = format!(
                        "the call was not run: a check of this host took longer than {limit:?}. Try again later"
                    );
                    return Err(ToolError::with_kind(ErrorKind::Timeout, text));
                }
            };
        }
        action.map_err(|message| self.hook_failed(hook, call, &message))
    }

    /// Reports that a hook failed before a call. Returns the error for the model, which does not contain the message.
    #[cold]
    fn hook_failed(&self, hook: &dyn Hook, call: &PreparedCall<'_>, message: &str) -> ToolError {
        let error = HostError { part: hooks::name(hook), stage: HostStage::BeforeCall, message };
        self.config().report_host_error(&self.info(call), &error);
        ToolError::with_kind(
            ErrorKind::HookFailed,
            "the call was not run: a check of this host failed, which the call did not cause. Do not make the call, or try \
             again later",
        )
    }

    /// Passes a result to the hooks, which can replace it.
    #[inline]
    pub(super) async fn transform(
        &self,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
        result: ToolResult,
    ) -> ToolResult {
        match self.observers() {
            Some(observers) if call.record.is_some() && !self.config().hooks.is_empty() => {
                call.scope().around(observers.transform(self, call, session, result)).await
            }
            _ => result,
        }
    }

    async fn transform_recorded(
        &self,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
        mut result: ToolResult,
    ) -> ToolResult {
        let info = self.info(call);
        for hook in &self.config().hooks {
            let transformed = match panics::catch(|| hook.transform_later(&info, &result)) {
                Err(panicked) => Err(panicked.0),
                Ok(None) => attempt(|| hook.transform_result(&info, &result)),
                Ok(Some(future)) => match self.wait_for_transform(future, call, session).await {
                    Ok(transformed) => transformed,
                    Err((message, error)) => {
                        if let Some(message) = message {
                            self.transform_failed(&**hook, &info, &message);
                        }
                        return Err(error);
                    }
                },
            };
            match transformed {
                Ok(None) => {}
                Ok(Some(other)) => result = other,
                Err(message) => self.transform_failed(&**hook, &info, &message),
            }
        }
        result
    }

    /// Waits for a new result, at most for the time limit of the call. An error ends the call. If the hook exceeded the time limit, the
    /// error has the message for the host, too.
    async fn wait_for_transform(
        &self,
        future: TransformFuture,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
    ) -> Result<Result<Option<ToolResult>, String>, (Option<String>, ToolError)> {
        let Some(id) = call.tool else { return Ok(Ok(None)) };
        let (context, limit) = (self.context(id, call.request, session), self.time_limit(id));
        match with_deadline(panics::CatchPanic(future), CancelledFuture::new(context.cancel_sources()), limit).await {
            Ok(Ok(transformed)) => Ok(transformed.map_err(ToolError::into_message)),
            Ok(Err(panicked)) => Ok(Err(panicked.0)),
            Err(Interrupted::Cancelled) => {
                let text = "the call was cancelled while this host processed its result: its effects are not undone";
                Err((None, ToolError::with_kind(ErrorKind::Cancelled, text)))
            }
            Err(Interrupted::TimedOut) => {
                let text = format!(
                    "the call was run, but this host took longer than {limit:?} to process its result, which is lost. Its \
                     effects are not undone"
                );
                Err((Some(format!("it took longer than {limit:?}")), ToolError::with_kind(ErrorKind::Timeout, text)))
            }
        }
    }

    fn transform_failed(&self, hook: &dyn Hook, info: &CallInfo<'_>, message: &str) {
        let error = HostError { part: hooks::name(hook), stage: HostStage::TransformResult, message };
        self.config().report_host_error(info, &error);
    }

    /// Reports a failure of a part of the host to the hooks and the subscriber.
    pub(super) fn host_error(&self, call: &PreparedCall<'_>, error: &HostError<'_>) {
        match self.observers() {
            Some(observers) => observers.host_error(self, call, error),
            #[cfg(feature = "tracing")]
            None => crate::observe::trace::host_error(&self.info(call), error),
            #[cfg(not(feature = "tracing"))]
            None => {}
        }
    }

    /// Returns the call as hooks and the approver see it.
    pub(super) fn info<'i>(&'i self, call: &'i PreparedCall<'_>) -> CallInfo<'i> {
        let (request, record) = (call.request, call.record.as_deref());
        let mut info = CallInfo {
            tool: self.called_name(call.tool, request),
            called_as: self.name_as_called(call.tool, request),
            id: request.id(),
            caller: request.caller(),
            namespace: &request.origin().namespace,
            task: request.task(),
            // As handlers see it: a call without a task belongs to the task of the session.
            task_state: request.or_task(&self.config().task).task_state(),
            annotations: Annotations::DEFAULT,
            arguments: record.map_or(&Value::Null, |record| &record.arguments),
            began: record.and_then(|record| record.began),
            took: record.and_then(|record| record.took),
            takes_secrets: false,
            repairs: &call.repairs,
            sent: Sent { text: request.arguments(), table: None },
            #[cfg(feature = "approval")]
            is_judged: call.judged.get().is_some(),
            #[cfg(feature = "approval")]
            start_directory: call.judged.get().and_then(|judged| Some(&*judged.directory.as_ref()?.path)),
            #[cfg(feature = "approval")]
            decisions: record.map(|record| &*record.decisions),
        };
        if let Some(id) = call.tool {
            info.annotations = self.state().tool(id).behaviour.annotations;
            info.takes_secrets = self.table(id).has_secrets();
            info.sent.table = Some(self.table(id));
        }
        info
    }
}

/// Awaits actions until one is not a future.
async fn resolved(mut action: Result<HookAction, String>) -> Result<HookAction, String> {
    while let Ok(HookAction::Async(future)) = action {
        action = match panics::CatchPanic(future).await {
            Ok(action) => action.map_err(ToolError::into_message),
            Err(panicked) => Err(panicked.0),
        };
    }
    action
}

#[cfg(test)]
mod tests;
