//! A key of a schema that is nearly one of JSON Schema's words, and not quite: `minlength`, `requred`, `max_items`.
//!
//! ## Why is this bad
//! A validator passes over words that it does not know. What was meant is not said, so that a parameter stays optional or
//! a bound is not there, and nobody notices before a model does.
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

pub(super) const CODE: Code = Code::error("S027", "misspelt-keyword");
