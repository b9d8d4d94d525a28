//! A value of the right type that the key does not take: an empty list, a length of time without a unit, a folder that
//! gen cannot own.
//!
//! ## Why is this bad
//! It has no meaning there, or one that would do harm.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "async"
//! timeout = "30"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "async"
//! timeout = "30s"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C024", "invalid-value");
