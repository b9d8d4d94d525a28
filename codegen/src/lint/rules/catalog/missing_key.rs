//! A key that must be there is not.
//!
//! ## Why is this bad
//! There is no sensible default for it: somebody has to say it.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! note = "Files are written now, and not read."
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C004", "missing-key");
