//! What time it is, if anybody knows: WebAssembly without an operating system has no clock, and to ask for one there ends
//! the program.

use std::time::Instant;

/// Now. None: there is no clock.
pub(crate) fn now() -> Option<Instant> {
    (!cfg!(all(target_family = "wasm", target_os = "unknown"))).then(Instant::now)
}
