//! Errors of requests to a registry.

use std::fmt;

use crate::text::nearest::{nearest, suggestion};

/// The error of a request that does not fit what the registry holds.
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
    /// The value of the fact has another type than its default.
    FactType,
    /// The value of the fact is an integer beyond ±2^53.
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
        Self::new(kind, name, format!("unknown {noun} `{name}`{}", suggestion(&nearest(name, known))))
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> SessionErrorKind {
        self.kind
    }

    /// Returns the name of the toolset, tool or fact.
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
