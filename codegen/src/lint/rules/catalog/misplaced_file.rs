//! A TOML file below `manifests/` in a place where no manifest is read.
//!
//! ## Why is this bad
//! It would be passed over in silence, and with it the tool that it declares.
//!
//! ## Example
//! ```toml
//! # manifests/tool/read_lines.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_lines.toml
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C015", "misplaced-file");
