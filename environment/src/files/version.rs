//! Versions of files, which make it possible to detect later changes.

use std::error::Error;
use std::fmt;
use std::io;

/// The length of a file and the time of its last change. A change is not detected if it keeps the length and occurs within the granularity
/// of the clock. Hashing every file would be too expensive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The length in bytes.
    pub len: u64,
    /// The time of the last change in nanoseconds since 1970, or `None` if it is unknown.
    pub modified: Option<i128>,
}

impl Version {
    /// Returns whether the file has no content.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The error if a file does not have the expected version: another program has changed, replaced or removed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionMismatch;

impl VersionMismatch {
    /// Returns whether an error was made from `VersionMismatch`.
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Self>)
    }
}

impl fmt::Display for VersionMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another program has changed the file in the meantime")
    }
}

impl Error for VersionMismatch {}

impl From<VersionMismatch> for io::Error {
    fn from(mismatch: VersionMismatch) -> Self {
        Self::other(mismatch)
    }
}
