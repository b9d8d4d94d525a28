//! Runs foreground commands: the call waits until the command ends.

use std::mem;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc::approval::ShellState;
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::terminal::terminal::{Args, Returns};
use toolc_environment::{Environment, Launch, Outcome, Output, Program, Running, Sink};

use crate::background::SIZE;
use crate::live_output::{LiveOutput, OutputEnd};
use crate::place::{self, CommandStart, Variables};
use crate::shell_state::{RecordFile, RecordedState};
use crate::sight::Sight;
use crate::signals::signal_of;
use crate::transcript::{Captured, Transcript};
use crate::typed::Languages;
use crate::{TerminalHandlers, failed_start, join_notes, other_shell};

/// The default time limit of a command, in seconds.
const TIMEOUT: u64 = 180;
/// The maximum time limit of a command, in seconds.
const MAX_TIMEOUT: u64 = 600;

/// The transcript of a running command.
#[derive(Debug, Default, Clone)]
struct SharedTranscript(Arc<Mutex<Recorded>>);

/// The output of a running command.
#[derive(Debug, Default)]
struct Recorded {
    transcript: Transcript,
    end: OutputEnd,
}

impl Sink for SharedTranscript {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut recorded = self.recorded();
        recorded.transcript.push_bytes(bytes);
        recorded.end.push_bytes(bytes);
        true
    }
}

impl SharedTranscript {
    fn take(&self) -> Captured {
        mem::take(&mut *self.recorded()).transcript.finish()
    }

    /// Returns the last line of the output so far.
    fn last_line(&self) -> String {
        let end = self.recorded().end.clone();
        end.last_line()
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The note about a command that has ended while a process of it is still running.
const LEFT_RUNNING: &str = "a process that the command has started still has the output open; its further output is lost. Start such \
                            commands with background";

/// Whether the last result had a note that the disk is almost full.
#[derive(Debug, Default)]
struct DiskWarning(Mutex<bool>);

impl TerminalHandlers {
    /// Runs a command to its end.
    pub(crate) fn run(&self, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let seconds = time_limit(args)?;
        let environment = self.environments.for_call(call)?;
        let place = self.place(&*environment, args.workdir.as_deref(), call)?;
        let variables = environment.variables().map_err(|error| failed_start(&error))?;
        let record = if cfg!(unix) { RecordFile::new(&*environment).ok() } else { None };
        let prefix = record.as_ref().map_or_else(String::new, RecordFile::prefix);
        let line = format!("{prefix}{}", args.command);
        let (stdout, stderr) = (SharedTranscript::default(), SharedTranscript::default());
        let mut launch = Launch::new(Program::Shell(line), output_of(args, &stdout, &stderr));
        place.set_directory_of(&mut launch);
        launch.variables = place::command_variables(&self.inherited(call), &variables, &place.state, false);
        let sight = Sight::of_command(&args.command, &place, &*environment, &variables, call)?;
        launch.sees = sight.sees;
        let started = Instant::now();
        let running = environment.start(launch).map_err(|error| failed_start(&error))?;
        let (outcome, timed_out) = wait(&*running, started, Duration::from_secs(seconds), &stdout, call)?;
        let captured = without(&prefix, stdout.take());
        let (output, stored) = shorten_output(&captured, "output", call);
        let (error_output, error_stored) = shorten_output(&without(&prefix, stderr.take()), "standard error", call);
        let returns = Returns {
            output,
            stderr: args.separate_output.then_some(error_output),
            exit_code: outcome.exit.code().map(i64::from),
            signal: signal_of(outcome.exit),
            timed_out,
            duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
            shell: other_shell(&*environment),
            session_id: None,
            pid: None,
            directory: None,
            note: None,
        };
        running.release();
        let recorded = record.and_then(RecordFile::read);
        let (directory, not_kept) =
            self.keep_state(recorded, &variables, &place, &*environment, args.workdir.is_some(), call);
        if timed_out && call.is_cancelled() {
            let text = "the command was stopped because the call was cancelled";
            return Err(ToolError::with_kind(ErrorKind::Cancelled, text));
        }
        let waits_for_keys = || captured.waits_for_keys || Languages::needs_keys(&args.command);
        let how_it_ended = how_it_ended(timed_out.then_some(seconds), outcome.left_running, waits_for_keys);
        let disk = self.disk_warning(&*environment, directory.as_deref().unwrap_or(&place.directory), call);
        let directory = directory.map(|directory| directory.to_string_lossy().into_owned());
        Ok(Returns {
            directory,
            note: join_notes([
                place.note,
                sight.note,
                sight.note_on_failure.filter(|_| returns.exit_code != Some(0)),
                how_it_ended,
                stored,
                error_stored,
                not_kept,
                disk,
            ]),
            ..returns
        })
    }

    /// Keeps the state of the shell for the next command. Returns the directory if it has changed, and a note if variables could not be
    /// kept.
    fn keep_state(
        &self,
        recorded: Option<RecordedState>,
        variables: &Variables,
        place: &CommandStart,
        environment: &dyn Environment,
        is_other_directory: bool,
        call: &Call<'_>,
    ) -> (Option<std::path::PathBuf>, Option<String>) {
        let Some(recorded) = recorded else { return (None, None) };
        let inherited = self.inherited(call);
        let base = place::base_variables(&inherited, variables);
        let (mut state, note) = recorded.state(&place.state, base, |name, value| inherited.passes(name, value));
        let mut changed = None;
        if is_other_directory {
            state.directory.clone_from(&place.state.directory);
        } else if state.directory.as_deref().is_some_and(|directory| !is_same(environment, directory, &place.directory))
        {
            changed.clone_from(&state.directory);
        } else {
            state.directory.clone_from(&place.state.directory);
        }
        if state != ShellState::clone(&place.state) {
            call.set_shell_state(state);
        }
        (changed, note)
    }

    /// Returns a note if the disk is almost full, unless the last result already had the note.
    fn disk_warning(&self, environment: &dyn Environment, directory: &Path, call: &Call<'_>) -> Option<String> {
        // Only environments on this machine use its disk.
        environment.temporary_folder()?;
        let note = (self.disk_space)(directory).and_then(crate::disk::DiskSpace::note);
        let warning = call.state::<DiskWarning>();
        let was_given = mem::replace(&mut *warning.0.lock().unwrap_or_else(PoisonError::into_inner), note.is_some());
        note.filter(|_| !was_given)
    }
}

/// Returns the note about the end of a command: at its time limit in seconds, or with programs that are still running.
fn how_it_ended(limit: Option<u64>, left_running: bool, waits_for_keys: impl FnOnce() -> bool) -> Option<String> {
    match limit {
        Some(seconds) => Some(timed_out_note(seconds, waits_for_keys())),
        None => left_running.then(|| LEFT_RUNNING.to_owned()),
    }
}

/// Returns the note about a command that was ended at its time limit.
fn timed_out_note(seconds: u64, waits_for_keys: bool) -> String {
    if waits_for_keys {
        return format!(
            "ended after {seconds} s: a program that fills the screen, such as an editor, a pager or `watch`, waited for keys, which cannot be pressed in \
             the foreground; use an option that needs no keys, or background with pty"
        );
    }
    format!("ended after {seconds} s; use a longer timeout, a smaller command, or background")
}

/// Returns the time limit of a command, in seconds.
fn time_limit(args: &Args) -> Result<u64, ToolError> {
    let seconds = args.timeout.map_or(TIMEOUT, |seconds| u64::try_from(seconds).unwrap_or(1));
    if seconds <= MAX_TIMEOUT {
        return Ok(seconds);
    }
    let text = format!(
        "a command in the foreground can take at most {MAX_TIMEOUT} seconds: nothing was run. For more, set background"
    );
    Err(ToolError::with_kind(ErrorKind::InvalidArguments, text))
}

/// Waits until a command ends, or ends it at the deadline and when the call is cancelled. Also returns whether it ended the command.
fn wait(
    running: &dyn Running,
    started: Instant,
    limit: Duration,
    output: &SharedTranscript,
    call: &Call<'_>,
) -> Result<(Outcome, bool), ToolError> {
    let live = call.state::<LiveOutput>();
    let reports = live.reports(call, started);
    let should_stop = || {
        reports.report(|| output.last_line());
        started.elapsed() >= limit || call.is_cancelled()
    };
    let unknown_status = |error| ToolError::new(format!("the status of the command is unknown: {error}"));
    match running.wait(&should_stop).map_err(unknown_status)? {
        Some(outcome) => Ok((outcome, false)),
        None => Ok((running.end().map_err(unknown_status)?, true)),
    }
}

/// Returns the output without the prefix of the line, which some shells repeat in their error messages.
fn without(prefix: &str, mut captured: Captured) -> Captured {
    if !prefix.is_empty() && captured.text.contains(prefix) {
        captured.text = captured.text.replace(prefix, "");
    }
    captured
}

/// Returns where the output of a command goes.
fn output_of(args: &Args, stdout: &SharedTranscript, stderr: &SharedTranscript) -> Output {
    match (args.pty, args.separate_output) {
        (true, _) => Output::Terminal { size: SIZE, screen: Box::new(stdout.clone()) },
        (false, true) => Output::Apart { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()) },
        (false, false) => Output::Merged(Box::new(stdout.clone())),
    }
}

/// Returns the output for the result, and if it was shortened, a note where the host has stored the full output.
fn shorten_output(captured: &Captured, what: &str, call: &Call<'_>) -> (String, Option<String>) {
    if !captured.is_long() {
        return (captured.text.clone(), None);
    }
    let note = call.store_text(&captured.text).map(|stored| match stored {
        Ok(stored) => {
            let (name, reader, chars) = (stored.name, stored.reader, captured.chars());
            format!("the full {what} ({chars} characters) is in {name}: read parts of it with `{reader}`")
        }
        Err(error) => format!("the rest of the {what} is lost: {error}"),
    });
    (captured.shortened(), note)
}

/// Returns whether two paths name the same directory. A shell reports a path without symbolic links.
fn is_same(environment: &dyn Environment, a: &Path, b: &Path) -> bool {
    a == b || environment.files().resolve(b).is_ok_and(|b| a == b)
}
