//! A keyword of JSON Schema that OpenAI's strict mode does not support. Reported only if `dialects` lists
//! `openai-strict`. Off by default, because toolc states the constraint in the description.
//!
//! ## Why is this bad
//! OpenAI rejects the keyword, so it is not sent. The model reads the constraint as prose, and nothing enforces it
//! while the model generates.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.openai-unsupported-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! minLength = 2
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.openai-unsupported-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^..+$"
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P005", "openai-unsupported-keyword", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter {
    dialect: Some("openai-strict"),
    matches: |loss| !matches!(loss.keyword, "additionalProperties" | "type" | "$ref"),
};
