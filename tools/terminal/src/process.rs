//! A command line as a process: the shell that runs it, and an end to it at the latest a moment after its timeout.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, Sink};

use super::transcript::Transcript;

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) transcript: String,
    pub(super) timed_out: bool,
    /// Something that it started still holds its output.
    pub(super) left_running: bool,
}

impl Sink for Transcript {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.take_in(bytes);
        true
    }
}

/// Runs `command` for at most `timeout`.
pub(super) fn run(command: Command, timeout: Duration) -> io::Result<Ended> {
    let mut process = Process::new(command);
    let output = process.output(Transcript::default())?;
    let deadline = Instant::now() + timeout;
    let ended = process.run(None, || Instant::now() >= deadline)?;
    Ok(Ended {
        status: ended.status,
        transcript: output.take().finish(),
        timed_out: ended.reason == EndReason::Stopped,
        left_running: ended.left_running,
    })
}

/// The shell that is to run `line`.
#[cfg(unix)]
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}

/// The shell that is to run `line`.
#[cfg(windows)]
pub(super) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // Unquoted: `cmd` has its own rules.
    command.arg("/C").raw_arg(line);
    command
}
