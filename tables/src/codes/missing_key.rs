//! A required key that is missing.
//!
//! ## Why is this bad
//! The key has no sensible default.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! note = "This tool is no longer maintained."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C004", "missing-key");
