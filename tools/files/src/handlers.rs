//! The handlers of the file tools: the workspace, the environments of tasks, and the rules for access.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolc_workspace::{Access, Environments, Workspace};

/// The handlers of the toolset `file`. For each task, they keep an [`AccessLog`](crate::AccessLog) of the files that were read and written.
///
/// ```
/// use toolc_files::FileHandlers;
/// use toolc_workspace::Workspace;
///
/// let handlers = FileHandlers::new(Workspace::new("/usr/src/app")).writable("/usr/src/app");
/// ```
#[derive(Debug)]
pub struct FileHandlers {
    pub(crate) workspace: Workspace,
    pub(crate) environments: Environments,
    pub(crate) access: Access,
    pub(crate) spill_folder: Option<PathBuf>,
    pub(crate) write_lock: Arc<WriteLock>,
}

impl FileHandlers {
    /// Returns handlers that resolve relative paths in `workspace`, with the default [`Access`]: they can read every file except
    /// private keys, and write in the working directory and the folder for temporary files.
    pub fn new(workspace: Workspace) -> Self {
        let access = Access::new(toolc_catalog::commands::rules());
        Self {
            environments: Environments::local(&workspace),
            workspace,
            access,
            spill_folder: None,
            write_lock: Arc::default(),
        }
    }

    /// Replaces the environments in which tasks act. By default, all tasks act on this machine.
    #[must_use]
    pub fn environments(mut self, environments: Environments) -> Self {
        self.environments = environments;
        self
    }

    /// Allows writing below `dir` too, even if it is in a system directory, such as `/usr/src/app` in a container image. Key
    /// stores and start-up files stay protected.
    #[must_use]
    pub fn writable(mut self, dir: impl Into<PathBuf>) -> Self {
        self.access = self.access.with_writable(dir);
        self
    }

    /// Replaces the rules for access.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Lets `read_file` read the long results that a [`SpillFolder`](toolc::limits::SpillFolder) has stored on this machine. They can be
    /// read in every environment, and even if reading is restricted. A session with an [id](toolc::SessionBuilder::id) reads only results in
    /// the subfolder of `folder` with this name. Other sessions read only results directly in `folder`.
    #[must_use]
    pub fn with_spill_folder(mut self, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref();
        self.spill_folder = Some(toolc_environment::resolve(folder).unwrap_or_else(|_| folder.to_owned()));
        self
    }
}

/// A lock to hold from reading a file until it is written back, so that concurrent edits are not lost.
#[derive(Debug, Default)]
pub(crate) struct WriteLock(Mutex<()>);

impl WriteLock {
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts a count to an integer for a result.
pub(crate) fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
