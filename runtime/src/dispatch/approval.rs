//! Requests to the host's approver.

use crate::call::approval::{ApprovalDecision, ApprovalRequest};
use crate::call::hooks::{HostError, HostStage};
use crate::panics::{self, Panicked};
use crate::result::error::{ErrorKind, ToolError};
use crate::run::cancel::CancelledFuture;
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::config::SessionConfig;

/// Asks the approver to decide on a call, and waits for the decision.
///
/// # Errors
/// Returns the error for the model if the call must not run.
pub(super) async fn ask(
    config: &SessionConfig,
    request: ApprovalRequest<'_>,
    cancelled: CancelledFuture<'_>,
) -> Result<(), ToolError> {
    let Some(approver) = &config.approver else {
        return Err(ToolError::with_kind(
            ErrorKind::Refused,
            "this call needs approval, and this host cannot ask for it. Do without this tool",
        ));
    };
    let limit = config.approval_timeout;
    let decided = match panics::catch(|| approver.decide(&request)) {
        Err(panicked) => Err(panicked),
        Ok(decision) => match with_deadline(panics::CatchPanic(decision), cancelled, limit).await {
            Ok(decided) => decided,
            Err(Interrupted::Cancelled) => {
                return Err(ToolError::with_kind(
                    ErrorKind::Cancelled,
                    "the call was cancelled before it was approved: nothing was done",
                ));
            }
            Err(Interrupted::TimedOut) => return Err(denied(&format!("the approver did not answer within {limit:?}"))),
        },
    };
    match decided {
        Ok(ApprovalDecision::AllowOnce) => Ok(()),
        Ok(ApprovalDecision::AllowForSession | ApprovalDecision::AllowAlways) => {
            config.approvals.approve(request.call.tool(), request.reasons);
            Ok(())
        }
        Ok(ApprovalDecision::Deny(reason)) => Err(denied(&reason)),
        Err(Panicked(message)) => {
            let error = HostError { part: "the approver", stage: HostStage::Approval, message: &message };
            config.report_host_error(&request.call, &error);
            Err(denied("the approver failed"))
        }
    }
}

fn denied(reason: &str) -> ToolError {
    let reason = if reason.is_empty() { "no reason was given" } else { reason };
    let text = format!("the call was not approved: {reason}. Do not repeat it unless the user asks for it");
    ToolError::with_kind(ErrorKind::Denied, text)
}
