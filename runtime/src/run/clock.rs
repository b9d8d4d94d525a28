//! The current time, if the platform has a clock. WebAssembly without an operating system has none; reading the time there
//! would abort the program.

use std::fmt;
use std::time::Instant;

/// Returns the current time, or `None` if there is no clock.
pub(crate) fn now() -> Option<Instant> {
    (!cfg!(all(target_family = "wasm", target_os = "unknown"))).then(Instant::now)
}

/// A source of time.
#[derive(Clone, Default)]
pub(crate) enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// The clock of a test.
    #[cfg(test)]
    Test(std::sync::Arc<dyn Fn() -> Option<Instant> + Send + Sync>),
}

impl Clock {
    /// Returns the current time, or `None` if there is no clock.
    pub(crate) fn now(&self) -> Option<Instant> {
        match self {
            Clock::System => now(),
            #[cfg(test)]
            Clock::Test(now) => now(),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
