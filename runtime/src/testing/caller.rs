//! Calls made up for a test, to be handed to a handler directly.

use std::fmt;

use super::Heard;
use crate::cancel::Since;
use crate::progress::Sink;
use crate::{Call, Cancel, Task, ToolCall};

/// Whoever calls handlers in a test: a task with its state, a switch to pull, and an ear for progress. Two callers are two
/// tasks.
///
/// ```
/// use toolc::testing::{Caller, assert_reply};
/// use toolc::{Call, Output, ToolError};
///
/// fn crunch(call: &Call<'_>) -> Result<Output, ToolError> {
///     for step in 0..3 {
///         if call.is_cancelled() {
///             return Err(ToolError::new("interrupted"));
///         }
///         call.progress(f64::from(step), Some(3.0), "crunching");
///     }
///     Ok(Output::text("done"))
/// }
///
/// let caller = Caller::new();
/// assert_reply!(crunch(&caller.call("crunch")), "done");
/// assert_eq!(caller.progress(), ["0 of 3: crunching", "1 of 3: crunching", "2 of 3: crunching"]);
///
/// caller.cancel();
/// assert_reply!(crunch(&caller.call("crunch")), Err(Failed, "interrupted"));
/// ```
pub struct Caller {
    task: Task,
    cancel: Cancel,
    heard: Heard,
    sink: Sink,
}

impl Caller {
    /// The caller of a task that begins.
    pub fn new() -> Self {
        let heard = Heard::default();
        Self { task: Task::new("test"), cancel: Cancel::new(), sink: heard.sink(), heard }
    }

    /// A call of `tool`, with the id `call_1`. All calls of a caller belong to one task, so what a handler
    /// [keeps](Call::state) for one of them is there for the next; the test, too, finds it there.
    pub fn call<'a>(&'a self, tool: &'a str) -> Call<'a> {
        let request = ToolCall::new(tool, "{}").with_id("call_1").with_task(&self.task);
        Call::of(tool, request, Since::ever(&self.cancel), Some(&self.sink))
    }

    /// Cancels its calls, those to come as well.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// What its calls have told of how far they are, in order: `2 of 3: crunching`, or less where they say less.
    pub fn progress(&self) -> Vec<String> {
        self.heard.all()
    }
}

impl Default for Caller {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("cancel", &self.cancel).field("heard", &self.heard).finish_non_exhaustive()
    }
}
