//! A fact is named that nobody declares.
//!
//! ## Why is this bad
//! No host would ever supply it, so a condition on it could never hold.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vison"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision"
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C018", "unknown-fact");
