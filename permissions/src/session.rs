//! The permissions of one session.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Map;
use toolc::Tool;
use toolc::approval::{KeptUntil, PermissionCall, PermissionDecision, PermissionOffer, PermissionReason, Permissions};

use crate::edit::NewRule;
use crate::file::PermissionFile;
use crate::keys::Verdict;
use crate::narrow::narrow;
use crate::parameter::CallPaths;
use crate::paths::PathSource;
use crate::rule::{CallFacts, Origin, Permission, ToolFacts, Trust};
use crate::set::PermissionSet;

/// Keeps the answers that allow calls for good.
pub trait AnswerStore: Send + Sync {
    /// Returns the answers about a tool: the id of each, and its rule, as [`add`](Self::add) was given it. None if they cannot be read.
    fn answers(&self, tool: &str) -> Vec<(i64, String)>;

    /// Adds an answer.
    ///
    /// # Errors
    /// Returns a message if it cannot be kept.
    fn add(&self, answer: &Answer<'_>) -> Result<(), String>;
}

/// An answer that allows calls for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The kind of environment.
    pub environment: &'a str,
    /// A description of the calls.
    pub description: &'a str,
    /// The rule, as the text of a file.
    pub rule: &'a str,
}

/// The permissions of one session: the rules of the host, and the answers of the person.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput};
/// use toolc_permissions::{PermissionFile, PermissionSet, SessionPermissions, Trust};
///
/// let text = r#"
///     [[permissions]]
///     name = "inside"
///     description = "Sends data to another company."
///     verdict = "deny"
///     tools = ["fetch"]
///     parameters.url.without_hosts = ["example.com", "*.example.com"]
/// "#;
/// let file = PermissionFile::read("permissions.toml", text, Trust::Home).unwrap();
/// let rules = Arc::new(PermissionSet::new([&file]));
///
/// let schema = json!({ "type": "object", "properties": { "url": { "type": "string" } }, "required": ["url"] });
/// let registry = Registry::new();
/// registry.add(DynamicTool::sync("fetch", "Fetches.", schema, |_, _| Ok(ToolOutput::text("ok"))).build().unwrap()).unwrap();
/// let session = registry.session().permissions(Arc::new(SessionPermissions::new(rules))).build().unwrap();
/// let turn = session.turn_blocking(Dialect::OpenAi);
/// let json = |url: &str| turn.call_blocking(&ToolCall::new("fetch", &json!({ "url": url }).to_string())).json;
/// assert_eq!(json("https://api.example.com/"), "\"ok\"");
/// assert!(json("https://example.com@evil.test/").contains("the rule `inside` denies it"));
/// ```
pub struct SessionPermissions {
    set: Arc<PermissionSet>,
    store: Option<Arc<dyn AnswerStore>>,
    paths: Option<Arc<dyn PathSource>>,
    environment: String,
    /// The answers for the session, each with its description.
    granted: Mutex<Vec<(String, Arc<Permission>)>>,
}

/// What rules say about a call, with those that decide.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdicts {
    /// The verdict: that of the strictest rule, or `Ask` if the tool requires approval and no rule allows the call.
    pub verdict: Verdict,
    /// The rules with this verdict. None if no rule decides.
    pub rules: Vec<Permission>,
    /// Whether the tool requires approval, and no rule allows the call without it.
    pub requires_approval: bool,
}

impl SessionPermissions {
    /// Returns the permissions of a session.
    pub fn new(set: Arc<PermissionSet>) -> Self {
        Self { set, store: None, paths: None, environment: "local".to_owned(), granted: Mutex::default() }
    }

    /// Sets the store of answers that are kept for good. Without one, answers are kept for the session.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn AnswerStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets how the tools of the host understand paths. Without it, a rule that asks or denies matches every path.
    #[must_use]
    pub fn paths(mut self, paths: Arc<dyn PathSource>) -> Self {
        self.paths = Some(paths);
        self
    }

    /// Sets the kind of environment in which tasks act by default. Default: `local`.
    #[must_use]
    pub fn environment(mut self, kind: impl Into<String>) -> Self {
        self.environment = kind.into();
        self
    }

    /// Returns what the rules and answers say about a call. Asks no one.
    pub fn judge(&self, call: &PermissionCall<'_>) -> Verdicts {
        let kept = self.kept(&call.tool.name);
        self.with_facts(call, |facts| {
            let judged = self.set.judge(facts, kept.iter().map(|rule| &**rule));
            let is_allowed = !judged.allowed.is_empty();
            let (verdict, rules) = match judged.denied {
                Some(rule) => (Verdict::Deny, vec![rule]),
                None if !judged.asked.is_empty() => (Verdict::Ask, judged.asked),
                None if !is_allowed && call.is_declared => (Verdict::Ask, Vec::new()),
                None => (Verdict::Allow, judged.allowed),
            };
            let requires_approval = call.is_declared && !is_allowed;
            Verdicts { verdict, rules: rules.into_iter().cloned().collect(), requires_approval }
        })
    }

    /// Returns the rules and answers that can match calls of a tool, in their order.
    pub fn about(&self, tool: &Tool) -> Vec<Permission> {
        let (facts, kept) = (facts(tool), self.kept(&tool.name));
        let kept = kept.iter().map(|rule| &**rule).filter(|rule| rule.is_about(&facts));
        self.set.about(&facts).chain(kept).cloned().collect()
    }

    /// Returns the answers about a tool.
    fn kept(&self, tool: &str) -> Vec<Arc<Permission>> {
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept: Vec<Arc<Permission>> = granted.iter().map(|(_, rule)| Arc::clone(rule)).collect();
        drop(granted);
        let stored = self.store.as_ref().map(|store| store.answers(tool)).unwrap_or_default();
        // An answer of another version that cannot be read allows nothing.
        let parsed = stored.into_iter().filter_map(|(id, text)| parse_answer(&text, Some(id)));
        kept.extend(parsed.map(Arc::new));
        kept
    }

    fn with_facts<T>(&self, call: &PermissionCall<'_>, judge: impl FnOnce(&CallFacts<'_>) -> T) -> T {
        let empty = Map::new();
        let environment = call.call.environment();
        let paths = self.paths.as_ref().and_then(|source| source.paths(call.call));
        judge(&CallFacts {
            tool: facts(call.tool),
            environment: environment.as_deref().unwrap_or(&self.environment),
            arguments: call.arguments.as_object().unwrap_or(&empty),
            paths: CallPaths::new(paths),
            other_paths: Box::new(|name| {
                let source = self.paths.as_ref();
                source.map(|source| source.other_paths(&call.tool.name, name, call.arguments)).unwrap_or_default()
            }),
        })
    }
}

impl Permissions for SessionPermissions {
    fn concerns(&self, tool: &Tool) -> bool {
        tool.behaviour.approval.always || self.set.about(&facts(tool)).next().is_some()
    }

    fn may_wait(&self, tool: &Tool) -> bool {
        let asks =
            tool.behaviour.approval.always || self.set.about(&facts(tool)).any(|rule| rule.verdict() == Verdict::Ask);
        self.paths.is_some() && (asks || self.set.about(&facts(tool)).any(Permission::is_about_paths))
    }

    fn decide(&self, call: &PermissionCall<'_>) -> PermissionDecision {
        self.with_facts(call, |facts| {
            let judged = self.set.judge(facts, []);
            if let Some(rule) = judged.denied {
                return PermissionDecision::deny(reason(rule));
            }
            if judged.asked.is_empty() && (!call.is_declared || !judged.allowed.is_empty()) {
                let is_allowed = !judged.allowed.is_empty();
                return if is_allowed { PermissionDecision::allow() } else { PermissionDecision::default() };
            }
            let kept = self.kept(&call.tool.name);
            let judged = self.set.judge(facts, kept.iter().map(|rule| &**rule));
            if judged.asked.is_empty() && (!call.is_declared || !judged.allowed.is_empty()) {
                return PermissionDecision::allow();
            }
            let mut decision = PermissionDecision::ask(judged.asked.iter().map(|rule| reason(rule)));
            decision.is_allowed = !judged.allowed.is_empty();
            let Some(narrow) = narrow(facts, call.tool, self.paths.as_deref(), &judged.asked) else { return decision };
            let offer = PermissionOffer::new(&narrow.text, Arc::new((narrow.rule, narrow.text.clone())));
            decision.with_offer(if self.store.is_some() { offer.permanent() } else { offer })
        })
    }

    fn keep(&self, offer: &PermissionOffer, until: KeptUntil) -> Result<(), String> {
        let Some((rule, description)) = offer.rule.downcast_ref::<(NewRule, String)>() else {
            return Err("the offer was made by other permissions".to_owned());
        };
        let text = rule.text();
        let parsed = parse_answer(&text, None).ok_or("the rule that was offered cannot be read")?;
        if let (Some(store), KeptUntil::Revoked) = (&self.store, until) {
            let environment = rule.environments.first().map_or("local", String::as_str);
            let tool = rule.tools.first().map_or("", String::as_str);
            store.add(&Answer { tool, environment, description, rule: &text })?;
            // From now on the store has it, so that it can be revoked.
            return Ok(());
        }
        let granted = (description.clone(), Arc::new(parsed));
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).push(granted);
        Ok(())
    }

    fn answers_for_session(&self) -> Vec<String> {
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        granted.iter().map(|(description, _)| description.clone()).collect()
    }
}

/// Returns the rule of an answer, or `None` if it cannot be read.
fn parse_answer(text: &str, id: Option<i64>) -> Option<Permission> {
    let file = PermissionFile::read("answer", text, Trust::Home).ok()?;
    let mut rule = file.rules.into_iter().next()?;
    rule.origin = Origin::Answer(id);
    Some(rule)
}

fn facts(tool: &Tool) -> ToolFacts<'_> {
    ToolFacts { name: &tool.name, toolset: &tool.toolset, annotations: tool.behaviour.annotations }
}

fn reason(rule: &Permission) -> PermissionReason {
    PermissionReason::new(rule.name(), rule.description())
}

impl std::fmt::Debug for SessionPermissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionPermissions")
            .field("set", &self.set)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}
