//! A type that JSON Schema does not have.
//!
//! ## Why is this bad
//! Vendors reject the schema, or ignore the type.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "int"
//! description = "How many lines to read at most."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read at most."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S001", "unknown-type");
