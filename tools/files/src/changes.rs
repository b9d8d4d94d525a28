//! The files that the calls of a task have changed, with their contents before, so that a person can take the changes back.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use toolc_environment::files::{Expected, Metadata, Permissions, WriteOptions};
use toolc_environment::{Environment, Files};

use crate::task_files::TaskFiles;

/// The maximum size of a file whose content is kept, in bytes.
const MAX_FILE: usize = 4 << 20;
/// The maximum size of all contents that are kept, in bytes.
const MAX_ALL: usize = 64 << 20;
/// The maximum number of turns whose changes are kept.
const MAX_TURNS: usize = 50;

/// The files that `write_file` and `patch` have changed, by turn: each [`begin`](Self::begin) begins one. The state of a task; without a call of
/// `begin`, nothing is kept. For new changes, those of the oldest turns are forgotten if they are too large together.
#[derive(Debug, Default)]
pub struct ChangeLog {
    changes: Mutex<Changes>,
    /// The log to which the changes of this task are added instead.
    joined: OnceLock<Arc<Self>>,
}

#[derive(Debug, Default)]
struct Changes {
    /// The number of the current turn, or `None` if nothing is kept.
    turn: Option<u64>,
    /// The changed files of the current turn.
    files: Vec<Change>,
    /// The size of their contents.
    bytes: usize,
    /// The earlier turns with changes that are not undone.
    earlier: VecDeque<EarlierTurn>,
}

/// A turn that has changed files.
#[derive(Debug)]
struct EarlierTurn {
    turn: u64,
    files: Vec<Change>,
    bytes: usize,
}

impl Changes {
    /// Ends the current turn. Its changes can still be undone.
    fn end_turn(&mut self) {
        let (files, bytes) = (std::mem::take(&mut self.files), std::mem::take(&mut self.bytes));
        if let Some(turn) = self.turn.filter(|_| !files.is_empty()) {
            self.earlier.push_back(EarlierTurn { turn, files, bytes });
        }
        if self.earlier.len() > MAX_TURNS {
            self.earlier.pop_front();
        }
    }

    /// Returns whether contents of this size can be kept. Forgets the oldest turns for them.
    fn make_room(&mut self, bytes: usize) -> bool {
        let all = |changes: &Self| changes.bytes + changes.earlier.iter().map(|turn| turn.bytes).sum::<usize>();
        while all(self) + bytes > MAX_ALL && self.earlier.pop_front().is_some() {}
        self.bytes + bytes <= MAX_ALL
    }
}

/// A changed file.
#[derive(Debug)]
struct Change {
    environment: Arc<dyn Environment>,
    path: PathBuf,
    /// The path for people.
    shown: String,
    before: Content,
    permissions: Option<Permissions>,
    after: Content,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Missing,
    Bytes(Vec<u8>),
    /// The content was too large to be kept.
    TooLarge,
}

/// What has become of the change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// The path for people.
    pub path: String,
    /// What was done, or why nothing was done.
    pub outcome: UndoOutcome,
}

/// What was done to undo the change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UndoOutcome {
    /// The file has its earlier content again.
    Restored,
    /// The file, which was new, is removed.
    Removed,
    /// The file has not changed: why.
    Kept(String),
}

impl Content {
    /// Returns a content that is not too large to be kept.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        if bytes.len() > MAX_FILE { Self::TooLarge } else { Self::Bytes(bytes.to_vec()) }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Missing | Self::TooLarge => 0,
        }
    }
}

impl From<Option<&str>> for Content {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Missing, |text| Self::from_bytes(text.as_bytes()))
    }
}

impl ChangeLog {
    /// Begins a turn, and returns its number. The changes that follow belong to it.
    pub fn begin(&self) -> u64 {
        let mut changes = self.changes();
        changes.end_turn();
        let turn = changes.turn.map_or(0, |turn| turn + 1);
        changes.turn = Some(turn);
        turn
    }

    /// Adds the changes of this task to another log from now on, such as the log of the task that has delegated this one. Only the first
    /// call has an effect. `log` must not be joined to this log.
    pub fn join(&self, log: Arc<Self>) {
        let _ = self.joined.set(log);
    }

    /// Undoes the changes of the last turn that has any, and forgets them: the next call undoes those of the turn before it. A file that
    /// something else has changed since stays as it is. Returns the number of the turn and what was done to each file, in the order of their first
    /// change, which is also the order in which they are undone. Returns `None` if no turn has changes that are not undone. Blocks until the
    /// environment has written the files.
    pub fn undo(&self) -> Option<(u64, Vec<Undone>)> {
        let mut changes = self.changes();
        changes.end_turn();
        let EarlierTurn { turn, files, .. } = changes.earlier.pop_back()?;
        drop(changes);
        let undone = files.iter().map(|change| Undone { path: change.shown.clone(), outcome: change.undo() });
        Some((turn, undone.collect()))
    }

    /// Returns whether changes are kept.
    pub(crate) fn is_on(&self) -> bool {
        self.changes().turn.is_some()
    }

    /// Records that a file was changed. A file that was changed before keeps the content that it had before the first change.
    pub(crate) fn add(&self, task: &TaskFiles, path: &Path, before: (Content, Option<Permissions>), after: Content) {
        let mut changes = self.changes();
        if changes.turn.is_none() {
            return;
        }
        let environment = task.environment();
        let is_same = |change: &&mut Change| change.path == path && change.environment.name() == environment.name();
        if let Some(known) = changes.files.iter_mut().find(is_same) {
            let (old, new) = (known.after.len(), after.len());
            known.after = after;
            changes.bytes = changes.bytes + new - old;
            return;
        }
        let (mut before, permissions) = before;
        let mut after = after;
        if !changes.make_room(before.len() + after.len()) {
            (before, after) = (Content::TooLarge, Content::TooLarge);
        }
        changes.bytes += before.len() + after.len();
        let shown = task.show(path);
        changes.files.push(Change { environment, path: path.to_owned(), shown, before, permissions, after });
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        match self.joined.get() {
            Some(log) => log.changes(),
            None => self.changes.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Change {
    fn undo(&self) -> UndoOutcome {
        let files = self.environment.files();
        match self.restore(&*files) {
            Ok(outcome) => outcome,
            Err(error) => UndoOutcome::Kept(error.to_string()),
        }
    }

    fn restore(&self, files: &dyn Files) -> io::Result<UndoOutcome> {
        if self.before == Content::TooLarge || self.after == Content::TooLarge {
            return Ok(UndoOutcome::Kept("its content was too large to be kept".to_owned()));
        }
        let (now, metadata) = read(files, &self.path)?;
        if now != self.after {
            return Ok(UndoOutcome::Kept("it has been changed since".to_owned()));
        }
        match (&self.before, metadata) {
            (Content::Bytes(before), metadata) => {
                if let (None, Some(folder)) = (&metadata, self.path.parent()) {
                    files.create_folders(folder)?;
                }
                let expected = metadata.map_or(Expected::Nothing, |now| Expected::Version(now.version));
                files.write(&self.path, before, &WriteOptions { expected, permissions: self.permissions })?;
                Ok(UndoOutcome::Restored)
            }
            (_, Some(metadata)) => files.remove(&self.path, metadata.version).map(|()| UndoOutcome::Removed),
            (_, None) => Ok(UndoOutcome::Restored),
        }
    }
}

/// Reads the content of a file, if it is not too large.
pub(crate) fn read(files: &dyn Files, path: &Path) -> io::Result<(Content, Option<Metadata>)> {
    match files.metadata(path) {
        Ok(_) => {
            let (bytes, metadata) = files.read(path, 0, MAX_FILE + 1)?;
            Ok((Content::from_bytes(&bytes), Some(metadata)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((Content::Missing, None)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toolc_catalog::file::patch::{Args, Mode};
    use toolc_catalog::file::{FileTools, read_file, write_file};

    use super::*;
    use crate::fixture::{Fixture, fixture};

    fn write(f: &Fixture, path: &str, content: &str) {
        let args = write_file::Args { path: path.into(), content: content.into() };
        f.handlers.write_file(args, &f.call()).expect("it can be written");
    }

    fn read_all(f: &Fixture, path: &str) {
        let args = read_file::Args { path: path.into(), offset: 1, limit: 500, column: 1 };
        f.handlers.read_file(args, &f.call()).expect("it can be read");
    }

    fn apply(f: &Fixture, text: &str) {
        let patch = Some(text.to_owned());
        let args =
            Args { mode: Mode::Patch, path: None, old_string: None, new_string: None, replace_all: false, patch };
        f.handlers.patch(args, &f.call()).expect("it can be patched");
    }

    fn undo(f: &Fixture) -> Vec<(String, UndoOutcome)> {
        let undone = f.call().state::<ChangeLog>().undo().map(|(_, files)| files).unwrap_or_default();
        undone.into_iter().map(|undone| (undone.path, undone.outcome)).collect()
    }

    fn begin(f: &Fixture) {
        f.call().state::<ChangeLog>().begin();
    }

    #[test]
    fn new_changed_moved_and_removed_files_are_as_they_were() {
        let f = fixture();
        for (name, content) in [("a", "one\n"), ("old", "x\n"), ("gone", "y\n")] {
            f.put(name, content);
            read_all(&f, name);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(f.dir.path().join("a"), fs::Permissions::from_mode(0o750)).expect("it can be changed");
            read_all(&f, "a");
        }
        begin(&f);
        write(&f, "a", "two\n");
        write(&f, "a", "three\n");
        write(&f, "folder/new", "new\n");
        apply(
            &f,
            "*** Begin Patch\n*** Update File: old\n*** Move to: moved\n@@\n-x\n+z\n*** Delete File: gone\n*** End Patch\n",
        );
        let undone = undo(&f);
        assert_eq!(undone.len(), 5, "{undone:?}");
        for (path, outcome) in &undone {
            let expected =
                if ["moved", "folder/new"].contains(&&**path) { UndoOutcome::Removed } else { UndoOutcome::Restored };
            assert_eq!(*outcome, expected, "{path}");
        }
        assert_eq!([f.get("a"), f.get("old"), f.get("gone")], ["one\n", "x\n", "y\n"]);
        assert!(!f.dir.path().join("moved").exists() && !f.dir.path().join("folder/new").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(f.dir.path().join("a")).expect("it exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o750);
        }
        assert_eq!(undo(&f), [], "what was undone is forgotten");
    }

    #[test]
    fn a_file_that_was_changed_since_is_kept() {
        let f = fixture();
        f.put("a", "one\n");
        read_all(&f, "a");
        begin(&f);
        write(&f, "a", "two\n");
        write(&f, "b", "new\n");
        write(&f, "c", "new\n");
        f.put("a", "of the person\n");
        fs::remove_file(f.dir.path().join("b")).expect("it exists");
        let kept = || UndoOutcome::Kept("it has been changed since".to_owned());
        let expected = [("a", kept()), ("b", kept()), ("c", UndoOutcome::Removed)];
        assert_eq!(undo(&f), expected.map(|(path, outcome)| (path.to_owned(), outcome)));
        assert_eq!(f.get("a"), "of the person\n");
    }

    #[test]
    fn turns_are_undone_one_after_another_and_those_without_changes_are_skipped() {
        let f = fixture();
        let log = f.call().state::<ChangeLog>();
        let mut turns = Vec::new();
        for (path, content) in [("a", "one\n"), ("a", "two\n")] {
            turns.push(log.begin());
            write(&f, path, content);
        }
        log.begin();
        log.begin();
        let undo = || log.undo().map(|(turn, files)| (turn, files[0].outcome.clone()));
        assert_eq!(undo(), Some((turns[1], UndoOutcome::Restored)));
        assert_eq!(f.get("a"), "one\n");
        assert_eq!(undo(), Some((turns[0], UndoOutcome::Removed)));
        assert_eq!(undo(), None);
        // A change after an undo in the same turn.
        write(&f, "b", "new\n");
        assert_eq!(undo().map(|(_, outcome)| outcome), Some(UndoOutcome::Removed));
    }

    #[test]
    fn the_oldest_turns_are_forgotten_for_new_changes() {
        let f = fixture();
        let log = f.call().state::<ChangeLog>();
        let content = "x".repeat(MAX_FILE);
        let fitting = MAX_ALL / MAX_FILE;
        for number in 0..=fitting {
            log.begin();
            write(&f, &format!("f{number}"), &content);
        }
        let undone = std::iter::from_fn(|| log.undo()).flat_map(|(_, files)| files);
        let removed = undone.filter(|file| file.outcome == UndoOutcome::Removed).count();
        assert_eq!((removed, f.dir.path().join("f0").exists()), (fitting, true));
        for number in 0..=MAX_TURNS {
            log.begin();
            write(&f, &format!("g{number}"), "");
        }
        log.begin();
        assert_eq!(std::iter::from_fn(|| log.undo()).count(), MAX_TURNS);
    }

    #[test]
    fn changes_before_begin_and_large_files_are_not_kept() {
        let f = fixture();
        write(&f, "a", "one\n");
        assert_eq!(undo(&f), []);
        begin(&f);
        write(&f, "large", &"x".repeat(MAX_FILE + 1));
        let kept = UndoOutcome::Kept("its content was too large to be kept".to_owned());
        assert_eq!(undo(&f), [("large".to_owned(), kept)]);
    }
}
