//! Messages to the guardian about the process groups that it ends, for systems on which commands cannot be marked.

use std::fmt;
use std::io::{PipeWriter, Write as _};

use rustix::process::Pid;

/// A change of the process groups that the guardian ends.
pub(crate) enum Change {
    Add(Pid),
    Remove(Pid),
    RemoveAll,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(group) => writeln!(f, "+ {group}"),
            Self::Remove(group) => writeln!(f, "- {group}"),
            Self::RemoveAll => writeln!(f, "="),
        }
    }
}

/// Adds the group of a command to those that the guardian ends. The command does this itself: if the host did it after the command
/// has started, the host could end before that.
#[derive(Debug)]
pub(crate) struct Registration(PipeWriter);

impl Registration {
    pub(crate) fn new(guardian: PipeWriter) -> Self {
        Self(guardian)
    }

    /// Adds a group. Neither allocates nor locks.
    pub(crate) fn add(&self, group: Pid) {
        send(&self.0, &Change::Add(group));
    }
}

/// Writes a line to the guardian at once, so that it is not mixed with others. Neither allocates nor locks.
pub(crate) fn send(mut pipe: &PipeWriter, change: &Change) {
    let mut line = [0; 32];
    let mut rest = &mut line[..];
    if write!(rest, "{change}").is_ok() {
        let unused = rest.len();
        let _ = pipe.write(&line[..line.len() - unused]);
    }
}
