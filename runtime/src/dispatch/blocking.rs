//! Calls from code that is not asynchronous: the calling thread waits for the answer.

use crate::call::ToolCall;
use crate::call::response::{CallResponse, CompletedCall};
use crate::run::block_on::block_on;
use crate::session::turn::Turn;

impl Turn {
    /// Does the same as [`call`](Self::call), for code that is not asynchronous: blocks this thread until the response is ready.
    ///
    /// With the feature `tokio`, handlers always run in a Tokio runtime: within a multi-thread runtime in that one; on a thread
    /// without a runtime, and within a current-thread runtime, which is blocked meanwhile, in one that all such calls of the
    /// process share. Without the feature, handlers that need a runtime must be called within one that another thread drives.
    pub fn call_blocking(&self, request: &ToolCall<'_>) -> CallResponse {
        block_on(self.call(request))
    }

    /// [`batch`](Self::batch) for code that is not asynchronous, as [`call_blocking`](Self::call_blocking).
    pub fn batch_blocking<'r>(&self, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
        block_on(self.batch(calls))
    }
}
