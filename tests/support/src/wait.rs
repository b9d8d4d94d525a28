//! Waiting for something that another thread or process does.

use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for something that must happen. A test that does not fail never takes so long, even on a busy machine.
pub const LIMIT: Duration = Duration::from_mins(5);

/// Waits until a condition holds. Returns how long that took.
///
/// # Panics
/// If it does not hold within [`LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, condition: impl FnMut() -> bool) -> Duration {
    wait_until_within(LIMIT, what, condition)
}

/// Waits until a condition holds, at most for this time. Returns how long that took.
///
/// # Panics
/// If it does not hold within this time.
#[track_caller]
pub fn wait_until_within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < limit, "waited too long: {what}");
        thread::sleep(Duration::from_millis(10));
    }
    started.elapsed()
}
