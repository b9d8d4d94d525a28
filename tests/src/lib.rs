//! What several tests and benchmarks share.

pub mod echo;
#[path = "../projects/golden/generated/rust/lib.rs"]
#[allow(nonstandard_style, reason = "its manifests hold every odd name")]
#[rustfmt::skip]
pub mod golden;
pub mod synth;
