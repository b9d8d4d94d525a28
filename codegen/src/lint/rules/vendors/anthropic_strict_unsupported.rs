//! What Anthropic's strict tools have no word for, in a project that is for `anthropic-strict`. Off by default: the
//! description says it instead, or the value is sent as JSON text.
//!
//! ## Why is this bad
//! Anthropic refuses the word, so it is not sent: a model reads of it in prose, and is held to nothing.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic-strict"]
//! lint.anthropic-strict-unsupported = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to return at most."
//! minimum = 1
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic-strict"]
//! lint.anthropic-strict-unsupported = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to return at most."
//! ```

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P008", "anthropic-strict-unsupported", None, Check::Lost(LOST));

const LOST: Lost = Lost { dialect: Some("anthropic-strict"), is_told: |_| true };
