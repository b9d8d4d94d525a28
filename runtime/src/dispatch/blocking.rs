//! Calls from synchronous code.

use crate::call::ToolCall;
use crate::call::completed::CompletedCall;
use crate::call::response::CallResponse;
use crate::run::block_on::block_on;
use crate::session::turn::Turn;

impl Turn {
    /// Runs a call like [`call`](Self::call), for synchronous code: blocks this thread until the response is ready.
    ///
    /// With the feature `tokio`, handlers always run in a Tokio runtime: if this thread is within a multi-thread runtime, in that
    /// one, otherwise in a runtime that all such calls of the process share. (A surrounding current-thread runtime is blocked
    /// meanwhile.) Without the feature, the handlers run on this thread, and those that need a Tokio runtime fail unless this
    /// thread has entered one that another thread drives.
    pub fn call_blocking(&self, request: &ToolCall<'_>) -> CallResponse {
        block_on(self.call(request))
    }

    /// Runs calls like [`batch`](Self::batch), for synchronous code: see [`call_blocking`](Self::call_blocking).
    pub fn batch_blocking<'r>(&self, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
        block_on(self.batch(calls))
    }
}
