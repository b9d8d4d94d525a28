//! Replaces containers on systems other than Unix.

use std::io;
use std::sync::Arc;

use crate::{Environment, Kind, Promises, Site};

/// The kind of containers. There are none on this system.
#[derive(Debug, Clone)]
pub struct ContainerKind(());

impl ContainerKind {
    /// The name of this kind.
    pub const NAME: &str = "docker";

    /// Returns containers of an image.
    pub fn new(_: impl Into<String>) -> Self {
        Self(())
    }

    /// Sets whether programs have a network.
    #[must_use]
    pub fn network(self, _: bool) -> Self {
        self
    }

    /// Sets whether programs can write only to the directory of the task and to `/tmp`.
    #[must_use]
    pub fn read_only(self, _: bool) -> Self {
        self
    }

    /// Sets the number of processes and threads that a container may have at a time.
    #[must_use]
    pub fn max_processes(self, _: u32) -> Self {
        self
    }

    /// Sets the memory that a container may use, in bytes.
    #[must_use]
    pub fn max_memory(self, _: u64) -> Self {
        self
    }

    /// Sets how many processors a container may use.
    #[must_use]
    pub fn max_processors(self, _: u32) -> Self {
        self
    }

    /// Fails: containers need Unix.
    ///
    /// # Errors
    /// Always.
    pub fn check(&self) -> io::Result<()> {
        Err(missing())
    }
}

impl Kind for ContainerKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, limited_processes: true }
    }

    fn make(&self, _: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Err(missing())
    }
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "containers need Unix: use another machine on this system")
}
