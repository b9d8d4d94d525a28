//! The state in which a task last saw each file, to warn it if something else has changed the file since.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// As many files as are remembered for one task; the one seen longest ago is forgotten first.
const MOST_FILES: usize = 256;

/// The files that one task has read or written.
#[derive(Debug, Default)]
pub(super) struct KnownFiles(Mutex<VecDeque<(PathBuf, FileVersion)>>);

/// What changes when a file's content does. A write within the clock's granularity that keeps the length goes
/// unnoticed; hashing every file read would cost more than that is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileVersion {
    len: u64,
    modified: Option<SystemTime>,
}

impl FileVersion {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self { len: meta.len(), modified: meta.modified().ok() }
    }
}

impl KnownFiles {
    /// The task knows the file as it is now.
    pub(super) fn note(&self, path: &Path, stamp: FileVersion) {
        let mut files = self.files();
        files.retain(|(known, _)| known != path);
        if files.len() >= MOST_FILES {
            files.pop_front();
        }
        files.push_back((path.to_owned(), stamp));
    }

    /// A warning if the file is not as the task last saw it. `None` for a file that it never saw.
    pub(super) fn warning(&self, path: &Path, now: Option<FileVersion>) -> Option<&'static str> {
        let files = self.files();
        let (_, before) = files.iter().find(|(known, _)| known == path)?;
        match now {
            Some(now) if now == *before => None,
            Some(_) => Some("something else changed this file since it was last read in this task: read it again"),
            None => Some("something else deleted this file since it was last read in this task: it is new now"),
        }
    }

    fn files(&self) -> MutexGuard<'_, VecDeque<(PathBuf, FileVersion)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
