//! Replaces the sandbox on systems other than Linux.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Environment, Kind, Promises, Site};

/// The kind of sandboxes on this machine. This system has no sandboxes.
#[derive(Debug, Clone, Default)]
pub struct SandboxKind(());

impl SandboxKind {
    /// The name of this kind.
    pub const NAME: &str = "sandbox";

    /// Adds a folder or file that programs can read.
    #[must_use]
    pub fn readable(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Adds a folder or file that programs can read and write.
    #[must_use]
    pub fn writable(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets the maximum number of processes and threads of a sandbox.
    #[must_use]
    pub fn max_processes(self, _: u32) -> Self {
        self
    }

    /// Sets the memory that a sandbox may use, in bytes.
    #[must_use]
    pub fn max_memory(self, _: u64) -> Self {
        self
    }
}

impl Kind for SandboxKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, limited_processes: false }
    }

    /// Fails: sandboxes need Linux.
    fn check(&self) -> io::Result<Promises> {
        Err(missing())
    }

    fn make(&self, _: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Err(missing())
    }
}

fn missing() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "sandboxes need Linux: use a container or another machine on this system",
    )
}
