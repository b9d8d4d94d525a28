//! The error of what a host or a person asks for.

use std::error::Error;
use std::fmt;

/// Why something about a server could not be done. Its `Display` form says what to do about it.
#[derive(Debug)]
pub struct McpError {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`McpError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting is not valid, such as a name, an address or a token, or a variable that the settings name is not set.
    Settings,
    /// The server or the tool is unknown, or the server has not listed its tools.
    Unknown,
    /// A file in the home folder cannot be read or written.
    File,
    /// The server is not started as it was when a person accepted it.
    NotAccepted,
    /// The server has no login, or the login failed.
    Login,
    /// The person declined, or did not answer.
    Declined,
    /// The package is malicious, could not be checked, or has no known version.
    Package,
    /// An address cannot be reached, must not be reached, or does not answer in time.
    Unreachable,
    /// A file of a skill does not match its entry, or the entry is not valid. The server may have changed the skill.
    Unverified,
    /// The JSON Schema is not valid, or a check against it could take too long.
    Schema,
    /// The value is not one that the field accepts.
    Value,
    /// The system or the host cannot provide what is needed, such as threads, random numbers or a session of tools.
    System,
}

impl McpError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Adds the error that is the cause. The message contains what it says, as far as a person may see it.
    #[must_use]
    pub(crate) fn caused_by(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for McpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source: &(dyn Error + 'static) = self.source.as_deref()?;
        Some(source)
    }
}
