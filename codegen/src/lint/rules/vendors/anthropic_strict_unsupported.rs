//! A keyword that Anthropic's strict tools do not support. Reported only if `dialects` lists `anthropic-strict`. Off
//! by default, because toolc states the constraint in the description, or sends the value as JSON text.
//!
//! ## Why is this bad
//! Anthropic rejects the keyword, so it is not sent. The model reads the constraint as prose, and nothing enforces it
//! while the model generates.
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
//! description = "The maximum number of lines to return."
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
//! description = "The maximum number of lines to return."
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P008", "anthropic-strict-unsupported", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter { dialect: Some("anthropic-strict"), matches: |_| true };
