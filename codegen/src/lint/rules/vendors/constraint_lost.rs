//! A constraint that a dialect has no words for. Off by default: the description says it instead, and the reader of the
//! arguments checks it whatever a model was shown. What a rule about that dialect alone tells is not told again.
//!
//! ## Why is this bad
//! A model that reads of a bound in prose keeps to it less often than one whose answer is held to a grammar. What is neither
//! said nor sent is a call that no model of that provider can make.
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

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P015", "constraint-lost", None, Check::Lost(LOST));

/// Words that say what a value is for, and not what it may be.
const ANNOTATIONS: &[&str] = &["default", "examples", "deprecated", "format"];

const LOST: Lost = Lost { dialect: None, is_told: |loss| !ANNOTATIONS.contains(&loss.keyword) };
