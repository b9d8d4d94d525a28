//! Approval of calls, which a tool's manifest or a hook can require.

#[cfg(feature = "approval")]
pub(crate) mod command;
#[cfg(feature = "approval")]
pub(crate) mod log;
#[cfg(feature = "approval")]
pub(crate) mod memory;
#[cfg(feature = "approval")]
pub(crate) mod pending;
#[cfg(feature = "approval")]
pub(crate) mod policy;
#[cfg(feature = "approval")]
pub(crate) mod queue;
#[cfg(feature = "approval")]
pub(crate) mod shell;
#[cfg(feature = "approval")]
pub(crate) mod store;

use std::borrow::Cow;
use std::fmt;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

#[cfg(feature = "approval")]
use crate::call::approval::command::CommandReason;
#[cfg(feature = "approval")]
use crate::call::decision::DecisionReason;
use crate::call::hooks::CallInfo;
use crate::call::permissions::{PermissionOffer, PermissionReason};
use crate::data::behaviour::Annotations;
use crate::sorted;
use crate::text::display::EscapedText;

/// Decides whether calls that need approval may run, for example by asking the user: see
/// [`SessionBuilder::approver`](crate::SessionBuilder::approver). [`approver_fn`] makes one from a closure.
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

    /// Returns whether the calls of a session ask one after another, so that an answer for the session covers those that wait. By default,
    /// they do. An approver whose questions can stay unanswered, such as one that asks clients without sessions, returns `false`.
    fn asks_one_at_a_time(&self) -> bool {
        true
    }
}

/// Returns an approver from a closure, which returns the decision or a future of it.
///
/// ```
/// use toolc::approval::{ApprovalDecision, approver_fn};
///
/// # async fn read_line() -> String { String::new() }
/// let terminal = approver_fn(|request| async move {
///     eprintln!("{request} [y/n]");
///     match read_line().await.as_str() {
///         "y" => ApprovalDecision::AllowOnce,
///         _ => ApprovalDecision::Deny("the user said no".to_owned()),
///     }
/// });
/// let readers = approver_fn(|request| match request.tool.as_str() {
///     "read_file" => ApprovalDecision::AllowForSession,
///     _ => ApprovalDecision::Deny("only reading is allowed".to_owned()),
/// });
/// # let registry = toolc::Registry::new();
/// # registry.session().approver(terminal).build().unwrap();
/// let session = registry.session().approver(readers).build();
/// # session.unwrap();
/// ```
pub fn approver_fn<F, D>(decide: F) -> Arc<dyn Approver>
where
    F: Fn(OwnedApprovalRequest) -> D + Send + Sync + 'static,
    D: IntoFuture<Output = ApprovalDecision, IntoFuture: Send + 'static>,
{
    Arc::new(ApproverFn(decide))
}

struct ApproverFn<F>(F);

impl<F, D> Approver for ApproverFn<F>
where
    F: Fn(OwnedApprovalRequest) -> D + Send + Sync,
    D: IntoFuture<Output = ApprovalDecision, IntoFuture: Send + 'static>,
{
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        Box::pin((self.0)(request.to_owned_request()).into_future())
    }
}

/// A request for approval that owns its data, so that a future can hold it: see [`approver_fn`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OwnedApprovalRequest {
    /// The tool's own name.
    pub tool: String,
    /// The id of the call in the vendor's API; may be empty.
    pub id: String,
    /// The name of the call's task.
    pub task: String,
    /// The declared effects of the tool.
    pub annotations: Annotations,
    /// The arguments that the handler would get. Secret values are redacted.
    pub arguments: Value,
    /// The reasons why approval is needed, at least one.
    pub reasons: Vec<ApprovalReason>,
    /// What an answer for the session or for good covers: see [`ApprovalRequest::offer`].
    pub offer: Option<PermissionOffer>,
}

impl fmt::Display for OwnedApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_request(f, &self.tool, &self.arguments, &self.reasons)
    }
}

/// A request for approval.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The call, with the arguments that the handler would get. Secret values are redacted.
    pub call: CallInfo<'a>,
    /// The reasons why approval is needed, at least one.
    pub reasons: &'a [ApprovalReason],
    /// What [`AllowForSession`](ApprovalDecision::AllowForSession) and [`AllowAlways`](ApprovalDecision::AllowAlways) cover for the
    /// reasons that concern the call as a whole, if the session has [permissions](crate::SessionBuilder::permissions).
    pub offer: Option<&'a PermissionOffer>,
    /// The time within which the approver must answer. After it, the call is denied.
    pub time_limit: Duration,
}

impl fmt::Display for ApprovalRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_request(f, self.call.tool(), self.call.arguments(), self.reasons)
    }
}

fn write_request(f: &mut fmt::Formatter<'_>, tool: &str, arguments: &Value, reasons: &[ApprovalReason]) -> fmt::Result {
    write!(f, "run `{tool}` with {}?", EscapedText(&arguments.to_string()))?;
    reasons.iter().try_for_each(|reason| write!(f, " ({})", EscapedText(&reason.to_string())))
}

impl ApprovalRequest<'_> {
    /// Returns a copy that owns its data.
    pub fn to_owned_request(self) -> OwnedApprovalRequest {
        OwnedApprovalRequest {
            tool: self.call.tool().to_owned(),
            id: self.call.id().to_owned(),
            task: self.call.task().to_owned(),
            annotations: self.call.annotations(),
            arguments: self.call.arguments().clone(),
            reasons: self.reasons.to_vec(),
            offer: self.offer.cloned(),
        }
    }

    /// Returns whether it can be answered for the session.
    pub fn offers_session(&self) -> bool {
        let has_offer =
            |reason: &ApprovalReason| self.offer.is_some() || !matches!(reason, ApprovalReason::Permission(_));
        self.reasons.iter().all(|reason| reason.offers_session() && has_offer(reason))
    }

    /// Returns whether it can be answered for good.
    #[cfg(feature = "approval")]
    pub fn offers_always(&self) -> bool {
        let is_permanent = self.offer.is_some_and(|offer| offer.is_permanent);
        self.reasons.iter().all(|reason| match reason {
            ApprovalReason::Command(command) => command.offers(command::CommandAnswer::Always),
            reason => reason.is_of_call() && is_permanent,
        })
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
    /// A hook requires approval of each call, for this reason: an answer covers no later call.
    HookEachTime(String),
    /// A [permission](crate::SessionBuilder::permissions) requires approval.
    Permission(PermissionReason),
    /// The rules about shell commands require approval: see [`SessionBuilder::commands`](crate::SessionBuilder::commands).
    #[cfg(feature = "approval")]
    Command(CommandReason),
}

#[cfg(feature = "approval")]
impl From<&ApprovalReason> for DecisionReason {
    fn from(reason: &ApprovalReason) -> Self {
        match reason {
            ApprovalReason::Permission(reason) => Self::from(reason),
            reason => Self { rule: None, text: reason.to_string() },
        }
    }
}

#[cfg(feature = "approval")]
impl From<&PermissionReason> for DecisionReason {
    fn from(reason: &PermissionReason) -> Self {
        Self { rule: Some(reason.rule.clone()), text: reason.description.clone() }
    }
}

impl ApprovalReason {
    /// Returns whether a person can answer it for the rest of the session.
    pub fn offers_session(&self) -> bool {
        match self {
            Self::Declared | Self::Hook(_) | Self::Permission(_) => true,
            Self::HookEachTime(_) => false,
            #[cfg(feature = "approval")]
            Self::Command(command) => command.offers(command::CommandAnswer::Session),
        }
    }

    /// Returns whether it concerns the call as a whole: the permissions of the session decide about it.
    pub(crate) fn is_of_call(&self) -> bool {
        matches!(self, Self::Declared | Self::Permission(_))
    }

    /// Returns whether a language model may decide about it: it is a command of [low risk](CommandReason::is_low_risk).
    #[cfg(feature = "approval")]
    pub fn is_low_risk(&self) -> bool {
        matches!(self, Self::Command(command) if command.is_low_risk())
    }
}

impl fmt::Display for ApprovalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalReason::Declared => f.write_str("every call of this tool needs approval"),
            ApprovalReason::Hook(reason) | ApprovalReason::HookEachTime(reason) => f.write_str(reason),
            ApprovalReason::Permission(reason) => reason.fmt(f),
            #[cfg(feature = "approval")]
            ApprovalReason::Command(reason) => reason.fmt(f),
        }
    }
}

/// The decision on a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalDecision {
    /// The call is run. Later calls need approval again.
    AllowOnce,
    /// The call is run. Later calls of this tool in this session do not need approval for the same reasons, or if the permissions
    /// have made an [offer](ApprovalRequest::offer), the calls that it covers. For a command, that means the same rules below the same
    /// directory: `docs/calls.md` has the details.
    AllowForSession,
    /// The call is run. Equal commands do not need approval in any session with the same
    /// [store](crate::approval::ApprovalStore), and calls that a permanent [offer](ApprovalRequest::offer) covers do not need approval
    /// either. For other reasons, this is the same as `AllowForSession`.
    AllowAlways,
    /// The call is run, because a language model has approved it: see [`CommandReason::is_low_risk`]. This counts only for commands of low
    /// risk; any other call is denied. Later calls need approval again.
    #[cfg(feature = "approval")]
    AllowedByModel,
    /// The call is not run. The model gets this reason.
    Deny(String),
    /// The call is not run, because there is no one to ask, or no answer came. The model gets this reason.
    Unanswered(String),
}

/// A decision is a future of itself, so that the closure of [`approver_fn`] can return either.
impl IntoFuture for ApprovalDecision {
    type Output = Self;
    type IntoFuture = Ready<Self>;

    fn into_future(self) -> Ready<Self> {
        ready(self)
    }
}

/// Returns the name under which approvals of a tool for the session count: an approval in the session's environment does not count in
/// another one (`elsewhere`), and the other way round.
pub(crate) fn subject<'a>(tool: &'a str, elsewhere: Option<&str>) -> Cow<'a, str> {
    match elsewhere {
        None => tool.into(),
        // Names of tools have no spaces.
        Some(kind) => format!("{tool} in {kind}").into(),
    }
}

/// The reasons that have been approved for the session, each with its tool. Sorted.
#[derive(Debug, Default)]
pub(crate) struct SessionApprovals(Mutex<Vec<(String, ApprovalReason)>>);

impl SessionApprovals {
    /// Splits reasons into those that have not been approved for the session, and those that have.
    pub(crate) fn partition(
        &self,
        tool: &str,
        reasons: Vec<ApprovalReason>,
    ) -> (Vec<ApprovalReason>, Vec<ApprovalReason>) {
        if reasons.is_empty() {
            return (reasons, Vec::new());
        }
        let approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.into_iter().partition(|reason| {
            let position = approved.binary_search_by(|(name, other)| (name.as_str(), other).cmp(&(tool, reason)));
            position.is_err()
        })
    }

    /// Returns a description of what has been approved for the session.
    #[cfg(feature = "approval")]
    pub(crate) fn descriptions(&self) -> Vec<String> {
        let approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        approved.iter().map(|(tool, reason)| format!("calls of `{tool}`: {reason}")).collect()
    }

    /// Approves these reasons of a tool for the session.
    pub(crate) fn approve(&self, tool: &str, reasons: &[ApprovalReason]) {
        let mut approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for reason in reasons.iter().filter(|reason| reason.offers_session()) {
            sorted::insert(&mut approved, (tool.to_owned(), reason.clone()));
        }
    }
}
