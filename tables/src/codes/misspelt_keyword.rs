//! A key of a schema that resembles a keyword of JSON Schema, such as `minlength`, `requred` or `max_items`.
//!
//! ## Why is this bad
//! Validators ignore unknown keywords. The parameter silently stays optional, or its bound is missing.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! requred = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! required = true
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S027", "misspelt-keyword").fixable();
