//! Handlers of the shipped toolset `file`: read, write, edit and search files.
//!
//! The tools act in the environment of the task of a call. [`task_files`] gives access to its files and checks the rules for access.
//! [`open`] explains why a file cannot be opened, and [`sniff`] refuses binary files. [`access`] records the files that a task has read
//! and written, by digests of their [`content`], and [`changes`] what a person can undo. [`style`] keeps the line endings of a file, [`numbered`] recognises copied line numbers, and
//! [`syntax`] finds syntax errors in written files.

mod access;
mod changes;
mod content;
#[cfg(all(test, unix))]
mod escapes;
mod handlers;
mod numbered;
mod open;
mod patch;
mod read;
#[cfg(all(test, unix))]
mod remote_tests;
mod search;
mod sniff;
#[cfg(all(test, target_os = "linux"))]
mod spellings;
mod style;
mod syntax;
mod task_files;
#[cfg(all(test, target_os = "linux"))]
mod unusual_names;
mod write;

use toolc::{Call, ToolError};
use toolc_catalog::file::{FileTools, patch as patch_tool, read_file, search_files, write_file};

pub use access::{AccessLog, FileAccess};
pub use changes::{ChangeLog, UndoOutcome, Undone};
pub use handlers::FileHandlers;
pub use patch::{patched_files, replace_text, text_diff};
use task_files::TaskFiles;

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
        search::search(&TaskFiles::for_call(self, call)?, &args)
    }

    fn write_file(&self, args: write_file::Args, call: &Call<'_>) -> Result<write_file::Returns, ToolError> {
        call.state::<AccessLog>().forget_repeated_reads();
        write::write(self, &args, call)
    }
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
            TaskFiles::for_call(&self.handlers, &self.call()).unwrap()
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
