//! A manifest that is not valid TOML.
//!
//! ## Why is this bad
//! The file cannot be read, so its tool is missing from the catalog. At most five syntax errors are reported for each
//! file.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! timeout = 30s
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "async"
//! timeout = "30s"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C001", "syntax");
