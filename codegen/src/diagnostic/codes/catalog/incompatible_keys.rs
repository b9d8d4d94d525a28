//! Keys that contradict each other, or a key that requires another key.
//!
//! ## Why is this bad
//! One of the keys has no effect. Usually it was forgotten when the other one was changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! timeout = "30s"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "async"
//! timeout = "30s"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C029", "incompatible-keys");
