//! Runs a script in an interpreter, answers its calls, and enforces its limits.

use std::io;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use toolc::{Call, CallResponse, ErrorKind, ToolError};

use crate::calls::ScriptCalls;
use crate::frames::{Exception, FromScript, ToScript};
use crate::kernel::{Event, Kernel};
use crate::limits::Limits;

/// How often a script is checked for cancellation.
const POLL: Duration = Duration::from_millis(50);

/// How a script has ended, and the number of its calls.
#[derive(Debug)]
pub(crate) struct ScriptOutcome {
    pub(crate) end: ScriptEnd,
    pub(crate) calls: usize,
}

/// How a script has ended.
#[derive(Debug)]
pub(crate) enum ScriptEnd {
    /// The script ran to its end, or raised an exception.
    Done { result: Option<String>, error: Option<Exception> },
    /// The script exceeded its time limit.
    TimedOut,
    /// The call was cancelled.
    Cancelled,
    /// The interpreter has closed the connection.
    Closed,
    /// The interpreter violated the protocol, or cannot be reached.
    Broken(String),
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a script to its end. If the end is anything but `Done`, the caller must end the interpreter.
pub(crate) fn run(kernel: &mut Kernel, code: &str, module: &str, call: &Call<'_>, limits: &Limits) -> ScriptOutcome {
    let deadline = Instant::now() + limits.time;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut calls = ScriptCalls::new(call, limits.calls);
    let end = match kernel.run(code, module, waker.clone()) {
        Ok(run) => wait(kernel, run, &mut calls, call, deadline, &waker),
        Err(error) => unreachable_error(&error),
    };
    ScriptOutcome { end, calls: calls.made() }
}

fn wait(
    kernel: &mut Kernel,
    run: u64,
    calls: &mut ScriptCalls<'_>,
    call: &Call<'_>,
    deadline: Instant,
    waker: &Waker,
) -> ScriptEnd {
    loop {
        if call.is_cancelled() {
            return ScriptEnd::Cancelled;
        }
        let now = Instant::now();
        if now >= deadline {
            return ScriptEnd::TimedOut;
        }
        let mut is_idle = true;
        if !calls.is_full()
            && let Some(event) = kernel.event()
        {
            is_idle = false;
            match event {
                Event::Message(FromScript::Done { run: run_id, result, error, directory }) if run_id == run => {
                    kernel.set_directory(directory);
                    return ScriptEnd::Done { result, error };
                }
                Event::Message(FromScript::Call { id, run: run_id, tool, arguments }) => {
                    let refused = if run_id == run { calls.add(id, tool, arguments) } else { Some(too_late()) };
                    if let Some(response) = refused
                        && let Err(end) = answer(kernel, id, &response)
                    {
                        return end;
                    }
                }
                Event::Message(FromScript::Ready { .. } | FromScript::Done { .. }) => {
                    return ScriptEnd::Broken("has sent a message at the wrong time".to_owned());
                }
                Event::Broken(text) => return ScriptEnd::Broken(text),
                Event::Closed => return ScriptEnd::Closed,
            }
        }
        while let Some((id, response)) = calls.poll(&mut Context::from_waker(waker)) {
            is_idle = false;
            if let Err(end) = answer(kernel, id, &response) {
                return end;
            }
        }
        if is_idle {
            thread::park_timeout(POLL.min(deadline - now));
        }
    }
}

fn answer(kernel: &Kernel, id: u64, response: &CallResponse) -> Result<(), ScriptEnd> {
    let message = ToScript::Answer { id, json: &response.json, failed: response.is_error() };
    kernel.send(&message).map_err(|error| unreachable_error(&error))
}

fn unreachable_error(error: &io::Error) -> ScriptEnd {
    ScriptEnd::Broken(format!("cannot be reached: {error}"))
}

/// Returns the response to a call of an earlier script.
fn too_late() -> CallResponse {
    let text = "the script that made this call has ended: nothing was done";
    CallResponse::from(Err(ToolError::with_kind(ErrorKind::Cancelled, text)))
}
