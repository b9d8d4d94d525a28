//! Errors of requests to a registry.

use std::fmt;

use crate::text::nearest::{nearest, suggestion};

/// A request named something that the registry does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionError(pub(crate) String);

impl SessionError {
    pub(crate) fn unknown<'k>(what: &str, name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        Self(format!("unknown {what} `{name}`{}", suggestion(&nearest(name, known))))
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SessionError {}
