//! A value that has the right type but is not allowed for the key, such as an empty list, a duration without a unit,
//! or a folder that gen must not overwrite.
//!
//! ## Why is this bad
//! The value has no meaning for this key, or it would do harm.
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
