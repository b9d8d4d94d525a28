//! The file is not TOML.
//!
//! ## Why is this bad
//! Nothing in it can be read, so nothing in it is checked: its tool is missing from the catalog. Up to five places of
//! one file are told.
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
