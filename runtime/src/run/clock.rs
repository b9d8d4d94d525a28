//! What time it is, if anybody knows: WebAssembly without an operating system has no clock, and to ask for one there ends
//! the program.

use std::fmt;
use std::time::Instant;

/// Now. None: there is no clock.
pub(crate) fn now() -> Option<Instant> {
    (!cfg!(all(target_family = "wasm", target_os = "unknown"))).then(Instant::now)
}

/// Whose time it is.
#[derive(Clone, Default)]
pub(crate) enum Clock {
    /// The system's.
    #[default]
    System,
    /// A test's.
    #[cfg(test)]
    Test(std::sync::Arc<dyn Fn() -> Option<Instant> + Send + Sync>),
}

impl Clock {
    /// Now. None: there is no clock.
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
