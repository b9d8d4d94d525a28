//! Replaces sandboxes of Modal on systems other than Unix.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Environment, Kind, Promises, Site};

/// The kind of sandboxes of Modal. There are none on this system.
#[derive(Debug, Clone, Default)]
pub struct ModalKind(());

impl ModalKind {
    /// The name of this kind.
    pub const NAME: &str = "modal";

    /// Sets the Python that has the SDK of Modal.
    #[must_use]
    pub fn python(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets the app of Modal to which the sandboxes belong.
    #[must_use]
    pub fn app(self, _: impl Into<String>) -> Self {
        self
    }

    /// Sets the image.
    #[must_use]
    pub fn image(self, _: impl Into<String>) -> Self {
        self
    }

    /// Sets the directory in which programs run by default.
    #[must_use]
    pub fn directory(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets how long a sandbox lives at most.
    #[must_use]
    pub fn timeout(self, _: Duration) -> Self {
        self
    }

    /// Sets whether programs have a network.
    #[must_use]
    pub fn network(self, _: bool) -> Self {
        self
    }

    /// Sets the memory that a sandbox may use, in bytes.
    #[must_use]
    pub fn max_memory(self, _: u64) -> Self {
        self
    }

    /// Sets how many processors a sandbox may use.
    #[must_use]
    pub fn max_processors(self, _: f64) -> Self {
        self
    }

    /// Sets how many sandboxes may run at a time.
    #[must_use]
    pub fn max_sandboxes(self, _: u32) -> Self {
        self
    }

    /// Sets a variable for the SDK of Modal.
    #[must_use]
    pub fn variable(self, _: impl Into<OsString>, _: impl Into<OsString>) -> Self {
        self
    }

    /// Fails: sandboxes of Modal need Unix on this machine.
    ///
    /// # Errors
    /// Always.
    pub fn check(&self) -> io::Result<()> {
        Err(missing())
    }
}

impl Kind for ModalKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, limited_processes: false }
    }

    fn make(&self, _: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Err(missing())
    }
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "sandboxes of Modal need Unix on this machine")
}
