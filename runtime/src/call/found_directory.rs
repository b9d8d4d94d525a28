//! The directory in which a command starts.

use std::path::PathBuf;

/// The directory in which a command starts, as its handlers have found it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDirectory {
    /// The absolute path, without symbolic links.
    pub path: PathBuf,
    /// What tells the folder from another one that takes its place later: its device and its inode. The handler gets it from
    /// [`Call::start_identity`](crate::Call::start_identity).
    pub identity: Option<(u64, u64)>,
}

impl From<PathBuf> for FoundDirectory {
    fn from(path: PathBuf) -> Self {
        Self { path, identity: None }
    }
}

impl From<&str> for FoundDirectory {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}
