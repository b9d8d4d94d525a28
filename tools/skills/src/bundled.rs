//! The skills that ship with the program. They are copied once to the folder of the skills, where they belong to the user.
//!
//! The file `.bundled_manifest` of that folder has a line for each skill that was ever copied: its folder, and the SHA-256 of its files. A
//! skill that the user has removed does not come back. A newer version replaces only a skill without changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::error::SkillError;
use crate::ledger::{Ledger, LockedLedger, hex};
use crate::root::{Content, FileChange};

/// The file that lists the skills that were copied.
const MANIFEST: &str = ".bundled_manifest";
/// Stands for the digest of a skill that was not copied, because the user has one in its folder.
const NOT_COPIED: &str = "-";

/// A file of a bundled skill: the folder of the skill, the path in it, and the content.
type BundledFile = (&'static str, &'static str, &'static [u8]);

/// The files of all bundled skills, sorted.
const FILES: &[BundledFile] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Copies the bundled skills that were not copied before, and those with a new version that are without changes. Returns their folders.
///
/// # Errors
/// If a file cannot be read or written. Then nothing is copied.
pub fn seed(skills: &Ledger) -> Result<Vec<String>, SkillError> {
    seed_files(skills, FILES)
}

/// Returns the folders of the skills that were copied and have the digest of a bundled skill in the manifest, even if the user has edited
/// them since.
pub fn shipped(skills: &Ledger) -> Vec<String> {
    let content = skills.root().read(MANIFEST).ok().flatten();
    manifest(content.as_ref()).into_iter().filter(|(_, digest)| digest != NOT_COPIED).map(|(skill, _)| skill).collect()
}

fn seed_files(skills: &Ledger, files: &[BundledFile]) -> Result<Vec<String>, SkillError> {
    let bundled = by_skill(files);
    let read = |path: &str| skills.root().read(path).map_err(|error| SkillError::file("read", path, error));
    // Usually everything was copied: this takes no lock.
    if bundled.iter().all(|(skill, files)| {
        manifest(read(MANIFEST).ok().flatten().as_ref()).get(*skill).is_some_and(|copied| *copied == digest(files))
    }) {
        return Ok(Vec::new());
    }
    let locked = skills.lock()?;
    let before = read(MANIFEST)?;
    let mut copied = manifest(before.as_ref());
    let (mut changes, mut new) = (Vec::new(), Vec::new());
    for (skill, files) in &bundled {
        let known = copied.get(*skill).cloned();
        if known.as_deref() == Some(&digest(files)) || known.as_deref() == Some(NOT_COPIED) {
            continue;
        }
        let there = files_of(skills, skill)?;
        let is_own = match &known {
            None => there.is_empty(),
            Some(known) => {
                digest(&there.iter().map(|(path, content)| (path.as_str(), &*content.bytes)).collect::<Vec<_>>())
                    == *known
            }
        };
        if is_own {
            changes.extend(replaced(skill, there, files));
            copied.insert((*skill).to_owned(), digest(files));
            new.push((*skill).to_owned());
        } else if known.is_none() {
            copied.insert((*skill).to_owned(), NOT_COPIED.to_owned());
        }
    }
    record(&locked, changes, before, &copied, &new)?;
    Ok(new)
}

/// Writes the files and the manifest: all or none.
fn record(
    locked: &LockedLedger<'_>,
    mut changes: Vec<FileChange>,
    before: Option<Content>,
    copied: &BTreeMap<String, String>,
    new: &[String],
) -> Result<(), SkillError> {
    let mut text = String::new();
    for (skill, digest) in copied {
        let _ = writeln!(text, "{skill} {digest}");
    }
    let after = Some(Content { bytes: text.into_bytes(), is_executable: false });
    if before == after {
        return Ok(());
    }
    changes.push(FileChange { path: MANIFEST.to_owned(), before, after });
    locked.apply(&changes, "toolc", &format!("copy the bundled skills {}", new.join(", ")), None).map(|_| ())
}

/// Returns the changes that replace the files of a skill.
fn replaced(skill: &str, mut there: BTreeMap<String, Content>, files: &[(&str, &[u8])]) -> Vec<FileChange> {
    let mut changes: Vec<FileChange> = files
        .iter()
        .map(|(path, bytes)| {
            let after = Content { bytes: bytes.to_vec(), is_executable: bytes.starts_with(b"#!") };
            FileChange { path: format!("{skill}/{path}"), before: there.remove(*path), after: Some(after) }
        })
        .collect();
    let removed = there.into_iter();
    changes.extend(removed.map(|(path, before)| FileChange {
        path: format!("{skill}/{path}"),
        before: Some(before),
        after: None,
    }));
    changes
}

/// Returns the files in the folder of a skill, by their paths in it.
fn files_of(skills: &Ledger, skill: &str) -> Result<BTreeMap<String, Content>, SkillError> {
    let failed = |error| SkillError::file("read", skill, error);
    let mut files = BTreeMap::new();
    for path in skills.root().files(skill).map_err(failed)? {
        let content = skills.root().read(&path).map_err(failed)?;
        let name = path.strip_prefix(&format!("{skill}/")).unwrap_or(&path).to_owned();
        files.extend(content.map(|content| (name, content)));
    }
    Ok(files)
}

fn by_skill(files: &[BundledFile]) -> BTreeMap<&'static str, Vec<(&'static str, &'static [u8])>> {
    let skills: BTreeSet<&str> = files.iter().map(|(skill, ..)| *skill).collect();
    let of =
        |skill: &str| files.iter().filter(|file| file.0 == skill).map(|(_, path, bytes)| (*path, *bytes)).collect();
    skills.into_iter().map(|skill| (skill, of(skill))).collect()
}

/// Returns the SHA-256 of the sorted files of a skill: of each path, its length, and its bytes.
fn digest(files: &[(&str, &[u8])]) -> String {
    let mut files: Vec<_> = files.to_vec();
    files.sort_unstable();
    let mut digest = Sha256::new();
    for (path, bytes) in files {
        digest.update(format!("{path}\0{}\0", bytes.len()));
        digest.update(bytes);
    }
    hex(&digest.finalize())
}

fn manifest(content: Option<&Content>) -> BTreeMap<String, String> {
    let text = content.map(|content| String::from_utf8_lossy(&content.bytes)).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.rsplit_once(' '));
    pairs.map(|(skill, digest)| (skill.trim().to_owned(), digest.trim().to_owned())).collect()
}
