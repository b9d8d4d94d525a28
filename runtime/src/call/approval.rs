//! Approval of calls, because of the tool's manifest or a hook.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use crate::call::hooks::CallInfo;
use crate::sorted;
use crate::text::display::EscapedText;

/// An approver, which decides whether a call may be run: see
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
    /// Decides on a call. The call waits for the decision, by default at most 60 seconds. A timeout or a panic denies
    /// the call.
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>;
}

/// A request for approval.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The call, with the arguments as they would be run. Secret ones are redacted.
    pub call: CallInfo<'a>,
    /// The reasons why approval is needed, at least one.
    pub why: &'a [ApprovalReason],
}

impl fmt::Display for ApprovalRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.call.arguments().to_string();
        write!(f, "run `{}` with {}?", self.call.tool(), EscapedText(&arguments))?;
        self.why.iter().try_for_each(|why| write!(f, " ({})", EscapedText(&why.to_string())))
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
    /// The call is run.
    AllowOnce,
    /// The call is run, and later calls of this tool in this session with the same reasons need no approval.
    AllowForSession,
    /// The call is not run. The model gets the reason.
    Deny(String),
}

/// Reasons that have been approved for the session, each with the tool, sorted.
#[derive(Debug, Default)]
pub(crate) struct SessionApprovals(Mutex<Vec<(String, ApprovalReason)>>);

impl SessionApprovals {
    /// Returns the reasons that have not been approved for the session.
    pub(crate) fn unsettled(&self, tool: &str, why: Vec<ApprovalReason>) -> Vec<ApprovalReason> {
        if why.is_empty() {
            return why;
        }
        let allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place =
            |why: &ApprovalReason| allowed.binary_search_by(|(of, other)| (of.as_str(), other).cmp(&(tool, why)));
        why.into_iter().filter(|why| place(why).is_err()).collect()
    }

    pub(crate) fn allow(&self, tool: &str, why: &[ApprovalReason]) {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for why in why {
            sorted::insert(&mut allowed, (tool.to_owned(), why.clone()));
        }
    }
}
