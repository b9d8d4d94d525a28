//! A failure of the tool itself.

use std::fmt;
use std::io;
use std::path::Path;

/// The tool could not do its work: a folder cannot be read, or a disk is full. A mistake in a manifest is a
/// [`Diagnostic`](crate::diagnostic::Diagnostic) instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// Returns a failure with a message that completes "error: ...", names the path, and says what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Returns a failure to do something with a file: `verb` is `read`, `write` and the like.
    pub(crate) fn io(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self(format!("failed to {verb} {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
