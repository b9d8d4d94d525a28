//! Replaces containers of Apptainer on systems other than Unix.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Environment, Kind, Promises, Site};

/// The kind of containers of Apptainer. There are none on this system.
#[derive(Debug, Clone)]
pub struct ApptainerKind(());

impl ApptainerKind {
    /// The name of this kind.
    pub const NAME: &str = "apptainer";

    /// Returns containers of an image.
    pub fn new(_: impl Into<PathBuf>) -> Self {
        Self(())
    }

    /// Sets the program.
    #[must_use]
    pub fn program(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets whether programs have a network.
    #[must_use]
    pub fn network(self, _: bool) -> Self {
        self
    }

    /// Adds a folder that programs see.
    #[must_use]
    pub fn bind(self, _: impl Into<String>) -> Self {
        self
    }

    /// Fails: these containers need Linux.
    ///
    /// # Errors
    /// Always.
    pub fn check(&self) -> io::Result<()> {
        Err(missing())
    }
}

impl Kind for ApptainerKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, _: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Err(missing())
    }
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "containers of Apptainer need Linux: use another machine on this system")
}
