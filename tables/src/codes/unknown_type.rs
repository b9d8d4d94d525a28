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
//! description = "The maximum number of lines to read."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S001", "unknown-type").fixable();
