//! Approval: somebody is asked before a call is run that its manifest, or a hook, will not have run unasked.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use crate::call::hooks::CallInfo;
use crate::sorted;
use crate::text::display::EscapedText;

/// Asks somebody whether a call may be run: see [`SessionBuilder::approver`](crate::SessionBuilder::approver).
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
        write!(f, "run `{}` with {}?", self.call.tool(), EscapedText(&arguments))?;
        self.why.iter().try_for_each(|why| write!(f, " ({})", EscapedText(&why.to_string())))
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
pub(crate) struct SessionApprovals(Mutex<Vec<(String, ApprovalReason)>>);

impl SessionApprovals {
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

    pub(crate) fn allow(&self, tool: &str, why: &[ApprovalReason]) {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for why in why {
            sorted::insert(&mut allowed, (tool.to_owned(), why.clone()));
        }
    }
}
