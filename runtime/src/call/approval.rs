//! Approval of calls, which a tool's manifest or a hook can require.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use crate::call::hooks::CallInfo;
use crate::sorted;
use crate::text::display::EscapedText;

/// Decides whether calls that need approval may run, for example by asking the user: see
/// [`SessionBuilder::approver`](crate::SessionBuilder::approver).
///
/// ```
/// use std::pin::Pin;
/// use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};
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
    /// Decides on a call. The call waits for the decision, at most for the
    /// [time limit](crate::SessionBuilder::approval_timeout). A timeout or a panic denies the call.
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>;
}

/// A request for approval.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The call, with the arguments that the handler would get. Secret values are redacted.
    pub call: CallInfo<'a>,
    /// The reasons why approval is needed, at least one.
    pub reasons: &'a [ApprovalReason],
}

impl fmt::Display for ApprovalRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.call.arguments().to_string();
        write!(f, "run `{}` with {}?", self.call.tool(), EscapedText(&arguments))?;
        self.reasons.iter().try_for_each(|reason| write!(f, " ({})", EscapedText(&reason.to_string())))
    }
}

/// A reason why a call needs approval.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ApprovalReason {
    /// The tool's manifest requires approval for every call.
    Declared,
    /// A hook requires approval, for this reason.
    Hook(String),
}

impl fmt::Display for ApprovalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalReason::Declared => f.write_str("every call of this tool needs approval"),
            ApprovalReason::Hook(reason) => f.write_str(reason),
        }
    }
}

/// The decision on a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalDecision {
    /// The call is run. Later calls need approval again.
    AllowOnce,
    /// The call is run. Later calls of this tool in this session do not need approval for the same reasons.
    AllowForSession,
    /// The call is not run. The model gets this reason.
    Deny(String),
}

/// The reasons that have been approved for the session, each with its tool. Sorted.
#[derive(Debug, Default)]
pub(crate) struct SessionApprovals(Mutex<Vec<(String, ApprovalReason)>>);

impl SessionApprovals {
    /// Returns the reasons that have not been approved for the session.
    pub(crate) fn not_yet_approved(&self, tool: &str, mut reasons: Vec<ApprovalReason>) -> Vec<ApprovalReason> {
        if reasons.is_empty() {
            return reasons;
        }
        let approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.retain(|reason| {
            let position = approved.binary_search_by(|(name, other)| (name.as_str(), other).cmp(&(tool, reason)));
            position.is_err()
        });
        reasons
    }

    /// Approves these reasons of a tool for the session.
    pub(crate) fn approve(&self, tool: &str, reasons: &[ApprovalReason]) {
        let mut approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for reason in reasons {
            sorted::insert(&mut approved, (tool.to_owned(), reason.clone()));
        }
    }
}
