//! Helpers for tests of handlers, without a model: a [`Caller`] to call a handler directly, a [`Harness`] to send calls
//! through the whole pipeline, and [`assert_reply!`] to check the results of both. Enable the feature `testing` in
//! `[dev-dependencies]`.
//!
//! Use [`Env`](crate::Env) for environments. Tests of a host need no helpers: hooks, approvers and spill stores are
//! traits.

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

/// Runs an async handler to its end on this thread. With the feature `tokio`, the handler runs in a Tokio runtime.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    block_on(future)
}

/// The progress that handlers have reported.
#[derive(Debug, Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn note(&self, &Progress { done, total, message, .. }: &Progress<'_>) {
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
