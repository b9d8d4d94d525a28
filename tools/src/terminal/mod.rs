//! The `terminal` tool: one shell command, its output, and an end to both.
//!
//! [`environment`] says what a command may know, [`process`] runs and ends it, [`transcript`] keeps what it
//! printed. Whether a command may run at all is not decided here: that is the host's approval.

mod environment;
mod escapes;
mod process;
mod transcript;

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use toolc::{Call, ErrorKind, Output, ToolError};
use toolc_catalog::terminal::TerminalTools;
use toolc_catalog::terminal::terminal::Args;

use crate::Handlers;

/// What the terminal keeps between calls.
#[derive(Debug, Default)]
pub(crate) struct State {
    passed: environment::Passed,
    /// Held once by every reader of a process that outlives its command.
    left: Arc<()>,
}

impl State {
    /// See [`Handlers::pass_env`].
    pub(crate) fn pass_env(&mut self, name: String) {
        self.passed.add(name);
    }
}

#[derive(Serialize)]
struct Ran {
    output: String,
    /// Null if a signal ended the shell.
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    timed_out: bool,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl TerminalTools for Handlers {
    fn terminal(&self, args: Args, _: &Call<'_>) -> Result<Output, ToolError> {
        let dir = self.place.locate(args.workdir.as_deref().unwrap_or("."))?;
        if !dir.is_dir() {
            let shown = args.workdir.as_deref().unwrap_or("the working directory");
            return Err(ToolError::of(
                ErrorKind::NotFound,
                format!("`{shown}` is not an existing directory; nothing was run, name one that exists"),
            ));
        }
        let seconds = u64::try_from(args.timeout).unwrap_or(1).clamp(1, 600);
        let mut command = process::shell(&args.command);
        command.current_dir(&dir);
        self.shell.passed.apply(&mut command);
        let started = Instant::now();
        let ended = process::run(command, Duration::from_secs(seconds), &self.shell.left)
            .map_err(|error| ToolError::new(format!("failed to start the shell: {error}")))?;
        let note = if ended.timed_out {
            Some(format!("killed after {seconds} s; give it a longer timeout, or less to do"))
        } else if ended.left_running {
            Some(
                "a process that was left in the background still holds the output: what it prints from now on is \
                 lost, redirect it to a file instead"
                    .to_owned(),
            )
        } else {
            None
        };
        Output::json(&Ran {
            output: ended.transcript,
            exit_code: ended.status.code(),
            signal: signal(ended.status),
            timed_out: ended.timed_out,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            note,
        })
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal()?;
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return Some(format!("signal {number}")),
    };
    Some(name.to_owned())
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<String> {
    None
}
