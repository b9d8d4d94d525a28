//! Versions of files, by which a later change is detected.

use std::fs::Metadata;
use std::time::SystemTime;

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

    /// Returns whether the file has no content.
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }
}
