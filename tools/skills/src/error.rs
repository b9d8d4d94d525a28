//! The error of everything that changes skills.

use std::path::Path;
use std::{fmt, io};

/// Why skills could not be read or changed, for the model and the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillError(String);

impl SkillError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    #[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
    pub(crate) fn io(action: &str, path: &Path, error: io::Error) -> Self {
        Self(format!("failed to {action} {}: {error}", path.display()))
    }

    /// Returns the error about a file of the folder of the skills.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
    pub(crate) fn file(action: &str, path: &str, error: io::Error) -> Self {
        Self(format!("failed to {action} the file `{path}` of the skills: {error}"))
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SkillError {}
