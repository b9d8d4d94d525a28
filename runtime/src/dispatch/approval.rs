//! Requests to the host's approver.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
#[cfg(feature = "approval")]
use std::time::Instant;

#[cfg(feature = "approval")]
use toolc_commands::rules::Verdict;

#[cfg(feature = "approval")]
use crate::call::approval::ApprovalReason;
use crate::call::approval::{ApprovalDecision, ApprovalRequest};
#[cfg(feature = "approval")]
use crate::call::decision::{CallDecision, DecidedBy, DecisionReason, RecordedDecision};
#[cfg(feature = "approval")]
use crate::call::hooks::CallInfo;
use crate::call::hooks::{HostError, HostStage};
use crate::panics::{self, Panicked};
use crate::result::error::{ErrorKind, ToolError};
use crate::run::cancel::CancelledFuture;
#[cfg(feature = "approval")]
use crate::run::clock;
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::config::SessionConfig;

/// How a question ended.
#[derive(Debug)]
pub(super) enum Answer {
    /// The approver decided.
    Decided(ApprovalDecision),
    /// The session has no approver.
    NoApprover,
    /// The approver did not decide within its time limit.
    TimedOut(Duration),
    /// The call was cancelled.
    Cancelled,
    /// The approver panicked.
    Failed,
}

/// What the error for the model says about a command that needs approval.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    /// What was found.
    pub(super) findings: &'a str,
    /// What the model can do instead: a sentence without a full stop.
    pub(super) instead: Option<&'a str>,
}

impl About<'_> {
    /// Returns the last sentence for a command without an approval.
    pub(super) fn advice(&self) -> &str {
        self.instead.unwrap_or("Do not retry it in another spelling")
    }
}

/// Asks the approver to decide on a call, and waits for the decision.
pub(super) async fn ask(
    config: &SessionConfig,
    request: ApprovalRequest<'_>,
    mut cancelled: CancelledFuture<'_>,
) -> Answer {
    let Some(approver) = &config.approver else { return Answer::NoApprover };
    // A call that was cancelled at the question before this one is not asked about.
    if poll_fn(|context| Poll::Ready(Pin::new(&mut cancelled).poll(context).is_ready())).await {
        return Answer::Cancelled;
    }
    let limit = config.approval_timeout;
    let decided = match panics::catch(|| approver.decide(&request)) {
        Err(panicked) => Err(panicked),
        Ok(decision) => match with_deadline(panics::CatchPanic(decision), cancelled, limit).await {
            Ok(decided) => decided,
            Err(Interrupted::Cancelled) => return Answer::Cancelled,
            Err(Interrupted::TimedOut) => return Answer::TimedOut(limit),
        },
    };
    match decided {
        #[cfg(feature = "approval")]
        Ok(ApprovalDecision::AllowedByModel) if !request.reasons.iter().all(ApprovalReason::is_low_risk) => {
            Answer::Decided(ApprovalDecision::Deny("a model cannot approve this call".to_owned()))
        }
        Ok(decision) => Answer::Decided(decision),
        Err(Panicked(message)) => {
            let error = HostError { part: "the approver", stage: HostStage::Approval, message: &message };
            config.report_host_error(&request.call, &error);
            Answer::Failed
        }
    }
}

/// Adds a decision about reasons that are not commands to those of a call. `began` is when the question was asked, if there was one.
#[cfg(feature = "approval")]
pub(super) fn record(
    call: &CallInfo<'_>,
    reasons: &[ApprovalReason],
    decision: RecordedDecision,
    decided_by: DecidedBy,
    began: Option<Instant>,
) {
    let Some(decisions) = call.decisions.filter(|_| !reasons.is_empty()) else { return };
    let waited = began.map(|began| began.elapsed()).unwrap_or_default();
    let reasons = reasons.iter().map(DecisionReason::from).collect();
    decisions.add(CallDecision { verdict: Verdict::Ask, reasons, decision, decided_by, waited, at: clock::now() });
}

impl Answer {
    /// Returns who has decided.
    #[cfg(feature = "approval")]
    pub(super) fn decided_by(&self) -> DecidedBy {
        match self {
            Self::Decided(ApprovalDecision::AllowedByModel) => DecidedBy::Model,
            Self::Decided(ApprovalDecision::Unanswered(_)) => DecidedBy::Unanswered,
            Self::Decided(_) => DecidedBy::Person,
            _ => DecidedBy::Unanswered,
        }
    }

    /// Returns the decision about a reason that is not a command, and about a command without an answer.
    #[cfg(feature = "approval")]
    pub(super) fn decision(&self) -> RecordedDecision {
        match self {
            Self::Decided(ApprovalDecision::AllowOnce | ApprovalDecision::AllowedByModel) => RecordedDecision::Allowed,
            Self::Decided(ApprovalDecision::AllowForSession | ApprovalDecision::AllowAlways) => {
                RecordedDecision::AllowedForSession
            }
            Self::Cancelled => RecordedDecision::Cancelled,
            _ => RecordedDecision::Denied,
        }
    }

    /// Returns whether the call may run.
    #[cfg(feature = "approval")]
    pub(super) fn allows(&self) -> bool {
        let refuses = |decision: &ApprovalDecision| {
            matches!(decision, ApprovalDecision::Deny(_) | ApprovalDecision::Unanswered(_))
        };
        matches!(self, Self::Decided(decision) if !refuses(decision))
    }

    /// Returns the error for the model if the call must not run. `about` says what was found about the call's commands.
    pub(super) fn result(self, about: Option<About<'_>>) -> Result<(), ToolError> {
        match self {
            Self::Decided(ApprovalDecision::Deny(reason) | ApprovalDecision::Unanswered(reason)) => {
                Err(denied(if reason.is_empty() { "no reason was given" } else { &reason }, about))
            }
            Self::Decided(_) => Ok(()),
            Self::NoApprover => {
                let Some(about) = about else { return Err(no_approver()) };
                let text = format!(
                    "the command was not run, because it needs approval, and this host cannot ask for it: {}. {}",
                    about.findings,
                    about.advice()
                );
                Err(ToolError::with_kind(ErrorKind::Refused, text))
            }
            Self::TimedOut(limit) => Err(denied(&format!("the approver did not answer within {limit:?}"), about)),
            Self::Cancelled => Err(cancelled()),
            Self::Failed => Err(denied("the approver failed", about)),
        }
    }
}

/// Returns the error of a call that needs approval, in a session without an approver.
pub(super) fn no_approver() -> ToolError {
    let text = "this call needs approval, and this host cannot ask for it. Do without this tool";
    ToolError::with_kind(ErrorKind::Refused, text)
}

fn denied(reason: &str, about: Option<About<'_>>) -> ToolError {
    let text = match about {
        None => format!("the call was not approved: {reason}. Do not repeat it unless the user asks for it"),
        Some(About { findings, instead }) => format!(
            "the command was not approved: {reason}. It needs approval: {findings}. {}",
            instead.unwrap_or("Do not retry it, also not in another spelling, unless the user asks for it")
        ),
    };
    ToolError::with_kind(ErrorKind::Denied, text)
}

/// Returns the error of a call that was cancelled while it waited for an answer.
pub(super) fn cancelled() -> ToolError {
    ToolError::with_kind(ErrorKind::Cancelled, "the call was cancelled before it was approved: nothing was done")
}
