//! Observability: log lines on stderr, spans and events.

pub(crate) mod log;
pub(crate) mod trace;
