//! The lock of `vercel-labs/skills` (`.skill-lock.json`, version 3), which `gh skill` writes too: whose skills the hub leaves alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bundle::GitId;

/// The name of the file.
pub const FOREIGN_LOCK: &str = ".skill-lock.json";
/// The version that is read.
const VERSION: u64 = 3;
/// The maximum size of the file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// What another program has installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignLock {
    /// The file.
    pub path: PathBuf,
    /// The skills by their names.
    pub skills: BTreeMap<String, ForeignSkill>,
}

/// A skill that another program has installed. Keys that the hub does not need are ignored: the file belongs to that program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForeignSkill {
    /// The source, such as `OWNER/REPOSITORY`.
    pub source: String,
    /// Its kind, such as `github`.
    pub source_type: String,
    /// Its address.
    pub source_url: String,
    /// The path in the source.
    pub skill_path: Option<String>,
    /// The name that git gives to the folder. Empty if it is unknown.
    #[serde(default)]
    pub skill_folder_hash: String,
}

/// Another program that has installed a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignOwner {
    /// Its lock.
    pub lock: PathBuf,
    /// Its entry of the skill.
    pub skill: ForeignSkill,
}

#[derive(Deserialize)]
struct Content {
    version: u64,
    skills: BTreeMap<String, ForeignSkill>,
}

impl ForeignLock {
    /// Reads the file. `None` if it does not exist, or has another version.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged. The message has the line.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let meta = match fs::metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(io::Error::other(format!("it is not a file of at most {MAX_BYTES} bytes")));
        }
        let mut text = String::new();
        File::open(path)?.take(MAX_BYTES).read_to_string(&mut text)?;
        let content: Content = match serde_json::from_str(&text) {
            Ok(content) => content,
            Err(error) if error.is_data() && has_other_version(&text) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let found = Self { path: path.to_owned(), skills: content.skills };
        Ok(Some(found).filter(|_| content.version == VERSION))
    }
}

impl ForeignSkill {
    /// Returns whether a folder still has the files that the other program has installed. `None` if the lock does not say it.
    pub fn is_unchanged(&self, tree: GitId) -> Option<bool> {
        Some(self.skill_folder_hash.parse::<GitId>().ok()? == tree)
    }
}

fn has_other_version(text: &str) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| value["version"].as_u64() != Some(VERSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_another_program_is_read() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join(FOREIGN_LOCK);
        let read = |text: &str| {
            fs::write(&path, text).expect("failed to write");
            ForeignLock::read(&path)
        };
        assert_eq!(ForeignLock::read(&path).expect("it does not exist"), None);
        let text = r#"{"version": 3, "dismissed": {}, "skills": {"pdf": {"source": "o/r", "sourceType": "github",
            "sourceUrl": "https://github.com/o/r.git", "skillPath": "skills/pdf/SKILL.md", "pluginName": "x",
            "skillFolderHash": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "installedAt": "x", "updatedAt": "y"}}}"#;
        let lock = read(text).expect("it is valid").expect("it exists");
        let tree = |text: &str| text.parse().expect("a name");
        let skill = &lock.skills["pdf"];
        assert_eq!(skill.is_unchanged(tree("4b825dc642cb6eb9a060e54bf8d69288fbee4904")), Some(true));
        assert_eq!(skill.is_unchanged(tree("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")), Some(false));
        assert_eq!(read(&text.replace("\"version\": 3", "\"version\": 2")).expect("it is skipped"), None);
        assert_eq!(read(r#"{"version": 4, "skills": []}"#).expect("it is skipped"), None);
        let error = read(&text.replace("\"source\": \"o/r\",", "")).expect_err("it is damaged").to_string();
        assert!(error.contains("missing field `source` at line"), "{error}");
    }
}
