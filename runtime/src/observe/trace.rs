//! Tracing: spans and events of calls for the `tracing` subscriber of the process, with the feature `tracing`. Without
//! it, everything here does nothing.

#[cfg_attr(feature = "tracing", path = "trace/on.rs")]
#[cfg_attr(not(feature = "tracing"), path = "trace/off.rs")]
mod calls;

pub(crate) use calls::*;

#[cfg(all(test, feature = "tracing"))]
mod tests;
