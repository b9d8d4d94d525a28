//! An `allow` comment without a reason.
//!
//! ## Why is this bad
//! A later reader cannot tell whether the reason still applies.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! # lint: allow parameter-description-missing
//! [params.limit]
//! type = "integer"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! # lint: allow parameter-description-missing the name says it all
//! [params.limit]
//! type = "integer"
//! ```

use crate::diagnostic::Level;
use crate::lint::{Check, Rule};

pub(super) const RULE: Rule = Rule::new("C037", "allow-without-reason", Some(Level::Warning), Check::Linter);
