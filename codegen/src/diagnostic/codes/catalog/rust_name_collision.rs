//! Two names that differ in the manifests but are equal in Rust.
//!
//! ## Why is this bad
//! The generated code would declare two methods, fields or modules of the same name, and would not compile.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lineCount]
//! type = "integer"
//! description = "The maximum number of lines to read."
//!
//! [params.line_count]
//! type = "integer"
//! description = "How many lines the file has."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.max_lines]
//! type = "integer"
//! description = "The maximum number of lines to read."
//!
//! [params.line_count]
//! type = "integer"
//! description = "How many lines the file has."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C014", "rust-name-collision");
