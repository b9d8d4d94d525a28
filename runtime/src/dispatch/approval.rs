//! Asking the host's approver before a call is run.

use crate::call::approval::{ApprovalDecision, ApprovalRequest};
use crate::call::hooks::{HostError, HostStage};
use crate::panics::{self, Panicked};
use crate::result::output::{ErrorKind, ToolError};
use crate::run::cancel::CancelledFuture;
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::config::SessionConfig;

/// Waits for the decision, and no longer than the host or its patience lasts. The error is what the model gets.
pub(crate) async fn ask(
    host: &SessionConfig,
    request: ApprovalRequest<'_>,
    cancelled: CancelledFuture<'_>,
) -> Result<(), ToolError> {
    let Some(approver) = &host.approver else { return Err(nobody_to_ask()) };
    let decided = match panics::catch(|| approver.decide(&request)) {
        Ok(future) => match with_deadline(panics::CatchPanic(future), cancelled, host.patience).await {
            Ok(decided) => decided,
            Err(Interrupted::Cancelled) => return Err(cancelled_unasked()),
            Err(Interrupted::TimedOut) => return Err(denied(&format!("nobody answered within {:?}", host.patience))),
        },
        Err(panicked) => Err(panicked),
    };
    match decided {
        Ok(ApprovalDecision::AllowOnce) => Ok(()),
        Ok(ApprovalDecision::AllowForSession) => {
            host.allowed.allow(request.call.tool(), request.why);
            Ok(())
        }
        Ok(ApprovalDecision::Deny(reason)) => Err(denied(&reason)),
        Err(Panicked(message)) => {
            host.note(
                &request.call,
                &HostError { part: "the approver", stage: HostStage::Approval, message: &message },
            );
            Err(denied("nobody could be asked"))
        }
    }
}

fn cancelled_unasked() -> ToolError {
    ToolError::of(ErrorKind::Cancelled, "the call was cancelled before somebody had approved it: nothing was done")
}

fn denied(reason: &str) -> ToolError {
    let reason = if reason.is_empty() { "no reason was given" } else { reason };
    ToolError::of(ErrorKind::Denied, format!("the call was not approved: {reason}. Do not try it again unasked"))
}

fn nobody_to_ask() -> ToolError {
    ToolError::of(
        ErrorKind::Refused,
        "this call needs approval, and this host has nobody to ask: it set no approver. Do without this tool",
    )
}
