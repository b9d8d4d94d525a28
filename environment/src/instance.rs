//! Instances of Apptainer or Singularity, and short commands of these programs.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::command;

/// The names that the program can have.
pub(crate) const PROGRAMS: [&str; 2] = ["apptainer", "singularity"];
/// The variables of this process that the program gets. It does not pass them to containers.
const VARIABLES: &[&str] =
    &["DBUS_SESSION_BUS_ADDRESS", "HOME", "LOGNAME", "PATH", "TMPDIR", "USER", "XDG_RUNTIME_DIR"];
/// The time limit for stopping an instance.
const LIMIT: Duration = Duration::from_secs(30);

/// An instance: the program that started it, and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub(crate) program: PathBuf,
    pub(crate) name: String,
}

impl Instance {
    /// Stops the instance with all its processes. Returns whether it existed.
    pub(crate) fn stop(&self) -> io::Result<bool> {
        match output(&self.program, &["instance", "stop", &self.name].map(OsString::from), LIMIT) {
            Ok(_) => Ok(true),
            Err(error) if error.to_string().contains("no instance found") => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Returns the variables of the program.
pub(crate) fn variables() -> Vec<(OsString, OsString)> {
    VARIABLES.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect()
}

/// Runs a short command of one of the programs, and returns its output. An instance that the command starts continues to run.
pub(crate) fn output(program: &Path, arguments: &[OsString], limit: Duration) -> io::Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(variables());
    command::output(command, limit)
}
