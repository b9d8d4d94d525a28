//! Runs a command line in a shell, and ends it after its timeout.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, Sink};

use super::transcript::Transcript;

/// The outcome of a command.
#[derive(Debug)]
pub(super) struct CommandOutcome {
    pub(super) status: ExitStatus,
    pub(super) transcript: String,
    pub(super) timed_out: bool,
    /// Whether a process that the command started still has the output open.
    pub(super) left_running: bool,
}

impl Sink for Transcript {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.push_bytes(bytes);
        true
    }
}

/// Runs `command` for at most `timeout`, and stops it earlier if `is_cancelled` returns true.
pub(super) fn run(command: Command, timeout: Duration, is_cancelled: impl Fn() -> bool) -> io::Result<CommandOutcome> {
    let mut process = Process::new(command);
    let output = process.output(Transcript::default())?;
    let deadline = Instant::now() + timeout;
    let ended = process.run(None, || Instant::now() >= deadline || is_cancelled())?;
    Ok(CommandOutcome {
        status: ended.status,
        transcript: output.take().finish(),
        timed_out: ended.reason == EndReason::Stopped,
        left_running: ended.left_running,
    })
}

/// Returns the command that runs `line` in a shell.
#[cfg(unix)]
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}

/// Returns the command that runs `line` in a shell.
#[cfg(windows)]
pub(super) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // Without quoting, because `cmd` has its own rules.
    command.arg("/C").raw_arg(line);
    command
}
