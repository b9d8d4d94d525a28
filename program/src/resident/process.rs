//! One process that stays running: its start, and its end.
//!
//! A thread looks after each process. It alone ends it: when it is idle, does not answer a cancelled request, or is not needed any more.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use toolc::Env;
use toolc_process::{EndReason, Outcome, Process, RunningProcess, Stream};

use super::lines::Lines;
use super::requests::{Ended, Requests};
use crate::output::{LimitedOutput, advice, status_text, stderr_excerpt};
use crate::place::Place;
use crate::program::Program;
use crate::protocol::{Cancellation, ProgramReply, Request, line};
use crate::running_calls::RunningCallGuard;

/// The time in which a program must end after its input was closed.
const GRACE: Duration = Duration::from_secs(1);
/// The maximum number of bytes of requests that wait for a program to read them.
const MAX_WAITING: usize = 16 << 20;

/// A process that stays running.
#[derive(Debug)]
pub(super) struct Resident {
    /// The version of the program.
    pub(super) version: u64,
    /// The environment variables that it got.
    pub(super) variables: Vec<(String, String)>,
    process: Arc<RunningProcess>,
    requests: Arc<Requests>,
    err: Stream<LimitedOutput>,
}

impl Resident {
    /// Starts the program. The error is a message.
    pub(super) fn start(
        program: &Program,
        variables: Vec<(String, String)>,
        idle: Duration,
        env: &Env,
        place: &Place,
        guard: RunningCallGuard,
    ) -> Result<Arc<Self>, String> {
        let failed = |error: io::Error| {
            format!("failed to start {}: {error}{}", program.title, advice(&error, &program.executable))
        };
        let mut command = place.command(program);
        program.passed.apply(&mut command, env);
        let requests = Arc::new(Requests::new());
        let mut process = Process::new(command);
        place.limit(&mut process, &program.root).map_err(failed)?;
        process.input().map_err(failed)?;
        let lines = Lines::new(Arc::clone(&requests), program.max_output);
        process.stdout(lines).map_err(failed)?;
        let err = process.stderr(LimitedOutput::tail(usize::MAX)).map_err(failed)?;
        let (passed, of_session) = (program.passed.clone(), env.clone());
        let (at_end, err_at_end) = (Arc::clone(&requests), err.clone());
        process.on_end(move |outcome| {
            let excerpt = stderr_excerpt(err_at_end.take().bytes, &|text| passed.redact_cut(text, &of_session));
            at_end.end(format!("{}{excerpt}", ended_text(*outcome)));
        });
        let process = Arc::new(process.start().map_err(failed)?);
        let (looked_after, its_requests) = (Arc::clone(&process), Arc::clone(&requests));
        let thread = thread::Builder::new().name("program that stays running".to_owned());
        let looking_after = thread.spawn(move || {
            let _guard = guard;
            its_requests.wait_for_end(idle);
            let _ = looked_after.close_input();
            let _ = looked_after.wait_timeout(GRACE);
            let _ = looked_after.end();
        });
        looking_after.map_err(failed)?;
        Ok(Arc::new(Self { version: program.version, variables, process, requests, err }))
    }

    /// Sends a request, and waits for the reply until `should_stop` returns true.
    pub(super) fn ask(&self, request: &Request<'_>, should_stop: &dyn Fn() -> bool) -> Result<ProgramReply, Ended> {
        let id = self.requests.open().ok_or(Ended::BeforeRequest)?;
        let sent = line(&Request { id: Some(id), ..*request }).map_err(io::Error::from);
        if let Err(error) = sent.and_then(|line| self.process.write_later(line, MAX_WAITING)) {
            self.requests.forget(id);
            return Err(match error.kind() {
                io::ErrorKind::BrokenPipe => {
                    // A process that does not read any more gets no requests.
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

    /// Returns the end of what the program has printed to stderr since this was last asked, as a clause for a message.
    pub(super) fn new_stderr(&self, redact: &dyn Fn(String) -> String) -> String {
        /// A reply can overtake what was printed before it, since they have a pipe each.
        const DELAY: Duration = Duration::from_millis(20);
        thread::sleep(DELAY);
        let printed = self.err.look(|output| std::mem::take(&mut output.bytes));
        stderr_excerpt(printed.unwrap_or_default(), redact)
    }

    /// Ends the process as soon as no request is open.
    pub(super) fn end_when_idle(&self) {
        self.requests.retire();
    }

    /// Returns whether the process takes no more requests.
    pub(super) fn has_ended(&self) -> bool {
        self.requests.has_ended()
    }

    /// Returns since when the process has no request, or `None` if it has one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.requests.idle_since()
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.end_when_idle();
    }
}

fn ended_text(outcome: Outcome) -> String {
    match outcome.reason {
        EndReason::Exited => status_text(outcome.status),
        EndReason::Stopped => "the host ended it".to_owned(),
        EndReason::OutputLimit => "it printed too much".to_owned(),
    }
}
