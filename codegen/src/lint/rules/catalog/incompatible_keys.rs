//! Keys that mean nothing together, or one without another.
//!
//! ## Why is this bad
//! One of them was most often forgotten when the other was changed, and which of the two holds cannot be told.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! timeout = "30s"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "async"
//! timeout = "30s"
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C029", "incompatible-keys");
