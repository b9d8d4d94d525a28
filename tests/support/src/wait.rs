//! Waiting for something that another thread or process does.

use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a busy machine. A test that does not fail never takes it.
const LIMIT: Duration = Duration::from_mins(2);

/// Waits until a condition holds. Returns how long that took.
///
/// # Panics
/// If it does not hold within two minutes.
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
