//! Why a command could not run.

use std::error::Error;
use std::{fmt, io};

/// Why a command could not run.
#[derive(Debug)]
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

/// Why a report could not be written, such as an unknown toolset of its view.
#[derive(Debug)]
pub struct ReportError(Failure);

impl From<Failure> for ReportError {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Usage(message) => f.write_str(message),
            Failure::Io(error) => write!(f, "failed to write the report: {error}"),
        }
    }
}

impl Error for ReportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Failure::Usage(_) => None,
            Failure::Io(error) => Some(error),
        }
    }
}
