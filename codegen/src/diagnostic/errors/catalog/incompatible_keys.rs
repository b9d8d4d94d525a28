//! Keys that mean nothing together, or one without another.
//!
//! ## Why is this bad
//! One of them was most often forgotten when the other was changed, and which of the two holds cannot be told.
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
