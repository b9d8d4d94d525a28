//! The rules of a host, and what they say about a call.

use std::sync::Arc;

use crate::file::PermissionFile;
use crate::keys::Verdict;
use crate::rule::{CallFacts, Permission, ToolFacts};

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
        judged.asked.retain(|asked| !allowed.iter().any(|allowed| allowed.exempts.contains(&asked.name)));
        judged
    }
}
