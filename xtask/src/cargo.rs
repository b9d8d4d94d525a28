//! Runs cargo.

use std::process::{Command, ExitCode};

/// Runs cargo and returns whether it succeeded.
pub(crate) fn run(args: &[impl AsRef<str>]) -> bool {
    let args = || args.iter().map(AsRef::as_ref);
    match Command::new(env!("CARGO")).args(args()).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: failed to run cargo {}: {error}", args().collect::<Vec<&str>>().join(" "));
            false
        }
    }
}

/// Returns the exit code of a task.
pub(crate) fn status(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
