//! Records every change of skills with the contents before and after it, so that it can be undone.
//!
//! The folder `.history` of the skills has `entries.jsonl`, with one entry a line, and `contents`, with the files by their SHA-256. A
//! change is written to `pending.json` before its first file is replaced. If the program is killed, the next change, or the next undo,
//! first puts the contents before the change back.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::SkillError;
use crate::root::{self, Content, FileChange, Root};

/// The folder of the ledger in the folder of the skills.
const FOLDER: &str = ".history";
/// The maximum size of all contents, in bytes. The oldest entries are removed first.
const MAX_BYTES: u64 = 5 << 20;
/// The maximum number of entries.
const MAX_ENTRIES: usize = 1_000;
/// The maximum size of the list of entries, in bytes.
const MAX_LIST: u64 = 8 << 20;
/// How long to wait while another process writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A recorded change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// The number of the entry, from 1.
    pub id: u64,
    /// When the change was made, in RFC 3339.
    pub time: String,
    /// Who made it: a conversation, or a person.
    pub by: String,
    /// What was done, such as `patch deploy`.
    pub what: String,
    /// The files, each with its contents before and after the change.
    pub files: Vec<LedgerFile>,
    /// The entry that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
}

/// A file of a recorded change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LedgerFile {
    /// The path in the folder of the skills.
    pub path: String,
    /// The content before the change, or `None` if the file did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<StoredContent>,
    /// The content after the change, or `None` if the file was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<StoredContent>,
}

/// A content of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredContent {
    /// The SHA-256 of the bytes, in hexadecimal digits.
    pub sha256: String,
    /// The number of bytes.
    pub bytes: u64,
    /// Whether the file is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_executable: bool,
}

/// The history of the skills in a folder.
#[derive(Debug, Clone)]
pub struct Ledger {
    root: Root,
    folder: PathBuf,
}

/// The ledger while no other process or thread changes skills.
#[derive(Debug)]
pub(crate) struct LockedLedger<'l> {
    ledger: &'l Ledger,
    _lock: File,
}

impl Ledger {
    /// Returns the history of the skills in a folder.
    pub fn new(skills: impl Into<PathBuf>) -> Self {
        let root = Root::new(skills);
        let folder = root.folder().join(FOLDER);
        Self { root, folder }
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// Returns all entries, the oldest first.
    ///
    /// # Errors
    /// If the list cannot be read, or a line of it is damaged.
    pub fn entries(&self) -> Result<Vec<LedgerEntry>, SkillError> {
        let path = self.folder.join("entries.jsonl");
        let text = read_text(&path, MAX_LIST).map_err(|error| SkillError::io("read", &path, error))?;
        let mut entries = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(entry) => entries.push(entry),
                // A line that was cut by a crash is the last one, and has no line break.
                Err(_) if !text.ends_with('\n') && text.lines().count() == number => {}
                Err(error) => {
                    return Err(SkillError::new(format!("{}:{number}: the entry is damaged: {error}", path.display())));
                }
            }
        }
        Ok(entries)
    }

    /// Returns the difference that an entry made, for a person.
    ///
    /// # Errors
    /// If the contents cannot be read.
    pub fn diff(&self, entry: &LedgerEntry) -> Result<String, SkillError> {
        let mut text = String::new();
        for file in &entry.files {
            let content =
                |stored: &Option<StoredContent>| stored.as_ref().map(|stored| self.content(stored)).transpose();
            let (before, after) = (content(&file.before)?, content(&file.after)?);
            let lossy = |content: &Option<Content>| {
                content.as_ref().map(|content| String::from_utf8_lossy(&content.bytes).into_owned())
            };
            text += &toolc_files::text_diff(&file.path, lossy(&before).as_deref(), lossy(&after).as_deref());
        }
        Ok(text)
    }

    /// Undoes an entry: every file gets the content from before it. Returns the entry that records this.
    ///
    /// # Errors
    /// If the entry is unknown, a file has changed since, or a file cannot be written. Then all files are as before.
    pub fn undo(&self, id: u64, by: &str) -> Result<LedgerEntry, SkillError> {
        let locked = self.lock()?;
        let entries = self.entries()?;
        let entry = entries.iter().find(|entry| entry.id == id);
        let entry = entry.ok_or_else(|| SkillError::new(format!("the history has no change {id}")))?;
        let mut changes = Vec::new();
        for file in &entry.files {
            let now = self.root.read(&file.path).map_err(|error| SkillError::file("read", &file.path, error))?;
            if now.as_ref().map(stored) != file.after {
                let later =
                    entries.iter().rev().find(|other| other.id > id && other.files.iter().any(|f| f.path == file.path));
                let advice = later.map_or_else(
                    || "it was changed outside of this program".to_owned(),
                    |later| format!("undo the change {} first", later.id),
                );
                return Err(SkillError::new(format!("`{}` has changed since the change {id}: {advice}", file.path)));
            }
            let before = file.before.as_ref().map(|before| self.content(before)).transpose()?;
            changes.push(FileChange { path: file.path.clone(), before: now, after: before });
        }
        locked.apply(&changes, by, &format!("undo {}", entry.what), Some(id))
    }

    /// Waits until no other process or thread changes skills, and puts back what a killed one has left half done.
    pub(crate) fn lock(&self) -> Result<LockedLedger<'_>, SkillError> {
        let path = self.folder.join("lock");
        let failed = |error: io::Error| SkillError::io("lock", &path, error);
        root::create_folders(&self.folder.join("contents")).map_err(failed)?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if started.elapsed() > BUSY_TIMEOUT => {
                    return Err(SkillError::new("another process changes skills: try again later"));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
        let locked = LockedLedger { ledger: self, _lock: lock };
        locked.recover()?;
        Ok(locked)
    }

    fn content_path(&self, sha256: &str) -> PathBuf {
        self.folder.join("contents").join(sha256)
    }

    fn content(&self, stored: &StoredContent) -> Result<Content, SkillError> {
        let path = self.content_path(&stored.sha256);
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(root::MAX_FILE as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| SkillError::io("read", &path, error))?;
        if sha256(&bytes) != stored.sha256 {
            return Err(SkillError::new(format!("{} is damaged: it has another digest than its name", path.display())));
        }
        Ok(Content { bytes, is_executable: stored.is_executable })
    }
}

impl LockedLedger<'_> {
    /// Makes changes of files and records them: all or none.
    pub(crate) fn apply(
        &self,
        changes: &[FileChange],
        by: &str,
        what: &str,
        undoes: Option<u64>,
    ) -> Result<LedgerEntry, SkillError> {
        let mut entries = self.ledger.entries()?;
        let entry = LedgerEntry {
            id: entries.last().map_or(1, |last| last.id + 1),
            time: Timestamp::now().to_string(),
            by: by.to_owned(),
            what: what.to_owned(),
            files: changes.iter().map(recorded).collect(),
            undoes,
        };
        for content in changes.iter().flat_map(|change| [&change.before, &change.after]).flatten() {
            self.store(content)?;
        }
        self.write_json("pending.json", &entry)?;
        for change in changes {
            if let Err(error) = self.put(&change.path, change.after.as_ref()) {
                self.recover()?;
                return Err(error);
            }
        }
        entries.push(entry.clone());
        self.write_entries(entries)?;
        self.remove_pending()?;
        Ok(entry)
    }

    /// Puts back the contents from before a change that was not finished.
    fn recover(&self) -> Result<(), SkillError> {
        let path = self.ledger.folder.join("pending.json");
        let text = read_text(&path, MAX_LIST).map_err(|error| SkillError::io("read", &path, error))?;
        if text.is_empty() {
            return Ok(());
        }
        let pending: LedgerEntry = serde_json::from_str(&text)
            .map_err(|error| SkillError::new(format!("{} is damaged: {error}; move it away", path.display())))?;
        // The last step was the entry: only the mark is left.
        if self.ledger.entries()?.last().is_some_and(|last| *last == pending) {
            return self.remove_pending();
        }
        for file in &pending.files {
            let now = self.ledger.root.read(&file.path);
            let now = now.map_err(|error| SkillError::file("read", &file.path, error))?;
            // A file that another program has changed in the meantime is left alone.
            if now.as_ref().map(stored) == file.after {
                let before = file.before.as_ref().map(|before| self.ledger.content(before)).transpose()?;
                self.put(&file.path, before.as_ref())?;
            }
        }
        self.remove_pending()
    }

    fn put(&self, path: &str, content: Option<&Content>) -> Result<(), SkillError> {
        let root = &self.ledger.root;
        match content {
            Some(content) => root.write(path, content).map_err(|error| SkillError::file("write", path, error)),
            None => root.remove(path).map_err(|error| SkillError::file("remove", path, error)),
        }
    }

    fn store(&self, content: &Content) -> Result<(), SkillError> {
        let path = self.ledger.content_path(&sha256(&content.bytes));
        if fs::metadata(&path).is_ok_and(|meta| meta.len() == content.bytes.len() as u64) {
            return Ok(());
        }
        let content = Content { bytes: content.bytes.clone(), is_executable: false };
        root::replace(&path, &content).map_err(|error| SkillError::io("write", &path, error))
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), SkillError> {
        let path = self.ledger.folder.join(name);
        let bytes = serde_json::to_vec(value).map_err(|error| SkillError::io("write", &path, error.into()))?;
        let content = Content { bytes, is_executable: false };
        root::replace(&path, &content).map_err(|error| SkillError::io("write", &path, error))
    }

    fn remove_pending(&self) -> Result<(), SkillError> {
        let path = self.ledger.folder.join("pending.json");
        fs::remove_file(&path).map_err(|error| SkillError::io("remove", &path, error))?;
        root::sync(&self.ledger.folder);
        Ok(())
    }

    /// Writes the list without the oldest entries, as far as they exceed the limits, and removes contents that it does not need.
    fn write_entries(&self, mut entries: Vec<LedgerEntry>) -> Result<(), SkillError> {
        let excess = entries.len().saturating_sub(MAX_ENTRIES);
        entries.drain(..excess);
        // The last entry stays, whatever its size: it is what a person most likely wants to undo.
        while entries.len() > 1 && total_bytes(&entries) > MAX_BYTES {
            entries.remove(0);
        }
        let mut text = String::new();
        for entry in &entries {
            let line = serde_json::to_string(entry).map_err(|error| SkillError::new(error.to_string()))?;
            let _ = writeln!(text, "{line}");
        }
        let path = self.ledger.folder.join("entries.jsonl");
        let content = Content { bytes: text.into_bytes(), is_executable: false };
        root::replace(&path, &content).map_err(|error| SkillError::io("write", &path, error))?;
        let needed: BTreeSet<&str> = contents(&entries).map(|content| content.sha256.as_str()).collect();
        let folder = self.ledger.folder.join("contents");
        // What cannot be removed now is removed after a later change.
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            if file.file_name().to_str().is_none_or(|name| !needed.contains(name)) {
                let _ = fs::remove_file(file.path());
            }
        }
        Ok(())
    }
}

fn contents(entries: &[LedgerEntry]) -> impl Iterator<Item = &StoredContent> {
    entries.iter().flat_map(|entry| &entry.files).flat_map(|file| [&file.before, &file.after]).flatten()
}

fn total_bytes(entries: &[LedgerEntry]) -> u64 {
    let distinct: BTreeSet<(&str, u64)> =
        contents(entries).map(|content| (content.sha256.as_str(), content.bytes)).collect();
    distinct.iter().map(|(_, bytes)| bytes).sum()
}

fn recorded(change: &FileChange) -> LedgerFile {
    let FileChange { path, before, after } = change;
    LedgerFile { path: path.clone(), before: before.as_ref().map(stored), after: after.as_ref().map(stored) }
}

fn stored(content: &Content) -> StoredContent {
    StoredContent {
        sha256: sha256(&content.bytes),
        bytes: content.bytes.len() as u64,
        is_executable: content.is_executable,
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads a file of the ledger. A missing file counts as empty.
fn read_text(path: &Path, max: u64) -> io::Result<String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        file => file?,
    };
    let mut text = String::new();
    file.take(max + 1).read_to_string(&mut text)?;
    if text.len() as u64 > max {
        return Err(io::Error::other(format!("the file has more than {max} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content { bytes: text.as_bytes().to_vec(), is_executable: false }
    }

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
        FileChange { path: path.to_owned(), before: before.map(content), after: after.map(content) }
    }

    fn text(ledger: &Ledger, path: &str) -> Option<String> {
        let content = ledger.root.read(path).expect("the file can be read")?;
        Some(String::from_utf8(content.bytes).expect("UTF-8"))
    }

    #[test]
    fn a_change_is_undone_and_the_undoing_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::new(folder.path());
        let apply = |changes: &[FileChange]| ledger.lock().expect("a lock").apply(changes, "test", "change", None);
        apply(&[change("a/SKILL.md", None, Some("one"))]).expect("the file is written");
        let second = [change("a/SKILL.md", Some("one"), Some("two")), change("a/scripts/x.sh", None, Some("echo"))];
        let entry = apply(&second).expect("the files are written");
        let undone = ledger.undo(entry.id, "person").expect("the change is undone");
        assert_eq!((text(&ledger, "a/SKILL.md").as_deref(), text(&ledger, "a/scripts/x.sh")), (Some("one"), None));
        assert!(!folder.path().join("a/scripts").exists());
        ledger.undo(undone.id, "person").expect("the undoing is undone");
        assert_eq!(text(&ledger, "a/scripts/x.sh").as_deref(), Some("echo"));
        let ids: Vec<_> = ledger.entries().expect("entries").iter().map(|entry| (entry.id, entry.undoes)).collect();
        assert_eq!(ids, [(1, None), (2, None), (3, Some(2)), (4, Some(3))]);
    }

    #[test]
    fn a_change_is_not_undone_over_a_later_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::new(folder.path());
        let apply = |before, after| {
            ledger.lock().expect("a lock").apply(&[change("a/SKILL.md", before, after)], "test", "change", None)
        };
        apply(None, Some("one")).expect("the file is written");
        apply(Some("one"), Some("two")).expect("the file is written");
        let error = ledger.undo(1, "person").expect_err("a later change").to_string();
        assert!(error.ends_with("undo the change 2 first"), "{error}");
        fs::write(folder.path().join("a/SKILL.md"), "mine").expect("a file");
        let error = ledger.undo(2, "person").expect_err("an edit").to_string();
        assert!(error.ends_with("it was changed outside of this program"), "{error}");
        assert_eq!(text(&ledger, "a/SKILL.md").as_deref(), Some("mine"));
    }

    #[test]
    fn a_change_that_was_interrupted_is_taken_back_by_the_next_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::new(folder.path());
        let changes = [change("a/SKILL.md", Some("one"), Some("two")), change("b/SKILL.md", None, Some("new"))];
        fs::create_dir_all(folder.path().join("a")).expect("a folder");
        fs::write(folder.path().join("a/SKILL.md"), "one").expect("a file");
        let locked = ledger.lock().expect("a lock");
        changes.iter().flat_map(|change| [&change.before, &change.after]).flatten().for_each(|content| {
            locked.store(content).expect("the content is stored");
        });
        let files = changes.iter().map(recorded).collect();
        let pending =
            LedgerEntry { id: 1, time: String::new(), by: String::new(), what: String::new(), files, undoes: None };
        locked.write_json("pending.json", &pending).expect("the mark is written");
        locked.put("a/SKILL.md", changes[0].after.as_ref()).expect("the first file is written");
        drop(locked);
        drop(ledger.lock().expect("a lock"));
        assert_eq!((text(&ledger, "a/SKILL.md").as_deref(), text(&ledger, "b/SKILL.md")), (Some("one"), None));
        assert!(ledger.entries().expect("entries").is_empty());
    }

    #[test]
    fn a_failed_change_leaves_all_files_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::new(folder.path());
        fs::write(folder.path().join("file"), "in the way").expect("a file");
        let changes = [change("a/SKILL.md", None, Some("new")), change("file/SKILL.md", None, Some("new"))];
        let failed = ledger.lock().expect("a lock").apply(&changes, "test", "change", None);
        assert!(failed.is_err() && text(&ledger, "a/SKILL.md").is_none(), "{failed:?}");
        assert!(ledger.entries().expect("entries").is_empty());
    }

    #[test]
    fn old_entries_and_their_contents_are_removed_at_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::new(folder.path());
        let large = |number: usize| number.to_string().repeat(900_000);
        for number in 0..9_usize {
            let before = number.checked_sub(1).map(large);
            let changes = [change("a/references/x", before.as_deref(), Some(&large(number)))];
            ledger.lock().expect("a lock").apply(&changes, "test", "change", None).expect("the file is written");
        }
        let entries = ledger.entries().expect("entries");
        assert!(total_bytes(&entries) <= MAX_BYTES && entries.last().is_some_and(|last| last.id == 9));
        let stored = fs::read_dir(folder.path().join(".history/contents")).expect("a folder").count();
        assert_eq!(stored, contents(&entries).map(|content| &content.sha256).collect::<BTreeSet<_>>().len());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_redirects_no_change() {
        let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a")).expect("a link");
        let ledger = Ledger::new(folder.path());
        let changes = [change("a/SKILL.md", None, Some("new"))];
        let error = ledger.lock().expect("a lock").apply(&changes, "test", "change", None).expect_err("a link");
        assert!(error.to_string().ends_with("is a link"), "{error}");
        assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    }
}
