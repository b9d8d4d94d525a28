//! Runs short commands on this machine.

use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Process, Sink};

/// The maximum number of bytes of an output that are kept.
const MAX_TEXT: usize = 64 * 1024;

/// The first bytes of an output.
#[derive(Debug, Default)]
struct Text(Vec<u8>);

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let space = MAX_TEXT.saturating_sub(self.0.len()).min(bytes.len());
        self.0.extend_from_slice(&bytes[..space]);
        true
    }
}

/// Runs a command without input, and returns the beginning of its output, without surrounding white space. Does not end processes that the
/// command leaves running.
///
/// # Errors
/// If the command cannot be started, does not end within `limit`, or fails. If it fails, the text is its standard error.
pub(crate) fn output(mut command: Command, limit: Duration) -> io::Result<String> {
    command.current_dir("/");
    let program = command.get_program().to_string_lossy().into_owned();
    let mut process = Process::new(command);
    let (stdout, stderr) = (process.stdout(Text::default())?, process.stderr(Text::default())?);
    let started = Instant::now();
    let outcome = process.run(None, || started.elapsed() > limit).map_err(|error| not_started(&program, &error))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    if outcome.reason != EndReason::Exited {
        return Err(io::Error::new(io::ErrorKind::TimedOut, format!("`{program}` has not ended within {limit:?}")));
    }
    if outcome.status.success() { Ok(text(stdout.take().0)) } else { Err(io::Error::other(text(stderr.take().0))) }
}

/// Returns the error for a program that cannot be started.
pub(crate) fn not_started(program: &str, error: &io::Error) -> io::Error {
    let text = match error.kind() {
        io::ErrorKind::NotFound => format!("the program `{program}` is missing"),
        _ => format!("the program `{program}` cannot be started: {error}"),
    };
    io::Error::new(error.kind(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str, limit: Duration) -> io::Result<String> {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        output(command, limit)
    }

    #[test]
    fn a_short_command_is_bounded_in_time_and_output() {
        let long = Duration::from_mins(1);
        assert_eq!(run("echo; echo x y", long).expect("it succeeds"), "x y");
        assert_eq!(run("head -c 1000000 /dev/zero", long).expect("it succeeds").len(), MAX_TEXT);
        assert_eq!(run("echo x; echo no >&2; exit 3", long).expect_err("it fails").to_string(), "no");
        let started = Instant::now();
        let error = run("sleep 60", Duration::from_millis(100)).expect_err("it takes too long");
        assert_eq!((error.kind(), started.elapsed() < long), (io::ErrorKind::TimedOut, true));
        let error = output(Command::new("/nowhere/x"), long).expect_err("it does not exist");
        assert_eq!(error.to_string(), "the program `/nowhere/x` is missing");
    }
}
