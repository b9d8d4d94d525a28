//! Counts the calls that are running.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The number of running calls.
#[derive(Debug, Default)]
pub struct RunningCalls {
    count: Mutex<usize>,
    ended: Condvar,
}

/// Counts a call as running until it is dropped.
#[derive(Debug)]
pub struct RunningCallGuard(Arc<RunningCalls>);

impl RunningCalls {
    /// Counts a call, until the guard is dropped.
    pub fn start(self: &Arc<Self>) -> RunningCallGuard {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        RunningCallGuard(Arc::clone(self))
    }

    /// Waits until no call runs, but at most for `timeout`. Returns whether no call runs.
    pub fn settle(&self, timeout: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(count, timeout, |count| *count > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

impl Drop for RunningCallGuard {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_all();
    }
}
