//! Why a command could not run.

use std::io;

/// Why a command could not run.
pub(crate) enum Failure {
    /// A mistake on the command line.
    Usage(String),
    /// A stream failed.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Usage(message)
    }
}
