//! What tests of handlers need, without a model: a [`Caller`] for a handler alone, a [`Harness`] for the whole way of a
//! call, [`assert_reply!`] for what comes of either. The feature `testing`, for `[dev-dependencies]`.
//!
//! Environments are made by hand with [`Env`](crate::Env). What a test of a host needs is in the crate itself: hooks,
//! approvers and spills are traits.

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

/// Waits for what an asynchronous handler comes to, on this thread. With the feature `tokio`, the handler finds a Tokio
/// runtime.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    block_on(future)
}

/// What handlers have told of how far they are.
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
