//! Errors of sessions, and of requests to a registry.

use std::fmt;

use crate::text::nearest::suggestion;

/// The error of building a session, setting facts or invalidating results: a name is unknown in the registry, or a fact has
/// an invalid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionError {
    kind: SessionErrorKind,
    name: String,
    message: String,
}

/// The kind of a [`SessionError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionErrorKind {
    /// No registered toolset has this name or alias.
    UnknownToolset,
    /// No registered tool has this name.
    UnknownTool,
    /// No registered tool or toolset has this name.
    UnknownName,
    /// No tool provider declares this fact.
    UnknownFact,
    /// The value of the fact has a different type than its default.
    FactType,
    /// The value of the fact is an integer outside of -2^53 to 2^53.
    FactRange,
}

impl SessionError {
    pub(crate) fn new(kind: SessionErrorKind, name: &str, message: String) -> Self {
        Self { kind, name: name.to_owned(), message }
    }

    pub(crate) fn unknown<'k>(kind: SessionErrorKind, name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let noun = match kind {
            SessionErrorKind::UnknownToolset => "toolset",
            SessionErrorKind::UnknownTool => "tool",
            SessionErrorKind::UnknownName => "tool or toolset",
            _ => "fact",
        };
        Self::new(kind, name, format!("unknown {noun} `{name}`{}", suggestion(name, known)))
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> SessionErrorKind {
        self.kind
    }

    /// Returns the name of the toolset, tool or fact, as it was passed.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SessionError {}
