//! Two names that differ in the manifests and become one in Rust.
//!
//! ## Why is this bad
//! They would be two methods, fields or modules of one name, which does not compile.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lineCount]
//! type = "integer"
//! description = "How many lines to read at most."
//!
//! [params.line_count]
//! type = "integer"
//! description = "How many lines the file has."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.most_lines]
//! type = "integer"
//! description = "How many lines to read at most."
//!
//! [params.line_count]
//! type = "integer"
//! description = "How many lines the file has."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C014", "rust-name-collision");
