//! Timers: [`Sleep`], a future that completes after a duration. With the feature `tokio` it uses Tokio's timers, otherwise a
//! thread of the process.

#[cfg(feature = "tokio")]
mod in_tokio;
// Its tests also run with the feature `tokio`.
#[cfg(any(not(feature = "tokio"), test))]
mod thread;

#[cfg(feature = "tokio")]
pub(crate) use in_tokio::Sleep;
#[cfg(not(feature = "tokio"))]
pub(crate) use thread::Sleep;
