//! A type that JSON Schema does not have.
//!
//! ## Why is this bad
//! Providers refuse it, or take it for no type at all.
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

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("S001", "unknown-type");
