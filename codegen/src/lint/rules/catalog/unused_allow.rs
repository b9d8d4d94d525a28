//! An `allow` comment at a place where its rule finds nothing.
//!
//! ## Why is this bad
//! The finding has been fixed, or the comment is in the wrong place. It would hide the next finding.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! # lint: allow parameter-description-missing the name says it all
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```

use crate::diagnostic::Level;
use crate::lint::{Check, Rule};

pub(super) const RULE: Rule = Rule::new("C036", "unused-allow", Some(Level::Warning), Check::Linter).fixable();
