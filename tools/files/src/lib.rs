//! Handlers of the shipped toolset `file`: read, write, edit and search files.
//!
//! They act in the environment of the call's task: [`task_files`] has its files, and what of them may be read and written. [`open`]
//! explains what cannot be opened, and [`sniff`] refuses binary files. [`access`] records what a task has read and written, and
//! [`syntax`] finds mistakes in what it writes.

mod access;
#[cfg(all(test, unix))]
mod elsewhere;
#[cfg(all(test, unix))]
mod escapes;
mod open;
mod patch;
mod read;
mod search;
mod sniff;
mod syntax;
mod task_files;
#[cfg(all(test, target_os = "linux"))]
mod unusual_names;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolc::{Call, ToolError};
use toolc_catalog::file::{FileTools, patch as patch_tool, read_file, search_files, write_file};
use toolc_workspace::{Access, Environments, Workspace};

pub use access::{AccessLog, FileAccess};
use task_files::TaskFiles;

/// The handlers of the toolset `file`. For each task they keep an [`AccessLog`] of the files that it has read and written.
///
/// ```
/// use toolc_files::FileHandlers;
/// use toolc_workspace::Workspace;
///
/// let handlers = FileHandlers::new(Workspace::new("/usr/src/app")).writable("/usr/src/app");
/// ```
#[derive(Debug)]
pub struct FileHandlers {
    workspace: Workspace,
    environments: Environments,
    access: Access,
    spilled: Option<PathBuf>,
    write_lock: Arc<WriteLock>,
}

impl FileHandlers {
    /// Returns handlers that resolve relative paths in `workspace`, with the default [`Access`]: they read every file but keys, and
    /// write below the working directory and the folder for temporary files.
    pub fn new(workspace: Workspace) -> Self {
        let access = Access::new(toolc_catalog::commands::rules());
        Self {
            environments: Environments::local(&workspace),
            workspace,
            access,
            spilled: None,
            write_lock: Arc::default(),
        }
    }

    /// Replaces the environments in which tasks act. By default, all act on this machine.
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

    /// Replaces what the handlers may read and write.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Lets `read_file` read the results that a [`SpillFolder`](toolc::limits::SpillFolder) has stored on this machine, whatever the
    /// environment of a task is, and also if reading is restricted. A session with an [id](toolc::SessionBuilder::id) reads only
    /// those in a folder of that name in `folder`, and other sessions only those directly in `folder`.
    #[must_use]
    pub fn with_spilled(mut self, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref();
        self.spilled = Some(toolc_environment::resolve(folder).unwrap_or_else(|_| folder.to_owned()));
        self
    }

    /// Returns the lock for writing in the environment of a call. On this machine all tasks have one. Elsewhere, where writing can take
    /// long, each task has its own.
    fn write_lock(&self, task: &TaskFiles, call: &Call<'_>) -> Arc<WriteLock> {
        if task.is_local() { Arc::clone(&self.write_lock) } else { call.state() }
    }
}

/// A lock to hold from reading a file until it is written back, so that concurrent edits are not lost.
#[derive(Debug, Default)]
struct WriteLock(Mutex<()>);

impl WriteLock {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileTools for FileHandlers {
    fn patch(&self, args: patch_tool::Args, call: &Call<'_>) -> Result<patch_tool::Returns, ToolError> {
        call.state::<AccessLog>().forget_repeated_reads();
        patch::patch(self, &args, call)
    }

    fn read_file(&self, args: read_file::Args, call: &Call<'_>) -> Result<read_file::Returns, ToolError> {
        read::read(self, &args, call)
    }

    fn search_files(&self, args: search_files::Args, call: &Call<'_>) -> Result<search_files::Returns, ToolError> {
        call.state::<AccessLog>().forget_repeated_reads();
        search::search(&TaskFiles::of(self, call)?, &args)
    }

    fn write_file(&self, args: write_file::Args, call: &Call<'_>) -> Result<write_file::Returns, ToolError> {
        call.state::<AccessLog>().forget_repeated_reads();
        write::write(self, &args, call)
    }
}

/// Returns a count as an integer of a result.
fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Helpers for tests: handlers whose workspace is a temporary directory.
#[cfg(test)]
mod fixture {
    use std::path::PathBuf;

    use tempfile::TempDir;
    use toolc::testing::{Caller, TestResponse};
    use toolc::{Call, ToolError};
    use toolc_workspace::Workspace;

    use crate::FileHandlers;
    use crate::task_files::TaskFiles;

    pub(crate) struct Fixture {
        pub(crate) handlers: FileHandlers,
        pub(crate) dir: TempDir,
        caller: Caller,
    }

    pub(crate) fn fixture() -> Fixture {
        let dir = TempDir::new().unwrap();
        Fixture { handlers: FileHandlers::new(Workspace::new(dir.path())), dir, caller: Caller::new() }
    }

    impl Fixture {
        pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
            let path = self.dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }

        pub(crate) fn get(&self, path: &str) -> String {
            std::fs::read_to_string(self.dir.path().join(path)).unwrap()
        }

        pub(crate) fn task(&self) -> TaskFiles {
            TaskFiles::of(&self.handlers, &self.call()).unwrap()
        }

        pub(crate) fn locate(&self, path: &str) -> Result<PathBuf, ToolError> {
            self.task().locate(path)
        }

        /// Returns a call of the fixture's task.
        pub(crate) fn call(&self) -> Call<'_> {
            self.caller.call("a_tool")
        }
    }

    #[track_caller]
    pub(crate) fn value(result: impl Into<TestResponse>) -> toolc::Value {
        result.into().value()
    }
}
