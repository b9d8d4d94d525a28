//! Tracing: what calls tell the `tracing` subscriber of the process, with the feature of that name. Without it, all of
//! this is nothing.

#[cfg_attr(feature = "tracing", path = "trace/on.rs")]
#[cfg_attr(not(feature = "tracing"), path = "trace/off.rs")]
mod calls;

pub(crate) use calls::*;

#[cfg(all(test, feature = "tracing"))]
mod tests;
