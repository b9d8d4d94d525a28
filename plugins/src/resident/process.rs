//! One process that stays running: its requests, and its end.
//!
//! A thread looks after each process. It alone ends it: when it is idle, does not answer a cancelled request, or is not needed any more.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc::Env;
use toolc_process::{EndReason, Outcome, Process, RunningProcess};

use super::lines::Lines;
use crate::output::{LimitedOutput, advice, status_text, stderr_excerpt};
use crate::plugin::Plugin;
use crate::protocol::{Cancellation, ProgramReply, Request, line};
use crate::running_calls::RunningCallGuard;

/// The interval at which `should_stop` is called.
const POLL: Duration = Duration::from_millis(10);
/// The time in which a program must answer a request that was cancelled.
const CANCELLED: Duration = Duration::from_secs(5);
/// The time in which a program must end after its input was closed.
const GRACE: Duration = Duration::from_secs(1);
/// The maximum number of bytes of requests that wait for a program to read them.
const MAX_WAITING: usize = 16 << 20;

/// A process that stays running.
#[derive(Debug)]
pub(super) struct Resident {
    /// The version of its plugin.
    pub(super) version: u64,
    /// The environment variables that it got.
    pub(super) variables: Vec<(String, String)>,
    process: Arc<RunningProcess>,
    requests: Arc<Requests>,
}

/// Why a request has no reply.
#[derive(Debug)]
pub(super) enum Ended {
    /// The process has ended before it could get the request.
    BeforeRequest,
    /// The process has ended, for this reason, and may have got the request.
    DuringRequest(String),
    /// The request cannot be sent for this reason. The process runs on.
    Refused(String),
    /// `should_stop` has returned true.
    Stopped,
}

/// The requests to a process.
#[derive(Debug)]
pub(super) struct Requests {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    next: u64,
    open: HashMap<u64, OpenRequest>,
    /// When the last request was sent or answered.
    last_used: Instant,
    /// Whether the process is ended when no request is open.
    is_retired: bool,
    /// Why the process gets no more requests.
    end: Option<String>,
}

/// A request that the program has not answered, or whose reply nothing has taken yet.
#[derive(Debug)]
enum OpenRequest {
    Sent,
    Answered(ProgramReply),
    /// The program must answer until then.
    Cancelled(Instant),
}

impl Resident {
    /// Starts the program. The error is a message.
    pub(super) fn start(
        plugin: &Plugin,
        variables: Vec<(String, String)>,
        idle: Duration,
        env: &Env,
        dir: Option<&Path>,
        guard: RunningCallGuard,
    ) -> Result<Arc<Self>, String> {
        let failed = |error: io::Error| format!("failed to start {}: {error}{}", plugin.title(), advice(&error));
        let mut command = Command::new(&plugin.executable);
        plugin.passed.apply(&mut command, env);
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        let requests = Arc::new(Requests::new());
        let mut process = Process::new(command);
        process.input().map_err(failed)?;
        let lines = Lines::new(Arc::clone(&requests), plugin.max_output);
        process.stdout(lines).map_err(failed)?;
        let err = process.stderr(LimitedOutput::tail(usize::MAX)).map_err(failed)?;
        let (passed, of_session) = (plugin.passed.clone(), env.clone());
        let at_end = Arc::clone(&requests);
        process.on_end(move |outcome| {
            let excerpt = stderr_excerpt(err.take().bytes, &|text| passed.redact_cut(text, &of_session));
            at_end.end(format!("{}{excerpt}", ended_text(*outcome)));
        });
        let process = Arc::new(process.start().map_err(failed)?);
        let (looked_after, its_requests) = (Arc::clone(&process), Arc::clone(&requests));
        let thread = thread::Builder::new().name("plugin that stays running".to_owned());
        let looking_after = thread.spawn(move || {
            let _guard = guard;
            its_requests.wait_for_end(idle);
            let _ = looked_after.close_input();
            let _ = looked_after.wait_timeout(GRACE);
            let _ = looked_after.end();
        });
        looking_after.map_err(failed)?;
        Ok(Arc::new(Self { version: plugin.version, variables, process, requests }))
    }

    /// Sends a request, and waits for the reply until `should_stop` returns true.
    pub(super) fn ask(&self, request: &Request<'_>, should_stop: &dyn Fn() -> bool) -> Result<ProgramReply, Ended> {
        let id = self.requests.open().ok_or(Ended::BeforeRequest)?;
        let sent = line(&Request { id: Some(id), ..*request }).map_err(io::Error::from);
        if let Err(error) = sent.and_then(|line| self.process.write_later(line, MAX_WAITING)) {
            self.requests.forget(id);
            return Err(match error.kind() {
                io::ErrorKind::BrokenPipe => {
                    // A process that does not read any more is of no use.
                    self.requests.end("it has closed its input".to_owned());
                    Ended::BeforeRequest
                }
                _ => Ended::Refused(error.to_string()),
            });
        }
        let reply = self.requests.wait(id, should_stop);
        if let Err(Ended::Stopped) = reply
            && let Ok(line) = line(&Cancellation { cancel: id })
        {
            let _ = self.process.write_later(line, MAX_WAITING);
        }
        reply
    }

    /// Ends the process as soon as no request is open.
    pub(super) fn end_when_idle(&self) {
        self.requests.state().is_retired = true;
        self.requests.changed.notify_all();
    }

    /// Returns whether the process takes no more requests.
    pub(super) fn has_ended(&self) -> bool {
        let state = self.requests.state();
        state.end.is_some() || state.is_retired
    }

    /// Returns since when the process has no request, or `None` if it has one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.requests.state();
        state.open.is_empty().then_some(state.last_used)
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.end_when_idle();
    }
}

impl Requests {
    fn new() -> Self {
        let state = State { next: 1, open: HashMap::new(), last_used: Instant::now(), is_retired: false, end: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the id of a new request, or `None` if the process takes no more.
    fn open(&self) -> Option<u64> {
        let mut state = self.state();
        if state.end.is_some() {
            return None;
        }
        let id = state.next;
        state.next += 1;
        state.open.insert(id, OpenRequest::Sent);
        state.last_used = Instant::now();
        Some(id)
    }

    /// Removes a request that was not sent.
    fn forget(&self, id: u64) {
        self.state().open.remove(&id);
        self.changed.notify_all();
    }

    /// Waits for the reply to a request.
    fn wait(&self, id: u64, should_stop: &dyn Fn() -> bool) -> Result<ProgramReply, Ended> {
        loop {
            let mut state = self.state();
            if let Some(OpenRequest::Answered(_)) = state.open.get(&id)
                && let Some(OpenRequest::Answered(reply)) = state.open.remove(&id)
            {
                drop(state);
                self.changed.notify_all();
                return Ok(reply);
            }
            if let Some(why) = &state.end {
                return Err(Ended::DuringRequest(why.clone()));
            }
            drop(self.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner));
            if should_stop() {
                let mut state = self.state();
                // The reply may have arrived in the meantime.
                if let Some(open @ OpenRequest::Sent) = state.open.get_mut(&id) {
                    *open = OpenRequest::Cancelled(Instant::now() + CANCELLED);
                } else {
                    state.open.remove(&id);
                }
                drop(state);
                self.changed.notify_all();
                return Err(Ended::Stopped);
            }
        }
    }

    /// Adds the reply to a request. The error says why there is no such request.
    pub(super) fn answer(&self, id: u64, reply: ProgramReply) -> Result<(), String> {
        let mut state = self.state();
        match state.open.get_mut(&id) {
            Some(open @ OpenRequest::Sent) => *open = OpenRequest::Answered(reply),
            Some(OpenRequest::Cancelled(_)) => drop(state.open.remove(&id)),
            Some(OpenRequest::Answered(_)) | None => {
                return Err(format!("it replied to the request {id}, which is not open"));
            }
        }
        state.last_used = Instant::now();
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Ends the process for this reason, unless it ends already for another one.
    pub(super) fn end(&self, why: String) {
        self.state().end.get_or_insert(why);
        self.changed.notify_all();
    }

    /// Waits until the process must be ended, or has ended.
    fn wait_for_end(&self, idle: Duration) {
        let mut state = self.state();
        while state.end.is_none() {
            let now = Instant::now();
            let cancelled = state.open.values().filter_map(|open| match open {
                OpenRequest::Cancelled(until) => Some(*until),
                _ => None,
            });
            let first = cancelled.min();
            let is_idle = state.open.is_empty();
            if first.is_some_and(|until| until <= now) {
                state.end = Some(format!("it did not answer a cancelled request within {CANCELLED:?}"));
            } else if is_idle && (state.is_retired || now.duration_since(state.last_used) >= idle) {
                state.end = Some("it was not needed any more".to_owned());
            } else {
                let deadline = if is_idle { state.last_used.checked_add(idle) } else { first };
                let wait = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
                state = match wait {
                    Duration::MAX => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                    wait => self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0,
                };
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ended_text(outcome: Outcome) -> String {
    match outcome.reason {
        EndReason::Exited => status_text(outcome.status),
        EndReason::Stopped => "the host ended it".to_owned(),
        EndReason::OutputLimit => "it printed too much".to_owned(),
    }
}
