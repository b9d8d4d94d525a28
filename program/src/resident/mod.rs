//! Programs that stay running between calls.
//!
//! There is one process for each program and each set of values of the environment variables that it gets. Nothing else differs between
//! the sessions of a host, and each request names its task. So a hundred tasks need one process, and the hooks of a plugin know what its
//! tools did. Sessions with other values, such as another key, get a process of their own.

mod lines;
mod process;
mod requests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc::{Env, ErrorKind, ToolError};

use crate::output::with_excerpt;
use crate::place::Place;
use crate::program::Program;
use crate::protocol::{Answer, ProgramReply, Request};
use crate::running_calls::RunningCalls;
use process::Resident;
use requests::Ended;

/// The maximum number of processes of one program.
const MAX_PROCESSES: usize = 8;

/// How often a request is sent to a new process, because the previous one ended before it could get the request.
const ATTEMPTS: usize = 3;

/// The processes of all programs.
#[derive(Debug, Default)]
pub struct Residents {
    processes: Mutex<Vec<Arc<Resident>>>,
    /// Counts the processes that have not ended.
    running: Arc<RunningCalls>,
}

impl Residents {
    /// Sends a request to the process of `program` for the variables in `env`, which is started if necessary. Waits for the answer until
    /// `should_stop` returns true.
    pub(crate) fn ask(
        &self,
        program: &Program,
        idle: Duration,
        request: &Request<'_>,
        env: &Env,
        place: &Place,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        let failed = |message: String| ToolError::new(program.passed.redact(message, env));
        let name = &program.title;
        // A process can end between two calls. Then the request is sent to a new one.
        for _ in 0..ATTEMPTS {
            let process = self.process(program, idle, env, place).map_err(failed)?;
            let reply = match process.ask(request, should_stop) {
                Ok(reply) => reply,
                Err(Ended::BeforeRequest) => continue,
                Err(Ended::Stopped) => {
                    return Err(ToolError::with_kind(
                        ErrorKind::Cancelled,
                        format!("{name} was stopped: the call was cancelled"),
                    ));
                }
                Err(Ended::DuringRequest(why)) => {
                    let message = format!(
                        "{name} ended during the call: {why}. The next call starts it again, without its state"
                    );
                    return Err(failed(message));
                }
                Err(Ended::Refused(why)) => return Err(failed(format!("{name} cannot be asked: {why}"))),
            };
            return match reply {
                ProgramReply::Result(value) => Ok(Answer { value, excerpt: String::new() }),
                ProgramReply::Error(error) => {
                    let excerpt = process.new_stderr(&|text| program.passed.redact_cut(text, env));
                    Err(with_excerpt(error.into_tool_error(&|text| program.passed.redact(text, env)), &excerpt))
                }
            };
        }
        Err(failed(format!("{name} ends as soon as it is started")))
    }

    /// Ends the processes of a version of a program as soon as they have answered all requests.
    pub fn retire(&self, version: u64) {
        self.processes().retain(|process| {
            let is_retired = process.version == version;
            if is_retired {
                process.end_when_idle();
            }
            !is_retired
        });
    }

    /// Ends all processes, and waits until they have ended, but at most for `timeout`. Returns whether they have ended.
    pub fn end(&self, timeout: Duration) -> bool {
        let processes = std::mem::take(&mut *self.processes());
        for process in processes {
            process.end_when_idle();
        }
        self.running.settle(timeout)
    }

    /// Returns the process for these variables, which is started if there is none.
    fn process(&self, program: &Program, idle: Duration, env: &Env, place: &Place) -> Result<Arc<Resident>, String> {
        let variables = program.passed.values(env);
        let mut processes = self.processes();
        processes.retain(|process| !process.has_ended());
        let own = || processes.iter().filter(|process| process.version == program.version);
        if let Some(process) = own().find(|process| process.variables == variables) {
            return Ok(Arc::clone(process));
        }
        if own().count() >= MAX_PROCESSES {
            let idle = own().filter_map(|process| Some((process.idle_since()?, process)));
            let Some((_, longest)) = idle.min_by_key(|(since, _): &(Instant, _)| *since) else {
                return Err(format!(
                    "{} runs for {MAX_PROCESSES} sessions with different variables already. Try again later",
                    program.title
                ));
            };
            longest.end_when_idle();
        }
        let started = Resident::start(program, variables, idle, env, place, self.running.start())?;
        processes.push(Arc::clone(&started));
        Ok(started)
    }

    fn processes(&self) -> MutexGuard<'_, Vec<Arc<Resident>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
