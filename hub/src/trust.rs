//! How much a source is trusted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The repositories whose skills are trusted, on github.com only.
const TRUSTED: &[(&str, &str)] = &[("openai", "skills"), ("anthropics", "skills")];

/// How much a source is trusted. The guard decides what that allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// `openai/skills` and `anthropics/skills` on github.com, at a commit of their default branch.
    Trusted,
    /// Everything else.
    Community,
}

impl Trust {
    /// Returns the trust in a repository of github.com. GitHub ignores the case of its names.
    pub(crate) fn of_repository(owner: &str, name: &str) -> Self {
        let is = |(trusted_owner, trusted_name): &(&str, &str)| {
            owner.eq_ignore_ascii_case(trusted_owner) && name.eq_ignore_ascii_case(trusted_name)
        };
        if TRUSTED.iter().any(is) { Self::Trusted } else { Self::Community }
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trusted => "trusted",
            Self::Community => "community",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_trusted_ones_are_not_trusted() {
        assert_eq!(Trust::of_repository("openai", "skills"), Trust::Trusted);
        assert_eq!(Trust::of_repository("Anthropics", "skills"), Trust::Trusted);
        for (owner, name) in [
            ("openai", "skills2"),
            ("openai", "codex"),
            ("anthropic", "skills"),
            ("open-ai", "skills"),
            ("openai-", "skills"),
            ("0penai", "skills"),
            ("opena\u{131}", "skills"),
            ("someone", "skills"),
        ] {
            assert_eq!(Trust::of_repository(owner, name), Trust::Community, "{owner}/{name}");
        }
    }
}
