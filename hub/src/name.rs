//! Names of skills and of their folders.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::bundle::check_name;

/// The maximum length of a name, in characters (agentskills.io).
const MAX_LENGTH: usize = 64;

/// The name of an installed skill, which is also the name of its folder: 1 to 64 lowercase letters, digits, `.`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SkillName(String);

/// The folder of an installed skill below the folder of all skills: `NAME` or `CATEGORY/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SkillFolder {
    category: Option<SkillName>,
    name: SkillName,
}

impl SkillName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SkillFolder {
    /// Returns the folder of a skill, in a category or in none.
    pub fn new(category: Option<SkillName>, name: SkillName) -> Self {
        Self { category, name }
    }

    /// Returns the name of the skill.
    pub fn name(&self) -> &SkillName {
        &self.name
    }
}

impl FromStr for SkillName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        let shown: String = text.chars().take(100).flat_map(char::escape_debug).collect();
        if text.is_empty() || text.len() > MAX_LENGTH || !text.bytes().all(is_part) {
            return Err(format!(
                "`{shown}` is not a name of 1 to {MAX_LENGTH} lowercase letters, digits, `.`, `_` and `-`"
            ));
        }
        if text.starts_with(['.', '-']) {
            return Err(format!("`{shown}` is not a name of a skill: it begins with `{}`", &text[..1]));
        }
        if check_name(text).is_err() {
            return Err(format!("`{shown}` is not a name of a skill: some systems reserve it"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for SkillFolder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (category, name) = text.split_once('/').map_or((None, text), |(category, name)| (Some(category), name));
        Ok(Self { category: category.map(str::parse).transpose()?, name: name.parse()? })
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SkillFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.category {
            Some(category) => write!(f, "{category}/{}", self.name),
            None => fmt::Display::fmt(&self.name, f),
        }
    }
}

impl From<SkillName> for String {
    fn from(name: SkillName) -> Self {
        name.0
    }
}

impl TryFrom<String> for SkillName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<SkillFolder> for String {
    fn from(folder: SkillFolder) -> Self {
        folder.to_string()
    }
}

impl TryFrom<String> for SkillFolder {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_that_every_system_can_hold() {
        for text in ["pdf", "a.b_c-d", "0"] {
            assert_eq!(text.parse::<SkillName>().map(|name| name.to_string()).as_deref(), Ok(text));
        }
        for text in ["", ".hub", "..", "PDF", "a/b", "nul", "a.", "-x", "ü", "a b", &"a".repeat(65)] {
            assert!(text.parse::<SkillName>().is_err(), "{text}");
        }
        assert_eq!("docs/pdf".parse::<SkillFolder>().map(|folder| folder.to_string()).as_deref(), Ok("docs/pdf"));
        for text in ["", "/pdf", "docs/", "a/b/c", "../pdf", ".hub/pdf"] {
            assert!(text.parse::<SkillFolder>().is_err(), "{text}");
        }
    }
}
