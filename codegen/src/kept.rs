//! Texts that one run keeps for the next one, so that unchanged files need less work. The result of a run never depends on them.

use std::sync::OnceLock;

/// What an earlier run kept.
#[derive(Debug, Default)]
pub struct Kept {
    /// What other files need to know about the manifests of tools: see [`crate::manifest::KeptManifests`].
    pub manifests: KeptText,
    /// What the linter found in each tool.
    pub findings: KeptText,
}

impl Kept {
    /// Returns what the next run in this process starts from.
    #[must_use]
    pub fn next(self) -> Self {
        Self { manifests: self.manifests.next(), findings: self.findings.next() }
    }
}

/// The text that the last run kept, and the one of this run.
#[derive(Debug, Default)]
pub struct KeptText {
    last: String,
    next: OnceLock<String>,
}

impl KeptText {
    /// Creates it from the text that the last run kept, or an empty text.
    pub fn new(last: String) -> Self {
        Self { last, next: OnceLock::new() }
    }

    /// Returns the text that the last run kept.
    pub fn last(&self) -> &str {
        &self.last
    }

    /// Returns the text to keep for the next run, if it differs from the last one.
    pub fn changed(&self) -> Option<&str> {
        self.next.get().filter(|next| **next != self.last).map(String::as_str)
    }

    fn next(self) -> Self {
        Self::new(self.next.into_inner().unwrap_or(self.last))
    }

    /// Sets the text to keep for the next run.
    pub(crate) fn set(&self, next: String) {
        let _ = self.next.set(next);
    }
}
