//! Runs short commands of docker.

use std::io;
use std::process::Command;
use std::time::Duration;

use crate::command;

/// The program that makes containers.
pub(crate) const DOCKER: &str = "docker";
/// The time limit for a short command. Removing a container of a busy engine can take a while.
const LIMIT: Duration = Duration::from_mins(1);

/// Removes a container. Returns whether it existed.
pub(crate) fn remove(container: &str) -> io::Result<bool> {
    // Newer versions of docker succeed even if the container does not exist, and then print no name.
    Ok(output(&["rm", "--force", "--volumes", container])? == container)
}

/// Runs a short command of docker, and returns its output.
pub(crate) fn output(arguments: &[&str]) -> io::Result<String> {
    let mut command = Command::new(DOCKER);
    command.args(arguments);
    command::output(command, LIMIT)
}
