//! Whether this process runs inside of a command that a host has started.

use std::env;
use std::process::Command;

use crate::tree;

/// The environment variable of commands, for systems without marks. A command can remove it, but not by accident.
const VARIABLE: &str = "TOOLC_INSIDE_TOOL";

/// Returns whether this process belongs to a [`Process`](crate::Process): whether a command, or a program that it has started, is this
/// program.
///
/// A program uses this to refuse what only a person may do. On Linux a process cannot lose its mark, unless it runs as root. On other
/// systems an environment variable is the mark.
pub fn is_inside_a_tool() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| !value.is_empty()) || tree::is_on_this_process()
}

/// Sets the variable for a command.
pub(crate) fn mark(command: &mut Command) {
    command.env(VARIABLE, "1");
}
