//! Helpers to test handlers without a model: a [`Caller`] creates the context to call a handler directly, a [`Harness`]
//! sends calls through the whole pipeline, and [`assert_reply!`] checks the results of both. Enable the feature `testing` in
//! `[dev-dependencies]`.
//!
//! For an environment with certain variables and programs, use [`Env`](crate::Env). Hooks, approvers and spill stores are
//! traits, which a test of a host can implement.

mod caller;
mod difference;
mod harness;
mod response;

use std::sync::{Arc, Mutex, PoisonError};

pub use serde_json::json;

pub use self::caller::Caller;
pub use self::harness::Harness;
pub use self::response::{TestResponse, assert_error, assert_value};
#[doc(inline)]
pub use crate::assert_reply;
use crate::run::block_on::block_on;
use crate::run::progress::Progress;

/// Blocks this thread until a future completes, for example that of an async handler. It runs in a Tokio runtime, so that
/// handlers can use Tokio's timers and sockets.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    block_on(future)
}

/// The progress that handlers have reported, as text.
#[derive(Debug, Clone, Default)]
struct ProgressLog(Arc<Mutex<Vec<String>>>);

impl ProgressLog {
    fn record(&self, &Progress { done, total, message, .. }: &Progress<'_>) {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let colon = if message.is_empty() { "" } else { ": " };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{done}{of}{colon}{message}"));
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests;
