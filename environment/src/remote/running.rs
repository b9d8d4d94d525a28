//! A program that runs in a place.

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc_process::{Channel, EndReason, TerminalSize};

use super::frames::{Reports, Start};
use super::{Inner, START_LIMIT, check_start};
use crate::{Exit, OnEnd, Outcome, Running};

/// How long to wait, after a program has ended, for its remaining output and for the end of its client.
const DRAIN: Duration = Duration::from_millis(500);
/// How long to wait for the end of a client after its program was killed.
const CLIENT_LIMIT: Duration = Duration::from_secs(5);
/// The time after which to check again whether a program still runs, if the connection to it was lost.
const RECHECK: Duration = Duration::from_secs(2);
/// How often to check whether to stop waiting for such a program.
const POLL: Duration = Duration::from_millis(50);

/// A program that runs in a place.
#[derive(Debug)]
pub(super) struct RemoteProgram(Arc<Shared>);

/// The state that the host, the thread that waits for the end, and the list of released programs share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The client: the local command that reaches the program.
    command: Box<dyn Running>,
    reports: Reports,
    remote: Arc<Inner>,
    /// Whether the host has ended the program.
    is_stopped: AtomicBool,
    is_released: AtomicBool,
    outcome: OnceLock<Outcome>,
    /// If the client has ended before the program: the last check whether the program still runs, and its time.
    disconnected: Mutex<Option<(Instant, Disconnected)>>,
}

/// The state of a program whose client has ended before it.
#[derive(Debug, Clone)]
enum Disconnected {
    Running,
    /// The program has ended.
    Ended,
    /// The search for the program failed.
    Unreachable(String),
}

impl RemoteProgram {
    pub(super) fn new(command: Box<dyn Running>, reports: Reports, remote: Arc<Inner>) -> Self {
        let is_stopped = AtomicBool::new(false);
        let is_released = AtomicBool::new(false);
        let (outcome, disconnected) = Default::default();
        Self(Arc::new(Shared { command, reports, remote, is_stopped, is_released, outcome, disconnected }))
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// Waits until the program has started.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub(super) fn wait_for_start(&self) -> io::Result<()> {
        let since = Instant::now();
        let should_stop = || Ok(since.elapsed() > START_LIMIT || self.0.command.outcome()?.is_some());
        check_start(self.0.reports.wait_for_start(should_stop)?, &self.0.reports)
    }

    /// Calls a function when the program has ended. The function is not called if the connection was lost earlier.
    pub(super) fn on_end(&self, on_end: OnEnd) -> io::Result<()> {
        let shared = Arc::clone(&self.0);
        let wait = move || {
            if let Ok(Some(outcome)) = shared.wait(&|| false) {
                on_end.0(&outcome);
            }
        };
        thread::Builder::new().name("toolc-remote".to_owned()).spawn(wait).map(drop)
    }
}

impl Shared {
    pub(super) fn reports(&self) -> &Reports {
        &self.reports
    }

    /// Returns whether the client has ended or its state is unknown.
    fn has_client_ended(&self) -> bool {
        !matches!(self.command.outcome(), Ok(None))
    }

    /// Returns whether the client has ended, and no process has the output open.
    pub(super) fn is_over(&self) -> bool {
        self.command.outcome().is_ok_and(|outcome| outcome.is_some_and(|outcome| !outcome.left_running))
    }

    fn outcome(&self) -> io::Result<Option<Outcome>> {
        if let Some(outcome) = self.outcome.get() {
            return Ok(Some(*outcome));
        }
        let outcome = match (self.command.outcome()?, self.reports.end()) {
            (Some(command), None) if self.reason(command.reason) == EndReason::Exited => {
                return self.check_still_running().map(|()| None);
            }
            (Some(command), end) => self.outcome_of(command, end.map(|(code, _)| code))?,
            // Processes that the program left running keep the client alive.
            (None, Some((code, at))) if at.elapsed() >= DRAIN => {
                Outcome { exit: exit(code), reason: self.reason(EndReason::Exited), left_running: true }
            }
            (None, _) => return Ok(None),
        };
        Ok(Some(*self.outcome.get_or_init(|| outcome)))
    }

    /// Returns the outcome of a program whose client has ended. `code` is the exit code that the shell around the program has reported.
    fn outcome_of(&self, command: Outcome, code: Option<i32>) -> io::Result<Outcome> {
        let reason = self.reason(command.reason);
        let exit = match code {
            Some(code) => exit(code),
            // The program was killed together with the shell that would have reported its exit code.
            None => Exit::Signal(9),
        };
        if command.reason == EndReason::OutputLimit && code.is_none() {
            // The output limit has ended only the client.
            self.remote.end(self.ids())?;
        }
        // Some clients are replaced by the program, so they can end while its children still have the output open.
        Ok(Outcome { exit, reason, left_running: command.left_running })
    }

    /// Checks that a program whose client has ended before it still runs.
    ///
    /// # Errors
    /// If the program no longer runs, or its place does not answer.
    fn check_still_running(&self) -> io::Result<()> {
        let mut disconnected = self.disconnected.lock().unwrap_or_else(PoisonError::into_inner);
        let state = match &*disconnected {
            Some((_, Disconnected::Ended)) => Disconnected::Ended,
            Some((checked, state)) if checked.elapsed() < RECHECK => state.clone(),
            _ => {
                let state = match self.remote.is_running(&self.ids()) {
                    Ok(true) => Disconnected::Running,
                    Ok(false) => Disconnected::Ended,
                    Err(error) => Disconnected::Unreachable(error.to_string()),
                };
                *disconnected = Some((Instant::now(), state.clone()));
                state
            }
        };
        drop(disconnected);
        let problem = match state {
            Disconnected::Running => return Ok(()),
            Disconnected::Ended => "the program has ended, and its exit code is unknown".to_owned(),
            Disconnected::Unreachable(error) => format!("the program may still run, but cannot be found: {error}"),
        };
        let output = self.reports.early();
        let output = if output.is_empty() { output } else { format!(" ({output})") };
        Err(io::Error::other(format!("the connection to the program was lost{output}; {problem}")))
    }

    /// Returns the identifiers of the processes of the program: its token, and the number of its session.
    pub(super) fn ids(&self) -> Vec<OsString> {
        let token = self.reports.token().into();
        match self.reports.start() {
            Some(Start::NoDirectory | Start::OtherDirectory | Start::NoProgram) => Vec::new(),
            // When the program and its client have ended, the system can give the number to another session.
            Some(Start::Started(session)) if !(self.reports.end().is_some() && self.is_over()) => {
                vec![token, session.to_string().into()]
            }
            _ => vec![token],
        }
    }

    fn is_known_to_have_ended(&self) -> bool {
        let state = self.disconnected.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&*state, Some((_, Disconnected::Ended)))
    }

    fn reason(&self, reason: EndReason) -> EndReason {
        let is_ended_by_host = self.is_stopped.load(Ordering::SeqCst) || self.remote.is_closed();
        if reason == EndReason::Exited && is_ended_by_host { EndReason::Stopped } else { reason }
    }

    fn wait(&self, should_stop: &dyn Fn() -> bool) -> io::Result<Option<Outcome>> {
        let is_stopped = Cell::new(false);
        let is_left_running = || self.reports.end().is_some_and(|(_, at)| at.elapsed() >= DRAIN);
        loop {
            if let Some(outcome) = self.outcome()? {
                return Ok(Some(outcome));
            }
            if is_stopped.get() {
                return Ok(None);
            }
            if self.has_client_ended() {
                is_stopped.set(should_stop());
                thread::sleep(POLL);
                continue;
            }
            self.command.wait(&|| {
                is_stopped.set(should_stop());
                is_stopped.get() || is_left_running()
            })?;
        }
    }

    fn end(&self) -> io::Result<Outcome> {
        let previous = match self.outcome() {
            Ok(outcome) => outcome,
            Err(error) if self.is_known_to_have_ended() => return Err(error),
            Err(_) => None,
        };
        if previous.is_none() {
            self.is_stopped.store(true, Ordering::SeqCst);
        }
        let result = self.remote.end(self.ids());
        if let Some(outcome) = previous {
            return result.map(|()| outcome);
        }
        let since = Instant::now();
        let outcome = if let Some(outcome) = self.wait(&|| since.elapsed() > CLIENT_LIMIT)? {
            outcome
        } else {
            let outcome = self.outcome_of(self.command.end()?, self.reports.end().map(|(code, _)| code))?;
            *self.outcome.get_or_init(|| outcome)
        };
        result.map(|()| outcome)
    }
}

impl Running for RemoteProgram {
    fn id(&self) -> Option<u32> {
        None
    }

    fn outcome(&self) -> io::Result<Option<Outcome>> {
        self.0.outcome()
    }

    fn wait(&self, should_stop: &dyn Fn() -> bool) -> io::Result<Option<Outcome>> {
        self.0.wait(should_stop)
    }

    fn end(&self) -> io::Result<Outcome> {
        self.0.end()
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.command.write(bytes)
    }

    fn close_input(&self) -> io::Result<()> {
        self.0.command.close_input()
    }

    fn channel(&self) -> io::Result<Channel> {
        self.0.command.channel()
    }

    fn resize(&self, size: TerminalSize) -> io::Result<()> {
        self.0.command.resize(size)?;
        self.0.remote.resize(&self.0.reports, size)
    }

    fn release(self: Box<Self>) {
        self.0.is_released.store(true, Ordering::SeqCst);
        self.0.reports.discard();
        self.0.remote.keep(Arc::clone(&self.0));
    }
}

impl Drop for RemoteProgram {
    fn drop(&mut self) {
        let is_over = self.0.is_released.load(Ordering::SeqCst) || self.0.remote.is_closed();
        // If the program has ended by itself, its children live until the environment is cleaned up.
        if !is_over && self.0.reports.end().is_none() {
            let _ = self.0.end();
        }
    }
}

/// Decodes the exit status of a shell: 128 + N means that signal N killed the program. A program that exits with such a code looks the
/// same.
fn exit(code: i32) -> Exit {
    match code {
        129..=192 => Exit::Signal(code - 128),
        code => Exit::Code(code),
    }
}
