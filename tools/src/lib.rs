//! The handlers of the shipped catalog: what the file, terminal and todo tools do when a model calls them.
//!
//! [`Handlers`] implements the catalog's generated traits; a host makes one, says where it works, and
//! registers it. Which tools a model sees and whether its arguments are valid is settled before a handler
//! runs; what is left here is the work, and the bounds on it: memory, time, and what may be touched.

mod file;
mod place;
mod terminal;
mod todo;

use std::path::{Path, PathBuf};

use place::Place;

/// The shipped tools, for one host. What they keep (what was read, to-do lists) belongs to a call's task, and ends
/// with it; it is in memory only, and bounded.
///
/// ```
/// let handlers = toolc_tools::Handlers::new().in_dir("/srv/project").pass_env("SSH_AUTH_SOCK");
/// ```
#[derive(Debug)]
pub struct Handlers {
    place: Place,
    files: file::State,
    shell: terminal::State,
}

impl Handlers {
    /// Handlers that work in the process's current directory.
    pub fn new() -> Self {
        Self { place: Place::current(), files: file::State::default(), shell: terminal::State::default() }
    }

    /// Works in `dir`: relative paths begin there, and commands run there. It is no cage; only writing is
    /// guarded, and what a command may do is for the host's sandbox to say.
    #[must_use]
    pub fn in_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.place.set_dir(dir.as_ref());
        self
    }

    /// Lets the file tools write below `dir` although it lies in a system directory, such as `/usr/src/app`
    /// in a container image. Key stores and start-up files stay closed.
    #[must_use]
    pub fn writable(mut self, dir: impl Into<PathBuf>) -> Self {
        self.files.open_up(dir.into());
        self
    }

    /// Passes the environment variable `name` on to commands although it looks like a credential: for
    /// example `SSH_AUTH_SOCK`, so that git can push. Names are compared without regard to case.
    #[must_use]
    pub fn pass_env(mut self, name: impl Into<String>) -> Self {
        self.shell.pass_env(name.into());
        self
    }
}

impl Default for Handlers {
    fn default() -> Self {
        Self::new()
    }
}

/// The examples of the guide to testing are run, on these handlers.
#[cfg(doctest)]
#[doc = include_str!("../../docs/testing.md")]
struct Guide;

/// For this crate's tests: handlers in a directory of their own, and whoever calls them.
#[cfg(test)]
mod fixture {
    use tempfile::TempDir;
    use toolc::testing::{Caller, TestResponse};
    use toolc::{Call, ToolResult};

    use crate::Handlers;

    pub(crate) struct Fixture {
        pub(crate) handlers: Handlers,
        pub(crate) dir: TempDir,
        caller: Caller,
    }

    pub(crate) fn fixture() -> Fixture {
        let dir = TempDir::new().unwrap();
        Fixture { handlers: Handlers::new().in_dir(dir.path()), dir, caller: Caller::new() }
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

        /// A call of this test's one task.
        pub(crate) fn call(&self) -> Call<'_> {
            self.caller.call("a_tool")
        }
    }

    #[track_caller]
    pub(crate) fn value(result: ToolResult) -> toolc::Value {
        TestResponse::from(result).value()
    }
}
