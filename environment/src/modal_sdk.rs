//! Modal's SDK for Python, and the commands of `hold.py`, which uses it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::command;

/// A script that makes and keeps a sandbox, or ends one.
const HOLD: &str = include_str!("modal/hold.py");
/// The time limit for a short command.
const SHORT_LIMIT: Duration = Duration::from_mins(1);

/// The Python interpreter that has the SDK.
#[derive(Clone)]
pub(crate) struct ModalSdk {
    pub(crate) python: PathBuf,
    /// Variables for the SDK, in addition to the variables of this process.
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Default for ModalSdk {
    fn default() -> Self {
        Self { python: "python3".into(), variables: Vec::new() }
    }
}

/// Shows the names of the variables, but not the values, because one of them is secret.
impl fmt::Debug for ModalSdk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("ModalSdk").field("python", &self.python).field("variables", &names).finish()
    }
}

impl ModalSdk {
    /// Ends a sandbox. Returns whether it was running.
    pub(crate) fn remove(&self, app: &str, name: &str) -> io::Result<bool> {
        Ok(self.output(&["remove".as_ref(), app.as_ref(), name.as_ref()])? == name)
    }

    /// Returns the command that runs `hold.py`.
    pub(crate) fn command(&self, arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(&self.python);
        command.args(["-I", "-c", HOLD]).args(arguments).current_dir("/").env_clear();
        let sdk_variables = env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"MODAL_"));
        command.envs(needed_variables()).envs(sdk_variables).envs(self.variables.iter().cloned());
        command
    }

    /// Runs a short command of `hold.py`, and returns its output.
    pub(crate) fn output(&self, arguments: &[&OsStr]) -> io::Result<String> {
        command::output(self.command(arguments), SHORT_LIMIT).map_err(|error| match error.kind() {
            io::ErrorKind::Other => io::Error::other(last_line(&error.to_string())),
            io::ErrorKind::TimedOut => {
                io::Error::new(error.kind(), format!("Modal did not answer within {SHORT_LIMIT:?}"))
            }
            _ => not_started(&error),
        })
    }
}

/// Returns the error for a Python that cannot be started.
pub(crate) fn not_started(error: &io::Error) -> io::Error {
    let text = format!("{error}: set `environment.modal.python` to a Python that has the SDK of Modal");
    io::Error::new(error.kind(), text)
}

/// Returns the last line of an error message, because the lines before it are warnings.
pub(crate) fn last_line(text: &str) -> String {
    text.trim().lines().next_back().unwrap_or("the command failed without an error message").trim().to_owned()
}

/// Returns the variables of this process that Python needs.
pub(crate) fn needed_variables() -> impl Iterator<Item = (OsString, OsString)> {
    ["HOME", "PATH"].into_iter().filter_map(|name| Some((name.into(), env::var_os(name)?)))
}
