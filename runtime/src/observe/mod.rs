//! Observability: log lines on stderr, spans and events.

#[cfg(feature = "debug-log")]
pub(crate) mod log;
pub(crate) mod trace;
