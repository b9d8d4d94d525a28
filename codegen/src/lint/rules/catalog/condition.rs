//! A condition that cannot be read.
//!
//! ## Why is this bad
//! The language of conditions is small on purpose: `tools.NAME`, `facts.NAME`, comparisons with a literal, `and`,
//! `or`, `not`, parentheses.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! when = "facts.platform = 'cli'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! when = "facts.platform == 'cli'"
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C016", "condition");
