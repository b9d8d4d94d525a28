//! Runs cargo.

use std::ffi::OsString;
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

/// Builds a program of the workspace and runs it. Returns its exit status.
pub(crate) fn exit_status(package: &str, args: impl Iterator<Item = OsString>) -> i32 {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", package, "--"]).args(args).env(toolc_build::RUN_AS, "cargo xtask");
    match command.status() {
        Ok(status) => status.code().unwrap_or(2),
        Err(error) => {
            eprintln!("error: failed to run cargo: {error}");
            2
        }
    }
}

/// Returns the exit code of a task.
pub(crate) fn status(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
