//! The rules of a host, and what they say about a call.

use std::sync::Arc;

use crate::file::PermissionFile;
use crate::keys::Verdict;
use crate::rule::{Annotation, CallFacts, Origin, Permission, ToolFacts, Trust};

/// The name of the rule of a strict host.
const STRICT: &str = "not-known-to-only-read";

/// The rules of a host, in the order of their files.
#[derive(Debug, Clone, Default)]
pub struct PermissionSet {
    rules: Vec<Arc<Permission>>,
}

/// What rules say about a call.
#[derive(Debug, Default)]
pub(crate) struct Judged<'r> {
    /// The first rule that denies the call.
    pub(crate) denied: Option<&'r Permission>,
    /// The rules that ask, without those that others exempt.
    pub(crate) asked: Vec<&'r Permission>,
    /// The rules that allow.
    pub(crate) allowed: Vec<&'r Permission>,
}

impl PermissionSet {
    /// Returns the rules of files.
    pub fn new<'f>(files: impl IntoIterator<Item = &'f PermissionFile>) -> Self {
        Self { rules: files.into_iter().flat_map(|file| file.rules.iter().cloned().map(Arc::new)).collect() }
    }

    /// Adds the rule of a strict host, `not-known-to-only-read`: a person is asked about each call of another tool than these `known` ones,
    /// unless the tool has the annotation `read_only`, or a rule or an answer allows the call.
    #[must_use]
    pub fn strict(mut self, known: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rules.push(Arc::new(Permission {
            name: STRICT.to_owned(),
            description: "Calls a tool of an MCP server or a plugin that is not known to only read.".to_owned(),
            verdict: Verdict::Ask,
            origin: Origin::Strict,
            trust: Trust::Home,
            exempts: Vec::new(),
            tools: Vec::new(),
            without_tools: known.into_iter().map(Into::into).collect(),
            toolsets: Vec::new(),
            servers: Vec::new(),
            environments: Vec::new(),
            annotations: vec![(Annotation::ReadOnly, false)],
            parameters: Vec::new(),
            no_other_parameters: false,
        }));
        self
    }

    /// Returns the rules.
    pub fn rules(&self) -> impl Iterator<Item = &Permission> {
        self.rules.iter().map(|rule| &**rule)
    }

    /// Returns the rule with this name.
    pub fn rule(&self, name: &str) -> Option<&Permission> {
        self.rules().find(|rule| rule.name == name)
    }

    /// Returns the rules that can match calls of a tool.
    pub(crate) fn about<'s>(&'s self, tool: &ToolFacts<'_>) -> impl Iterator<Item = &'s Permission> {
        self.rules().filter(|rule| rule.is_about(tool))
    }

    /// Judges a call. `more` are further rules that allow.
    pub(crate) fn judge<'r>(
        &'r self,
        call: &CallFacts<'_>,
        more: impl IntoIterator<Item = &'r Permission>,
    ) -> Judged<'r> {
        let mut judged = Judged::default();
        for rule in self.rules().chain(more).filter(|rule| rule.covers(call)) {
            match rule.verdict {
                Verdict::Deny => {
                    judged.denied.get_or_insert(rule);
                }
                Verdict::Ask => judged.asked.push(rule),
                Verdict::Allow => judged.allowed.push(rule),
            }
        }
        let allowed = &judged.allowed;
        let is_exempt = |asked: &Permission, allowed: &Permission| {
            asked.origin == Origin::Strict || allowed.exempts.contains(&asked.name)
        };
        judged.asked.retain(|asked| !allowed.iter().any(|allowed| is_exempt(asked, allowed)));
        judged
    }
}
