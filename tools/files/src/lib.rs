//! Handlers of the shipped toolset `file`: read, write, edit and search files.
//!
//! [`open`] and [`sniff`] keep reading from hanging on a device or flooding a context with bytes, [`guard`] decides what may
//! be written, [`atomic_write`] writes it atomically, and [`staleness`] notices what has changed meanwhile.

mod atomic_write;
mod deadline_reader;
mod guard;
mod open;
mod patch;
mod read;
mod search;
mod sniff;
mod staleness;
mod write;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolc::{Call, ToolResult};
use toolc_catalog::file::{FileTools, patch as patch_tool, read_file, search_files, write_file};
use toolc_workspace::Workspace;

/// The file tools of one host. What a task has read is kept in the task, in memory, and is bounded.
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
    guard: guard::Guard,
    writing: Mutex<()>,
}

impl FileHandlers {
    /// Returns handlers that resolve relative paths in `workspace`. It is not a sandbox: paths outside it are accepted, and
    /// only writing is guarded.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, guard: guard::Guard::default(), writing: Mutex::new(()) }
    }

    /// Allows writing below `dir` even if it is in a system directory, such as `/usr/src/app` in a container image. Key
    /// stores and start-up files stay protected.
    #[must_use]
    pub fn writable(mut self, dir: impl Into<PathBuf>) -> Self {
        self.guard.open_up(dir.into());
        self
    }

    /// Held from reading a file to writing it back, so that no edit is lost when two run at once.
    fn write_lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileTools for FileHandlers {
    fn patch(&self, args: patch_tool::Args, call: &Call<'_>) -> ToolResult {
        patch::patch(self, &args, call)
    }

    fn read_file(&self, args: read_file::Args, call: &Call<'_>) -> ToolResult {
        read::read(self, &args, call)
    }

    fn search_files(&self, args: search_files::Args, _: &Call<'_>) -> ToolResult {
        search::search(&self.workspace, &args)
    }

    fn write_file(&self, args: write_file::Args, call: &Call<'_>) -> ToolResult {
        write::write(self, &args, call)
    }
}

/// Handlers in a temporary directory, with a caller.
#[cfg(test)]
mod fixture {
    use tempfile::TempDir;
    use toolc::testing::{Caller, TestResponse};
    use toolc::{Call, ToolResult};
    use toolc_workspace::Workspace;

    use crate::FileHandlers;

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

        /// A call in this fixture's one task.
        pub(crate) fn call(&self) -> Call<'_> {
            self.caller.call("a_tool")
        }
    }

    #[track_caller]
    pub(crate) fn value(result: ToolResult) -> toolc::Value {
        TestResponse::from(result).value()
    }
}
