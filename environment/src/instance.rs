//! Instances of Apptainer or Singularity, and short commands of these programs.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, Sink};

/// The names of the program.
pub(crate) const PROGRAMS: [&str; 2] = ["apptainer", "singularity"];
/// The variables of this machine that the program gets. Containers get none of them.
const VARIABLES: &[&str] =
    &["DBUS_SESSION_BUS_ADDRESS", "HOME", "LOGNAME", "PATH", "TMPDIR", "USER", "XDG_RUNTIME_DIR"];
/// The time limit for stopping an instance.
const LIMIT: Duration = Duration::from_secs(30);
/// How much of an output is kept.
const MAX_TEXT: usize = 64 * 1024;

/// An instance: the program that has started it, and its name.
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

#[derive(Debug, Default)]
struct Text(Vec<u8>);

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let space = MAX_TEXT.saturating_sub(self.0.len()).min(bytes.len());
        self.0.extend_from_slice(&bytes[..space]);
        true
    }
}

/// Runs a short command, and returns its output. An instance that it starts runs on.
pub(crate) fn output(program: &Path, arguments: &[OsString], limit: Duration) -> io::Result<String> {
    let shown = program.display();
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(variables()).current_dir("/");
    let mut process = Process::new(command);
    let (stdout, stderr) = (process.stdout(Text::default())?, process.stderr(Text::default())?);
    let started = Instant::now();
    let outcome = process.run(None, || started.elapsed() > limit).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), format!("the program `{shown}` is missing")),
        _ => io::Error::new(error.kind(), format!("the program `{shown}` cannot be started: {error}")),
    })?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    if outcome.reason != EndReason::Exited {
        return Err(io::Error::new(io::ErrorKind::TimedOut, format!("`{shown}` has not ended within {limit:?}")));
    }
    if outcome.status.success() { Ok(text(stdout.take().0)) } else { Err(io::Error::other(text(stderr.take().0))) }
}
