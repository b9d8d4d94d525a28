//! The versions of files that a task has read or written, to warn it if another program has changed a file since.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The maximum number of files per task. The one noted longest ago is removed first.
const MAX_FILES: usize = 256;

/// The files that a task has read or written.
#[derive(Debug, Default)]
pub(super) struct KnownFiles(Mutex<VecDeque<(PathBuf, FileVersion)>>);

/// The length and time of a file. A change that keeps the length, within the granularity of the clock, is not detected; hashing
/// every file would be too expensive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileVersion {
    len: u64,
    modified: Option<SystemTime>,
}

impl FileVersion {
    pub(super) fn new(meta: &Metadata) -> Self {
        Self { len: meta.len(), modified: meta.modified().ok() }
    }
}

impl KnownFiles {
    /// Notes the version of a file that the task has read or written.
    pub(super) fn note(&self, path: &Path, version: FileVersion) {
        let mut files = self.files();
        files.retain(|(known, _)| known != path);
        if files.len() >= MAX_FILES {
            files.pop_front();
        }
        files.push_back((path.to_owned(), version));
    }

    /// Returns a warning if the noted version of the file is not `current`. `current` is `None` if the file does not exist.
    pub(super) fn warning(&self, path: &Path, current: Option<FileVersion>) -> Option<&'static str> {
        let files = self.files();
        let (_, noted) = files.iter().find(|(known, _)| known == path)?;
        match current {
            Some(current) if current == *noted => None,
            Some(_) => Some("another program changed this file since this task last read it: read it again"),
            None => Some("another program deleted this file since this task last read it: it was created anew"),
        }
    }

    fn files(&self) -> MutexGuard<'_, VecDeque<(PathBuf, FileVersion)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
