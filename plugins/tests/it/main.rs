//! Tests of plugins through the public API, with real programs.
#![cfg(unix)]

mod fixture;
mod hooks;
mod linked;
mod plugins;
mod resident;
