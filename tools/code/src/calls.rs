//! The calls of a script, from any number of its threads. As in a batch, calls run concurrently, except that a tool that may not overlap
//! with others runs alone.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use toolc::behaviour::Parallel;
use toolc::{Call, CallResponse, ErrorKind, ToolError};

/// The maximum number of calls that run at the same time.
const MAX_RUNNING: usize = 8;
/// The maximum number of waiting calls. While there are as many, no messages of the script are read.
const MAX_WAITING: usize = 64;
/// The maximum size of the arguments of all waiting calls, in bytes.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// The calls of a script.
pub(crate) struct ScriptCalls<'c> {
    call: &'c Call<'c>,
    max: usize,
    made: usize,
    running: Vec<RunningCall<'c>>,
    waiting: VecDeque<WaitingCall>,
}

struct RunningCall<'c> {
    id: u64,
    is_alone: bool,
    response: Pin<Box<dyn Future<Output = CallResponse> + 'c>>,
}

struct WaitingCall {
    id: u64,
    tool: String,
    arguments: String,
}

impl<'c> ScriptCalls<'c> {
    /// Returns an empty list of calls for the script of `call`. The script may make at most `max` calls.
    pub(crate) fn new(call: &'c Call<'c>, max: usize) -> Self {
        Self { call, max, made: 0, running: Vec::new(), waiting: VecDeque::new() }
    }

    /// Returns the number of calls that the script has made.
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    /// Returns whether no further calls can be added now.
    pub(crate) fn is_full(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(|call| call.arguments.len()).sum();
        self.waiting.len() >= MAX_WAITING || bytes >= MAX_WAITING_BYTES
    }

    /// Adds a call. If the call is refused immediately, returns the response.
    pub(crate) fn add(&mut self, id: u64, tool: String, arguments: String) -> Option<CallResponse> {
        if self.made >= self.max {
            let text = format!("a script can make at most {} calls: this one was not made", self.max);
            return Some(CallResponse::from(Err(ToolError::with_kind(ErrorKind::Refused, text))));
        }
        self.made += 1;
        self.waiting.push_back(WaitingCall { id, tool, arguments });
        None
    }

    /// Starts the calls that may start, and polls the running calls. Returns the response of a call that has ended.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Option<(u64, CallResponse)> {
        self.start();
        let poll = |(index, running): (usize, &mut RunningCall<'_>)| match running.response.as_mut().poll(context) {
            Poll::Ready(response) => Some((index, response)),
            Poll::Pending => None,
        };
        let (index, response) = self.running.iter_mut().enumerate().find_map(poll)?;
        Some((self.running.swap_remove(index).id, response))
    }

    fn start(&mut self) {
        while let Some(next) = self.waiting.front() {
            let is_alone = self.runs_alone(&next.tool);
            let is_blocked =
                if is_alone { !self.running.is_empty() } else { self.running.iter().any(|call| call.is_alone) };
            if is_blocked || self.running.len() >= MAX_RUNNING {
                return;
            }
            let Some(WaitingCall { id, tool, arguments }) = self.waiting.pop_front() else { return };
            let call = self.call;
            let response = Box::pin(async move { call.call_script_tool(&tool, &arguments).await });
            self.running.push(RunningCall { id, is_alone, response });
        }
    }

    /// Returns whether calls of this tool must run alone. Calls of unknown tools need not, because they are refused.
    fn runs_alone(&self, name: &str) -> bool {
        let tool = self.call.script_tools().into_iter().find(|tool| tool.name == name);
        tool.is_some_and(|tool| tool.behaviour.parallel != Parallel::Always)
    }
}
