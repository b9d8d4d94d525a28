//! Calls from code that is not asynchronous: the calling thread waits for the answer.

use crate::call::ToolCall;
use crate::call::response::{CallResponse, CompletedCall};
use crate::run::block_on::block_on;
use crate::session::turn::Turn;

impl Turn {
    /// [`call`](Self::call) for code that is not asynchronous: this thread waits for the answer.
    ///
    /// With the feature `tokio`, handlers find a Tokio runtime, wherever this is called: on a thread without one, and
    /// within a current-thread runtime, which cannot go on meanwhile, it is one that all such calls of the process share;
    /// within a multi-thread runtime it is that one. Without the feature, handlers that need a runtime have to be called
    /// within one that is driven by another thread.
    pub fn call_blocking(&self, request: &ToolCall<'_>) -> CallResponse {
        block_on(self.call(request))
    }

    /// [`batch`](Self::batch) for code that is not asynchronous, as [`call_blocking`](Self::call_blocking).
    pub fn batch_blocking<'r>(&self, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
        block_on(self.batch(calls))
    }
}
