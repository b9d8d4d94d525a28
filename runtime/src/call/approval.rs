//! Approval: somebody is asked before a call is run that its manifest, or a hook, will not have run unasked.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use crate::call::host::Host;
use crate::call::patience::{Lost, patiently};
use crate::run::cancel::Watch;
use crate::run::panics;
use crate::run::panics::Panicked;
use crate::shown::Visible;
use crate::{CallInfo, ErrorKind, HostError, HostStage, ToolError, sorted};

/// Asks somebody whether a call may be run: see [`SessionBuilder::approver`](crate::SessionBuilder::approver).
///
/// ```
/// use std::pin::Pin;
/// use toolc::{ApprovalDecision, ApprovalRequest, Approver};
///
/// struct Terminal;
///
/// impl Approver for Terminal {
///     fn decide<'a>(
///         &'a self,
///         request: &'a ApprovalRequest<'a>,
///     ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
///         Box::pin(async move {
///             eprintln!("{request} [y/n]");
///             match read_line().await.as_str() {
///                 "y" => ApprovalDecision::AllowOnce,
///                 _ => ApprovalDecision::Deny("the user said no".to_owned()),
///             }
///         })
///     }
/// }
/// # async fn read_line() -> String { String::new() }
/// ```
pub trait Approver: Send + Sync {
    /// What becomes of the call. It waits for this, 60 seconds unless the session says otherwise; no answer by then, or a
    /// panic, is a denial.
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>;
}

/// What somebody is asked.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The call, with the arguments as they would be run; secret ones are hidden.
    pub call: CallInfo<'a>,
    /// Why it is asked: at least one reason.
    pub why: &'a [ApprovalReason],
}

impl fmt::Display for ApprovalRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.call.arguments().to_string();
        write!(f, "run `{}` with {}?", self.call.tool(), Visible(&arguments))?;
        self.why.iter().try_for_each(|why| write!(f, " ({})", Visible(&why.to_string())))
    }
}

/// Why a call has to be approved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ApprovalReason {
    /// The tool's manifest says so, of every call.
    Declared,
    /// A hook says so, for this reason.
    Hook(String),
}

impl fmt::Display for ApprovalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalReason::Declared => f.write_str("every call of this tool has to be approved"),
            ApprovalReason::Hook(reason) => f.write_str(reason),
        }
    }
}

/// What becomes of a call that has to be approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalDecision {
    /// It is run.
    AllowOnce,
    /// It is run, and for the same reasons nobody is asked again about this tool in this session.
    AllowForSession,
    /// It is not run, for this reason, which the model is told.
    Deny(String),
}

/// Reasons for which nobody is asked again, each with the tool, sorted.
#[derive(Debug, Default)]
pub(crate) struct Allowed(Mutex<Vec<(String, ApprovalReason)>>);

impl Allowed {
    /// Those of the reasons for which somebody has to be asked.
    pub(crate) fn unsettled(&self, tool: &str, why: Vec<ApprovalReason>) -> Vec<ApprovalReason> {
        if why.is_empty() {
            return why;
        }
        let allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place =
            |why: &ApprovalReason| allowed.binary_search_by(|(of, other)| (of.as_str(), other).cmp(&(tool, why)));
        why.into_iter().filter(|why| place(why).is_err()).collect()
    }

    fn allow(&self, tool: &str, why: &[ApprovalReason]) {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for why in why {
            sorted::insert(&mut allowed, (tool.to_owned(), why.clone()));
        }
    }
}

/// Waits for the decision, and no longer than the host or its patience lasts. The error is what the model gets.
pub(crate) async fn ask(host: &Host, request: ApprovalRequest<'_>, cancelled: Watch<'_>) -> Result<(), ToolError> {
    let Some(approver) = &host.approver else { return Err(nobody_to_ask()) };
    let decided = match panics::caught(|| approver.decide(&request)) {
        Ok(future) => match patiently(panics::Caught(future), cancelled, host.patience).await {
            Ok(decided) => decided,
            Err(Lost::Cancelled) => return Err(cancelled_unasked()),
            Err(Lost::Time) => return Err(denied(&format!("nobody answered within {:?}", host.patience))),
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
