//! A value that an `enum` contains twice.
//!
//! ## Why is this bad
//! JSON Schema says that the values should be unique, and some vendors reject the schema. Usually another value was
//! meant.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! enum = ["text", "lines", "text"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! enum = ["text", "lines"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S013", "duplicate-enum-value").fixable();
