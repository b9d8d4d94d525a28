//! A comment that allows a rule where there is nothing of that rule to allow.
//!
//! ## Why is this bad
//! What it was about has been mended, or it stands in the wrong place. Left where it is, it hides the next finding.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! # lint: allow parameter-description-missing the name says it all
//! type = "integer"
//! description = "How many lines to return at most."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to return at most."
//! ```

use crate::diagnostic::Level;
use crate::lint::{Check, Rule};

pub(super) const RULE: Rule = Rule::new("C036", "unused-allow", Some(Level::Warning), Check::Linter).fixable();
