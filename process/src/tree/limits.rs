//! What limits the processes of a command, on all systems.

use std::io;

use super::{Filter, Namespace};
use crate::hidden::HiddenFolder;

/// What limits the processes of a command.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    pub(crate) namespace: Option<Namespace>,
    pub(crate) filter: Option<Filter>,
}

impl HiddenFolder {
    /// Checks that this system can hide folders from programs. The first call tries it, and later calls return the same.
    ///
    /// # Errors
    /// Returns an error of the kind `Unsupported` that says what the system does not allow.
    pub fn check_available() -> io::Result<()> {
        Namespace::check_available()
    }

    /// Checks that a program that starts now [does not see](crate::Process::hide) the folder.
    ///
    /// # Errors
    /// If the folder cannot be hidden. `Unsupported` if this system does not allow it for any program.
    pub fn check(&self) -> io::Result<()> {
        Namespace::hiding(self).map(|_| ())
    }

    /// Returns what programs on this system can still do to reach a hidden folder, if anything is known: a sentence without a full stop.
    pub fn caveat() -> Option<&'static str> {
        Namespace::caveat()
    }
}
