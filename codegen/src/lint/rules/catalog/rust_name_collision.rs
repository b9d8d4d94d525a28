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

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C014", "rust-name-collision");
