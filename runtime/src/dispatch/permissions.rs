//! Decisions of the session's permissions about calls.

use std::sync::{Arc, Mutex, PoisonError};

use crate::args::Arguments;
use crate::call::Call;
use crate::call::approval::{ApprovalDecision, ApprovalReason};
use crate::call::hooks::{CallInfo, HostError, HostStage};
use crate::call::permissions::{
    KeptUntil, PermissionCall, PermissionDecision, PermissionOffer, PermissionReason, Permissions,
};
use crate::dispatch::approval;
use crate::panics::{self, Panicked};
use crate::provider::blocking;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::ToolOutput;
use crate::run::cancel::{CancelEpoch, CancelledFuture};
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;

/// The reasons why a call needs approval, and what a person can allow instead of this call.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) reasons: Vec<ApprovalReason>,
    pub(super) offer: Option<PermissionOffer>,
}

/// A call about which the session's permissions decide.
pub(super) struct Permitting<'c> {
    pub(super) turn: &'c Turn,
    pub(super) permissions: &'c Arc<dyn Permissions>,
    pub(super) id: ToolId,
    pub(super) call: &'c PreparedCall<'c>,
    pub(super) session: CancelEpoch<'c>,
    pub(super) arguments: &'c Arguments,
}

impl Turn {
    /// Returns whether the session's permissions decide about calls of this tool.
    #[inline]
    pub(super) fn has_permissions(&self, id: ToolId) -> bool {
        self.config().permissions.as_ref().is_some_and(|permissions| self.concerns(&**permissions, id))
    }

    #[cold]
    fn concerns(&self, permissions: &dyn Permissions, id: ToolId) -> bool {
        panics::catch(|| permissions.concerns(self.state().tool(id))).unwrap_or(true)
    }

    /// Keeps an answer for later calls. Permissions keep what they have offered, and the session keeps other reasons.
    pub(super) fn keep_answer(&self, decision: &ApprovalDecision, subject: &str, asked: &Asked, call: &CallInfo<'_>) {
        let until = match decision {
            ApprovalDecision::AllowForSession => KeptUntil::SessionEnd,
            ApprovalDecision::AllowAlways => KeptUntil::Revoked,
            _ => return,
        };
        let config = self.config();
        let (Some(offer), Some(permissions)) = (&asked.offer, &config.permissions) else {
            let is_kept = |reason: &&ApprovalReason| !matches!(reason, ApprovalReason::Permission(_));
            let kept: Vec<ApprovalReason> = asked.reasons.iter().filter(is_kept).cloned().collect();
            config.approvals.approve(subject, &kept);
            return;
        };
        let of_hooks: Vec<ApprovalReason> =
            asked.reasons.iter().filter(|reason| !reason.is_of_call()).cloned().collect();
        config.approvals.approve(subject, &of_hooks);
        let until = if offer.is_permanent { until } else { KeptUntil::SessionEnd };
        let kept = panics::catch(|| permissions.keep(offer, until)).unwrap_or_else(|Panicked(message)| Err(message));
        if let Err(message) = kept {
            let error = HostError { part: "the permissions", stage: HostStage::Approval, message: &message };
            config.report_host_error(call, &error);
        }
    }
}

impl Permitting<'_> {
    #[cfg(feature = "approval")]
    /// Decides again, after other questions were answered. What the permissions now allow is no longer a reason.
    pub(super) async fn refresh(&self, asked: &mut Asked) -> Result<(), ToolError> {
        asked.reasons.retain(|reason| !reason.is_of_call());
        if self.turn.plan(self.id).needs_approval {
            asked.reasons.insert(0, ApprovalReason::Declared);
        }
        self.apply(asked).await
    }

    /// Adds the reasons of the permissions, and removes the approval that the tool requires if they allow the call.
    ///
    /// # Errors
    /// Returns the error for the model if a rule denies the call, or if no decision could be made.
    pub(super) async fn apply(&self, asked: &mut Asked) -> Result<(), ToolError> {
        let decision = self.decide().await?;
        if let Some(reason) = decision.denied {
            return Err(self.denied(reason));
        }
        if decision.is_allowed {
            asked.reasons.retain(|reason| *reason != ApprovalReason::Declared);
        }
        asked.reasons.extend(self.in_mode(decision.asked)?.into_iter().map(ApprovalReason::Permission));
        asked.offer = decision.offer.filter(|_| asked.reasons.iter().any(ApprovalReason::is_of_call));
        Ok(())
    }

    async fn decide(&self) -> Result<PermissionDecision, ToolError> {
        let (turn, id) = (self.turn, self.id);
        let is_declared = turn.plan(id).needs_approval;
        let context = turn.context(id, self.call.request, self.session);
        let tool = turn.state().tool(id);
        let permissions = self.permissions;
        if !panics::catch(|| permissions.may_wait(tool)).unwrap_or(true) {
            let call = PermissionCall { tool, arguments: self.arguments.value(), call: &context, is_declared };
            return panics::catch(|| permissions.decide(&call)).map_err(|Panicked(message)| self.failed(&message));
        }
        let decided = Arc::new(Mutex::new(None));
        let (slot, permissions, owned, arguments) =
            (Arc::clone(&decided), Arc::clone(permissions), turn.clone(), self.arguments.clone());
        let work = move |call: &Call<'_>| {
            let tool = owned.state().tool(id);
            let call = PermissionCall { tool, arguments: arguments.value(), call, is_declared };
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(permissions.decide(&call));
            Ok(ToolOutput::text(""))
        };
        let (limit, cancelled) = (turn.time_limit(id), CancelledFuture::new(context.cancel_sources()));
        let worked = with_deadline(panics::CatchPanic(Box::pin(blocking(&context, work))), cancelled, limit).await;
        match worked {
            Ok(Ok(Ok(_))) => {}
            Ok(Ok(Err(error))) => return Err(self.failed(error.message())),
            Ok(Err(Panicked(message))) => return Err(self.failed(&message)),
            Err(Interrupted::Cancelled) => {
                context.abandon();
                return Err(approval::cancelled());
            }
            Err(Interrupted::TimedOut) => {
                context.abandon();
                let text =
                    format!("the call was not run: the permissions were not decided within {limit:?}. Try again later");
                return Err(ToolError::with_kind(ErrorKind::Timeout, text));
            }
        }
        let decision = decided.lock().unwrap_or_else(PoisonError::into_inner).take();
        decision.ok_or_else(|| self.failed("no decision was made"))
    }

    /// Returns the error of a call that a rule denies.
    #[cold]
    #[cfg_attr(
        not(feature = "approval"),
        expect(clippy::unused_self, clippy::needless_pass_by_value, reason = "only approval has a log")
    )]
    fn denied(&self, reason: PermissionReason) -> ToolError {
        let text = format!(
            "the call was not run, and no approval can change that: the rule `{}` denies it: {}. Do not try the same with other \
             arguments or another tool, unless the user asks for it",
            reason.rule,
            reason.description.trim_end_matches('.')
        );
        #[cfg(feature = "approval")]
        self.turn.record_denied_call(self.call, &[reason], crate::call::decision::DecidedBy::Rule);
        ToolError::with_kind(ErrorKind::Denied, text)
    }

    /// Returns the reasons about which a person is asked in the session's mode of approval.
    #[cfg(feature = "approval")]
    fn in_mode(&self, reasons: Vec<PermissionReason>) -> Result<Vec<PermissionReason>, ToolError> {
        use crate::call::approval::policy::CommandMode;
        use crate::call::decision::DecidedBy;
        let mode = self.turn.config().commands.as_ref().map(|commands| commands.mode);
        match mode {
            Some(CommandMode::Off) => Ok(Vec::new()),
            Some(CommandMode::Deny) if !reasons.is_empty() => {
                self.turn.record_denied_call(self.call, &reasons, DecidedBy::Mode);
                let about: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                let text = format!(
                    "the call was not run, because it needs approval, and in this session no person can give it: {}. Do without \
                     this call",
                    about.join("; ")
                );
                Err(ToolError::with_kind(ErrorKind::Denied, text))
            }
            _ => Ok(reasons),
        }
    }

    #[cfg(not(feature = "approval"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the mode belongs to the feature")]
    fn in_mode(&self, reasons: Vec<PermissionReason>) -> Result<Vec<PermissionReason>, ToolError> {
        Ok(reasons)
    }

    /// Reports that no decision could be made. Returns the error for the model, which does not contain the message.
    #[cold]
    fn failed(&self, message: &str) -> ToolError {
        let error = HostError { part: "the permissions", stage: HostStage::Approval, message };
        self.turn.config().report_host_error(&self.turn.info(self.call), &error);
        let text = "the call was not run: this host failed to check its permissions, which the call did not cause. Do not make the \
                    call, or try again later";
        ToolError::with_kind(ErrorKind::HookFailed, text)
    }
}

#[cfg(test)]
mod tests;
