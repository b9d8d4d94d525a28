//! Runs a program of the user that only reads, such as `git config`, within a time and a size.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, Sink};

use crate::ground::error::{Error, Result};

/// The time limit for a program.
const LIMIT: Duration = Duration::from_secs(5);
/// The maximum size of the output, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Runs a program, which messages call `name`. Returns its output, or its messages as an error if it fails.
///
/// # Errors
/// If it cannot be run, takes too long, or prints too much.
pub(super) fn run(name: &str, command: Command) -> Result<Result<String, String>> {
    let failed = |error: io::Error| format!("{name} cannot be run: {error}");
    let mut process = Process::new(command);
    let (output, errors) = (Output::default(), Output::default());
    let _ = (process.stdout(output.clone()).map_err(failed)?, process.stderr(errors.clone()).map_err(failed)?);
    let started = Instant::now();
    let outcome = process.run(None, || started.elapsed() > LIMIT).map_err(failed)?;
    match outcome.reason {
        EndReason::Exited if outcome.status.success() => Ok(Ok(output.text())),
        EndReason::Exited => Ok(Err(errors.text().trim().to_owned())),
        EndReason::OutputLimit => Err(Error::Invalid(format!("{name} prints more than {MAX_BYTES} bytes"))),
        EndReason::Stopped => Err(Error::Invalid(format!("{name} did not finish within {} s", LIMIT.as_secs()))),
    }
}

/// Returns the first program of this name in `PATH`. Relative folders are skipped, because they could belong to the project.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let name = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// The output of a program, up to the size limit.
#[derive(Debug, Default, Clone)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Sink for Output {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        all.len() <= MAX_BYTES
    }
}

impl Output {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
