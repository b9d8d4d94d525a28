//! Creates new projects, tools with their handlers and tests, and other manifests.
//!
//! [`project`] has the files of a new project, [`toolc_source`] says where it gets toolc's crates from, [`manifests`] the text of new manifests, [`handler`] changes the Rust source of a
//! project, and [`program`] writes programs in other languages. They return texts; only [`FileChanges`] writes.

pub(crate) mod handler;
pub(crate) mod manifests;
pub(crate) mod program;
pub(crate) mod project;
mod rust_file;
pub(crate) mod toolc_source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::project::write_target;

/// Files to create or replace, all or none.
#[derive(Debug, Default)]
pub(crate) struct FileChanges(Vec<FileChange>);

#[derive(Debug)]
struct FileChange {
    path: PathBuf,
    /// The current text, or `None` if the file is created.
    before: Option<String>,
    after: String,
}

impl FileChanges {
    /// Creates a file, which must not exist.
    pub(crate) fn create(&mut self, path: PathBuf, text: String) {
        self.0.push(FileChange { path, before: None, after: text });
    }

    /// Replaces the text of a file. If all lines of the file end in CRLF, so do the new ones.
    pub(crate) fn replace(&mut self, path: PathBuf, before: String, mut after: String) {
        let line_breaks = before.matches('\n').count();
        if line_breaks > 0 && line_breaks == before.matches("\r\n").count() {
            after = after.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        self.0.push(FileChange { path, before: Some(before), after });
    }

    /// Returns the files, in the order in which they were added.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|change| change.path.as_path())
    }

    /// Writes all files. If one cannot be written, the others are restored, and new folders are removed.
    ///
    /// # Errors
    /// If a file to create exists, or a file cannot be written.
    pub(crate) fn apply(&self) -> Result<(), Failure> {
        let exists = |change: &&FileChange| change.before.is_none() && change.path.symlink_metadata().is_ok();
        let existing: Vec<String> =
            self.0.iter().filter(exists).map(|change| change.path.display().to_string()).collect();
        if !existing.is_empty() {
            return Err(Failure::new(format!(
                "nothing was written, because these files exist: {}",
                existing.join(", ")
            )));
        }
        let new_folders = self.new_folders();
        for (index, change) in self.0.iter().enumerate() {
            if let Err(failure) = write_target(&change.path, &change.after) {
                self.0[..index].iter().for_each(FileChange::undo);
                // The deepest first. One with files of another program is not removed.
                new_folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Returns the folders that do not exist yet, each after its parent.
    fn new_folders(&self) -> BTreeSet<&Path> {
        let parents = self.0.iter().flat_map(|change| change.path.ancestors().skip(1));
        parents.filter(|folder| !folder.as_os_str().is_empty() && folder.symlink_metadata().is_err()).collect()
    }
}

impl FileChange {
    /// Restores the file after it was written. A failure is ignored, because another one is being reported.
    fn undo(&self) {
        match &self.before {
            Some(text) => drop(write_target(&self.path, text)),
            None => drop(fs::remove_file(&self.path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_written_all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "1").unwrap();
        fs::write(path("file"), "").unwrap();
        let mut changes = FileChanges::default();
        changes.replace(path("a"), "1".to_owned(), "2".to_owned());
        changes.create(path("new/b"), "b".to_owned());
        // The parent is a file.
        changes.create(path("file/c"), "c".to_owned());
        assert!(changes.apply().is_err());
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "1");
        assert!(!path("new/b").exists());

        let mut changes = FileChanges::default();
        changes.create(path("new/b"), "b".to_owned());
        changes.create(path("a"), "2".to_owned());
        let message = changes.apply().unwrap_err().to_string();
        assert!(message.starts_with("nothing was written, because these files exist: "), "{message}");
        assert!(!path("new/b").exists());
    }

    #[test]
    fn folders_that_a_failure_leaves_empty_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "").unwrap();
        fs::create_dir(path("mine")).unwrap();
        let mut changes = FileChanges::default();
        for name in ["new/deep/a", "mine/deep/b", "file/c"] {
            changes.create(path(name), String::new());
        }
        assert!(changes.apply().is_err());
        assert!(!path("new").exists());
        assert!(path("mine").exists() && !path("mine/deep").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_remains_a_link_and_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("real"), "1").unwrap();
        fs::set_permissions(path("real"), fs::Permissions::from_mode(0o750)).unwrap();
        std::os::unix::fs::symlink("real", path("link")).unwrap();
        let mut changes = FileChanges::default();
        changes.replace(path("link"), "1".to_owned(), "2".to_owned());
        changes.apply().unwrap();
        assert!(path("link").symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(path("real")).unwrap(), "2");
        assert_eq!(fs::metadata(path("real")).unwrap().permissions().mode() & 0o777, 0o750);
    }
}
