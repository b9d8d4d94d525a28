//! The repositories that a person has added to the search.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::identifier::Repository;

/// What a tap has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TapKind {
    /// Folders with skills.
    Skills,
    /// A Claude marketplace.
    Marketplace,
}

/// A repository of GitHub that is searched. It is written as `OWNER/REPOSITORY`, or as `market:OWNER/REPOSITORY` if it is a marketplace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Tap {
    /// What it has.
    pub kind: TapKind,
    /// The repository.
    pub repository: Repository,
}

impl FromStr for Tap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (kind, name) = match text.strip_prefix("market:") {
            Some(name) => (TapKind::Marketplace, name),
            None => (TapKind::Skills, text.strip_prefix("github:").unwrap_or(text)),
        };
        Ok(Self { kind, repository: name.parse()? })
    }
}

impl fmt::Display for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.kind == TapKind::Marketplace { "market:" } else { "" };
        write!(f, "{prefix}{}", self.repository)
    }
}

impl From<Tap> for String {
    fn from(tap: Tap) -> Self {
        tap.to_string()
    }
}

impl TryFrom<String> for Tap {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
