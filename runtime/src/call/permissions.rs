//! Permissions: rules of the host about calls of any tool, and the answers that they offer to a person.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::call::Call;
use crate::data::catalog::Tool;

/// Decides which calls need approval, and which are denied, by the tool and its arguments: see
/// [`SessionBuilder::permissions`](crate::SessionBuilder::permissions).
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use toolc::approval::{PermissionCall, PermissionDecision, PermissionReason, Permissions};
/// use toolc::{Dialect, DynamicTool, Registry, Tool, ToolCall, ToolOutput};
///
/// /// Denies large amounts.
/// struct Budget(f64);
///
/// impl Permissions for Budget {
///     fn concerns(&self, tool: &Tool) -> bool {
///         tool.name == "pay"
///     }
///
///     fn decide(&self, call: &PermissionCall<'_>) -> PermissionDecision {
///         let is_too_much = call.arguments["amount"].as_f64().is_none_or(|amount| amount > self.0);
///         let reason = || PermissionReason::new("budget", "Spends more than the budget.");
///         if is_too_much { PermissionDecision::deny(reason()) } else { PermissionDecision::default() }
///     }
/// }
///
/// let schema = json!({ "type": "object", "properties": { "amount": { "type": "number" } }, "required": ["amount"] });
/// let registry = Registry::new();
/// registry.add(DynamicTool::sync("pay", "Pays.", schema, |_, _| Ok(ToolOutput::text("paid"))).build().unwrap()).unwrap();
/// let session = registry.session().permissions(Arc::new(Budget(10.0))).build().unwrap();
/// let turn = session.turn_blocking(Dialect::OpenAi);
/// assert!(!turn.call_blocking(&ToolCall::new("pay", r#"{"amount": 9.5}"#)).is_error());
/// assert!(turn.call_blocking(&ToolCall::new("pay", r#"{"amount": 10.5}"#)).json.contains("the rule `budget` denies it"));
/// ```
pub trait Permissions: Send + Sync {
    /// Returns whether calls of a tool are to be decided. Cheap: it is called for each call.
    fn concerns(&self, tool: &Tool) -> bool {
        let _ = tool;
        true
    }

    /// Returns whether a decision about calls of a tool may wait, for example for a file system. Such a decision is made on a thread of the
    /// pool, and has the time limit of the call.
    fn may_wait(&self, tool: &Tool) -> bool {
        let _ = tool;
        false
    }

    /// Decides about a call, after the hooks, and before it is approved. If this panics, the call is not run.
    fn decide(&self, call: &PermissionCall<'_>) -> PermissionDecision;

    /// Keeps a person's answer that allows the calls of an [offer](PermissionDecision::offer).
    ///
    /// # Errors
    /// Returns a message if the answer cannot be kept. It is [reported](crate::hooks::Hook::on_host_error), and the call runs.
    fn keep(&self, offer: &PermissionOffer, until: KeptUntil) -> Result<(), String> {
        let _ = (offer, until);
        Ok(())
    }

    /// Returns a description of each answer that was [kept](Self::keep) until the end of the session.
    fn answers_for_session(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A call about which permissions decide.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PermissionCall<'a> {
    /// The declaration of the tool.
    pub tool: &'a Tool,
    /// The arguments that the handler would get. Secret values are not redacted.
    pub arguments: &'a Value,
    /// The call, with its task, its environment and the values of the host.
    pub call: &'a Call<'a>,
    /// Whether the tool requires approval for every call.
    pub is_declared: bool,
}

impl<'a> PermissionCall<'a> {
    /// Returns a call that is not run, for example to show what would be decided about it.
    pub fn new(tool: &'a Tool, arguments: &'a Value, call: &'a Call<'a>) -> Self {
        Self { tool, arguments, call, is_declared: tool.behaviour.approval.always }
    }
}

/// The decision about a call. By default, nothing is decided: the call needs approval if its tool requires that.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PermissionDecision {
    /// The rule that denies the call. No person can approve it.
    pub denied: Option<PermissionReason>,
    /// The rules for which a person must approve the call.
    pub asked: Vec<PermissionReason>,
    /// Whether a rule allows the call without the approval that its tool requires.
    pub is_allowed: bool,
    /// What a person can allow for the session or for good, if the call needs approval.
    pub offer: Option<PermissionOffer>,
}

impl PermissionDecision {
    /// Returns a decision that denies a call.
    pub fn deny(reason: PermissionReason) -> Self {
        Self { denied: Some(reason), ..Self::default() }
    }

    /// Returns a decision that asks a person.
    pub fn ask(reasons: impl IntoIterator<Item = PermissionReason>) -> Self {
        Self { asked: reasons.into_iter().collect(), ..Self::default() }
    }

    /// Returns a decision that allows a call without the approval that its tool requires.
    pub fn allow() -> Self {
        Self { is_allowed: true, ..Self::default() }
    }

    /// Sets what a person can allow for the session or for good.
    #[must_use]
    pub fn with_offer(mut self, offer: PermissionOffer) -> Self {
        self.offer = Some(offer);
        self
    }
}

/// A rule that decides about a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct PermissionReason {
    /// The name of the rule.
    pub rule: String,
    /// What the rule is about, for the person and for the model.
    pub description: String,
}

impl PermissionReason {
    /// Returns a reason.
    pub fn new(rule: impl Into<String>, description: impl Into<String>) -> Self {
        Self { rule: rule.into(), description: description.into() }
    }
}

impl fmt::Display for PermissionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (rule `{}`)", self.description.trim_end_matches('.'), self.rule)
    }
}

/// What a person can allow instead of a single call.
#[derive(Clone)]
#[non_exhaustive]
pub struct PermissionOffer {
    /// A description of the calls, which a question shows.
    pub text: String,
    /// Whether it can be allowed for good, and not only for the session.
    pub is_permanent: bool,
    /// The value by which [`Permissions::keep`] knows the offer.
    pub rule: Arc<dyn Any + Send + Sync>,
}

impl PermissionOffer {
    /// Returns an offer for the session. `rule` is for [`Permissions::keep`].
    pub fn new(text: impl Into<String>, rule: Arc<dyn Any + Send + Sync>) -> Self {
        Self { text: text.into(), is_permanent: false, rule }
    }

    /// Offers to allow the calls for good, too.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.is_permanent = true;
        self
    }
}

impl fmt::Debug for PermissionOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, is_permanent, .. } = self;
        f.debug_struct("PermissionOffer")
            .field("text", text)
            .field("is_permanent", is_permanent)
            .finish_non_exhaustive()
    }
}

/// How long an answer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptUntil {
    /// Until the session ends.
    SessionEnd,
    /// Until a person revokes it.
    Revoked,
}
