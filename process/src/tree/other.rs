//! The processes of a command, on systems other than Unix: only the command itself is ended.

#[path = "no_filter.rs"]
mod filter;
#[path = "limits.rs"]
mod limits;
#[path = "no_namespace.rs"]
mod namespace;

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use crate::spawn::spawn;
use crate::terminal::TerminalOfProgram;
pub(crate) use filter::Filter;
pub(crate) use limits::Limits;
pub(crate) use namespace::Namespace;

/// Returns whether this process has the mark of a command: these systems have none.
pub(crate) fn is_on_this_process() -> bool {
    false
}

/// Identifies this process, as the host of commands. Has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostMark(std::convert::Infallible);

impl HostMark {
    pub(crate) fn of_this_process() -> Option<Self> {
        None
    }

    pub(crate) fn from_text(_: &str) -> Option<Self> {
        None
    }

    pub(crate) fn text(self) -> String {
        match self.0 {}
    }

    pub(crate) fn end_all(self) -> bool {
        match self.0 {}
    }
}

/// The processes of a command.
#[derive(Debug)]
pub(crate) struct Tree;

impl Tree {
    pub(crate) fn start(command: &mut Command, _: Option<TerminalOfProgram>, _: Limits) -> io::Result<(Child, Self)> {
        Ok((spawn(command)?, Self))
    }

    /// Returns at once: the caller polls.
    pub(crate) fn wait_for_exit(&self) {}

    pub(crate) fn end(&self, child: &mut Child, _: impl Fn() -> bool, _: Duration) -> io::Result<ExitStatus> {
        child.kill()?;
        child.wait()
    }

    pub(crate) fn ended(&self) {}

    pub(crate) fn has_left(&self) -> bool {
        false
    }

    pub(crate) fn end_rest(&self, _: impl Fn() -> bool, _: Duration) {}
}
