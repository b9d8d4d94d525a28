//! Code that several tests and benchmarks share.

pub mod arguments;
pub mod by_hand;
pub mod echo;
pub mod fixture;
#[path = "../projects/golden/generated/rust/lib.rs"]
#[rustfmt::skip]
pub mod golden;
#[cfg(doctest)]
mod guides;
#[path = "../projects/programs/generated/rust/lib.rs"]
#[rustfmt::skip]
pub mod programs;
pub mod random;
pub mod schemas;
pub mod synth;
pub mod texts;
