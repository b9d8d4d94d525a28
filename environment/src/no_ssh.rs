//! Replaces other machines on systems other than Unix.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Environment, Kind, Promises, Site};

/// What happens to host keys that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HostKeys {
    /// They are refused.
    #[default]
    Strict,
    /// They are written to the file of known hosts at the first connection.
    AcceptNew,
}

/// The kind of environments on another machine. They cannot be made on this system.
#[derive(Debug, Clone)]
pub struct SshKind(());

impl SshKind {
    /// The name of this kind.
    pub const NAME: &str = "ssh";

    /// Creates the kind.
    pub fn new(_: impl Into<String>, _: impl Into<PathBuf>) -> Self {
        Self(())
    }

    /// Sets the user over there.
    #[must_use]
    pub fn user(self, _: impl Into<String>) -> Self {
        self
    }

    /// Sets the port.
    #[must_use]
    pub fn port(self, _: u16) -> Self {
        self
    }

    /// Sets the file with the private key.
    #[must_use]
    pub fn key(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets what happens to host keys that are not known.
    #[must_use]
    pub fn host_keys(self, _: HostKeys) -> Self {
        self
    }

    /// Sets a configuration file of OpenSSH.
    #[must_use]
    pub fn config_file(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets the directory over there.
    #[must_use]
    pub fn directory(self, _: impl Into<PathBuf>) -> Self {
        self
    }

    /// Sets how long programs run on without a connection.
    #[must_use]
    pub fn grace(self, _: Duration) -> Self {
        self
    }

    /// Fails: connections need Unix.
    ///
    /// # Errors
    /// Always.
    pub fn check(&self) -> io::Result<()> {
        Err(missing())
    }
}

impl Kind for SshKind {
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
    io::Error::new(
        io::ErrorKind::Unsupported,
        "tools cannot act on another machine from this system: use a machine with Unix",
    )
}
