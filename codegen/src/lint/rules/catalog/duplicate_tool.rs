//! Two manifests declare one tool.
//!
//! ## Why is this bad
//! A provider refuses a list with a name in it twice, and which of the two a call would reach is chance.
//!
//! ## Example
//! ```toml
//! # manifests/tools/more/read_file.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/more/read_lines.toml
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C007", "duplicate-tool");
