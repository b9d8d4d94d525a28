//! Signals to other processes.

use std::process::Command;

/// Sends a signal, such as `INT`, to a process. Small systems lack the program `kill`, but every shell has the command.
///
/// # Panics
/// If the process does not exist.
pub fn send_signal(signal: &str, process: u32) {
    let status = Command::new("sh").args(["-c", "kill -\"$0\" \"$1\"", signal, &process.to_string()]).status();
    assert!(status.expect("failed to start a shell").success(), "failed to send {signal} to the process {process}");
}
