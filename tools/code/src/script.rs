//! A script: runs it in an interpreter, answers its calls, and watches its limits.

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

/// The interval at which a cancellation is looked for.
const POLL: Duration = Duration::from_millis(50);

/// How a script has ended, and the number of its calls.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) how: End,
    pub(crate) calls: usize,
}

#[derive(Debug)]
pub(crate) enum End {
    /// It has reached its end, or an exception.
    Done { result: Option<String>, error: Option<Exception> },
    /// It has exceeded its time limit.
    TimedOut,
    /// The call is cancelled.
    Cancelled,
    /// The interpreter has closed the connection.
    Closed,
    /// The interpreter has sent something that is not of the protocol, or cannot be reached.
    Broken(String),
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a script to its end. Unless it is `Done`, the interpreter must be ended.
pub(crate) fn run(kernel: &mut Kernel, code: &str, module: &str, call: &Call<'_>, limits: &Limits) -> Ended {
    let deadline = Instant::now() + limits.time;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut calls = ScriptCalls::new(call, limits.calls);
    let how = match kernel.run(code, module, waker.clone()) {
        Ok(run) => wait(kernel, run, &mut calls, call, deadline, &waker),
        Err(error) => unreachable_by(&error),
    };
    Ended { how, calls: calls.made() }
}

fn wait(
    kernel: &mut Kernel,
    run: u64,
    calls: &mut ScriptCalls<'_>,
    call: &Call<'_>,
    deadline: Instant,
    waker: &Waker,
) -> End {
    loop {
        if call.is_cancelled() {
            return End::Cancelled;
        }
        let now = Instant::now();
        if now >= deadline {
            return End::TimedOut;
        }
        let mut is_idle = true;
        if !calls.is_full()
            && let Some(event) = kernel.event()
        {
            is_idle = false;
            match event {
                Event::Message(FromScript::Done { run: of, result, error }) if of == run => {
                    return End::Done { result, error };
                }
                Event::Message(FromScript::Call { id, run: of, tool, arguments }) => {
                    let refused = if of == run { calls.add(id, tool, arguments) } else { Some(too_late()) };
                    if let Some(response) = refused
                        && let Err(end) = answer(kernel, id, &response)
                    {
                        return end;
                    }
                }
                Event::Message(FromScript::Ready { .. } | FromScript::Done { .. }) => {
                    return End::Broken("has sent a message at the wrong time".to_owned());
                }
                Event::Broken(text) => return End::Broken(text),
                Event::Closed => return End::Closed,
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

fn answer(kernel: &Kernel, id: u64, response: &CallResponse) -> Result<(), End> {
    let message = ToScript::Answer { id, json: &response.json, failed: response.is_error() };
    kernel.send(&message).map_err(|error| unreachable_by(&error))
}

fn unreachable_by(error: &io::Error) -> End {
    End::Broken(format!("cannot be reached: {error}"))
}

/// Returns the response to a call that an earlier script has left behind.
fn too_late() -> CallResponse {
    let text = "the script that made this call has ended: nothing was done";
    CallResponse::from(Err(ToolError::with_kind(ErrorKind::Cancelled, text)))
}
