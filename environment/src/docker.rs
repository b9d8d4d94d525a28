//! Short commands of docker.

use std::io;
use std::process::{Command, Stdio};

/// The program that makes containers.
pub(crate) const DOCKER: &str = "docker";

/// Removes a container. Returns whether it existed.
pub(crate) fn remove(container: &str) -> io::Result<bool> {
    let removed = output(&["rm", "--force", "--volumes", container])?;
    // Newer versions succeed without a container, and print no name.
    Ok(removed.trim() == container)
}

/// Runs a short command of docker, and returns its output.
pub(crate) fn output(args: &[&str]) -> io::Result<String> {
    let output = Command::new(DOCKER).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), format!("the program `{DOCKER}` is missing")),
        _ => error,
    })?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(io::Error::other(text(output.stderr))) }
}
