//! `lock.json`: what the hub has installed, exactly enough to install it again.
//!
//! ```json
//! {
//!   "version": 1,
//!   "skills": {
//!     "pdf": {
//!       "folder": "documents/pdf",
//!       "source": "github",
//!       "identifier": "github:anthropics/skills/skills/pdf",
//!       "url": "https://github.com/anthropics/skills/tree/045219e9.../skills/pdf",
//!       "path": "skills/pdf",
//!       "version": "045219e962325c583452ebd956a72f5dafc956a3",
//!       "tree": "92c53c7af63b2e95c24a308368ef297767982495",
//!       "digest": "sha256:9afd1cc7...",
//!       "trust": "trusted",
//!       "converted": false,
//!       "installed": "2026-11-30T20:00:00Z",
//!       "updated": "2026-11-30T20:00:00Z",
//!       "accepted": [{ "id": "S012", "digest": "sha256:9afd1cc7..." }]
//!     }
//!   }
//! }
//! ```
//!
//! A key that is unknown, missing or doubled is an error with its line, and the file is left as it is.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::bundle::{Bundle, Digest, GitId};
use crate::identifier::Identifier;
use crate::judge::AcceptedFinding;
use crate::name::{SkillFolder, SkillName};
use crate::source::SourceKind;
use crate::trust::Trust;

/// The version of the schema.
const VERSION: u32 = 1;

/// What the hub has installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    #[serde(deserialize_with = "version")]
    version: u32,
    /// The skills by their names.
    #[serde(deserialize_with = "without_doubles")]
    pub skills: BTreeMap<SkillName, LockedSkill>,
}

/// An installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSkill {
    /// Its folder below the folder of all skills.
    pub folder: SkillFolder,
    /// The source.
    pub source: SourceKind,
    /// The skill at its newest version, which an update asks for.
    pub identifier: Identifier,
    /// The address at which a person can see the installed version.
    pub url: String,
    /// The path in the repository or the archive.
    #[serde(default)]
    pub path: String,
    /// The commit or the version.
    pub version: String,
    /// The name of the folder for git.
    pub tree: Option<GitId>,
    /// The digest of the files as the source has them.
    pub digest: Digest,
    /// The trust in the source.
    pub trust: Trust,
    /// Whether the files were made from something else than a skill.
    #[serde(default)]
    pub converted: bool,
    /// When the skill was installed.
    pub installed: Timestamp,
    /// When it was installed or updated.
    pub updated: Timestamp,
    /// The findings of the guard that a person has accepted.
    #[serde(default)]
    pub accepted: Vec<AcceptedFinding>,
}

impl LockedSkill {
    /// Returns whether these are the files as the source had them: their contents, and where files have modes, which are programs.
    pub(crate) fn is_of(&self, bundle: &Bundle) -> bool {
        let has_same_modes = || !cfg!(unix) || self.tree.is_none_or(|tree| tree == bundle.tree());
        self.digest == bundle.digest() && has_same_modes()
    }
}

impl Default for Lock {
    fn default() -> Self {
        Self { version: VERSION, skills: BTreeMap::new() }
    }
}

impl Lock {
    /// Reads the text of a lock.
    ///
    /// # Errors
    /// If it is damaged. The message has the line and the column.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the text, with the skills sorted by their names.
    pub fn text(&self) -> String {
        let text =
            serde_json::to_string_pretty(self).expect("it has only texts, numbers, lists and maps with text keys");
        text + "\n"
    }
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        VERSION => Ok(VERSION),
        other => {
            Err(D::Error::custom(format!("the version is {other}, and this program knows {VERSION}: use a newer one")))
        }
    }
}

/// Reads a map, and refuses a key that comes twice: the second value would replace the first.
fn without_doubles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<SkillName, LockedSkill>, D::Error> {
    struct Skills;

    impl<'de> Visitor<'de> for Skills {
        type Value = BTreeMap<SkillName, LockedSkill>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("skills by their names")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut skills = BTreeMap::new();
            while let Some(name) = map.next_key::<SkillName>()? {
                if skills.contains_key(&name) {
                    return Err(A::Error::custom(format!("the skill `{name}` is listed twice")));
                }
                let skill: LockedSkill = map.next_value()?;
                if *skill.folder.name() != name {
                    let reason = format!("the folder `{}` of the skill `{name}` has another name", skill.folder);
                    return Err(A::Error::custom(reason));
                }
                skills.insert(name, skill);
            }
            Ok(skills)
        }
    }

    deserializer.deserialize_map(Skills)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let digest = format!("sha256:{}", "0".repeat(64));
        let skill = LockedSkill {
            folder: "docs/pdf".parse().expect("a folder"),
            source: SourceKind::GitHub,
            identifier: "o/r/pdf".parse().expect("an identifier"),
            url: "https://github.com/o/r".to_owned(),
            path: "pdf".to_owned(),
            version: "0".repeat(40),
            tree: Some("0".repeat(40).parse().expect("a name")),
            digest: digest.parse().expect("a digest"),
            trust: Trust::Community,
            converted: false,
            installed: "2026-11-30T20:00:00Z".parse().expect("a time"),
            updated: "2026-11-30T20:00:00Z".parse().expect("a time"),
            accepted: vec![AcceptedFinding { id: "S1".to_owned(), digest: digest.parse().expect("a digest") }],
        };
        let skills = [("pdf".parse().expect("a name"), skill)].into();
        let lock = Lock { skills, ..Lock::default() };
        assert_eq!(Lock::parse(&lock.text()).ok(), Some(lock.clone()));
        lock.text()
    }

    #[test]
    fn damage_by_hand_is_an_error_with_its_line() {
        let text = text();
        for (from, to, line, reason) in [
            ("\"trust\": \"community\",", "\"trust\": \"comunity\",", 13, "unknown variant"),
            ("\"trust\": \"community\",", "", 23, "missing field `trust`"),
            ("\"trust\"", "\"trsut\"", 13, "unknown field `trsut`"),
            ("\"folder\": \"docs/pdf\"", "\"folder\": \"../pdf\"", 5, "is not a name"),
            ("\"folder\": \"docs/pdf\"", "\"folder\": \"docs/doc\"", 23, "another name"),
            ("\"tree\": \"0000", "\"tree\": \"xyz", 11, "expected 40 hexadecimal digits"),
            ("\"github:o/r/pdf\"", "\"pdf\"", 7, "does not name a skill"),
            ("\"version\": 1", "\"version\": 2", 2, "this program knows 1"),
            ("\"docs/pdf\",", "\"docs/pdf\"", 6, "expected `,`"),
        ] {
            assert!(text.contains(from), "{from}");
            let error = Lock::parse(&text.replacen(from, to, 1)).expect_err(to);
            assert!(error.to_string().contains(reason), "{to}: {error}");
            assert!(error.line().abs_diff(line) <= 2, "{to}: {error}");
        }
        let skill = &text[text.find("\"pdf\": {").expect("it has one")..text.rfind("\n  }").expect("it ends")];
        let doubled = text.replacen(skill, &format!("{skill},\n{skill}"), 1);
        assert!(Lock::parse(&doubled).expect_err("it is doubled").to_string().contains("listed twice"));
        for end in 0..text.len() - 2 {
            assert!(Lock::parse(&text[..end]).is_err(), "{end}");
        }
    }
}
