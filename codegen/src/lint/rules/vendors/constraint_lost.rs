//! A constraint that a dialect cannot express, and that no more specific rule reports. Off by default, because toolc
//! states the constraint in the description, and checks it for each call in any dialect.
//!
//! ## Why is this bad
//! A model follows a constraint in prose less reliably than one that its vendor enforces. If a parameter is neither
//! sent nor described, no model of that vendor can set it.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["portable"]
//! lint.constraint-lost = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^a|b$"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["portable"]
//! lint.constraint-lost = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^[ab]+$"
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P015", "constraint-lost", None, Check::Loss(FILTER));

/// Keywords that describe a value without restricting it.
const ANNOTATIONS: &[&str] = &["default", "examples", "deprecated", "format"];

const FILTER: LossFilter = LossFilter { dialect: None, matches: |loss| !ANNOTATIONS.contains(&loss.keyword) };
