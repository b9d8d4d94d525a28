//! A folder of this machine that programs do not see.

use std::path::{Path, PathBuf};

/// A folder that a program and its processes do not see: see [`Process::hide`](crate::Process::hide). In its place is an empty folder that
/// cannot be changed. Every other path that leads to the folder is hidden, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenFolder {
    /// The folder.
    pub(crate) path: PathBuf,
    /// What programs see of it.
    pub(crate) shown: Vec<Shown>,
}

/// A part of a hidden folder that programs see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The path in the hidden folder.
    pub(crate) path: PathBuf,
    pub(crate) writable: bool,
}

impl HiddenFolder {
    /// Hides a folder. It is made if it does not exist, so that it cannot appear later.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), shown: Vec::new() }
    }

    /// Shows a folder in the hidden one, if it exists. Programs cannot change it.
    #[must_use]
    pub fn except(mut self, path: impl Into<PathBuf>) -> Self {
        self.shown.push(Shown { path: path.into(), writable: false });
        self
    }

    /// Shows a folder in the hidden one, if it exists. Programs can change it.
    #[must_use]
    pub fn except_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.shown.push(Shown { path: path.into(), writable: true });
        self
    }

    /// Returns whether a path, which has no links, is in the folder or is the folder itself.
    pub fn contains(&self, path: &Path) -> bool {
        self.path.canonicalize().is_ok_and(|folder| path.starts_with(folder))
    }
}
