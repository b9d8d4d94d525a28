//! A keyword of JSON Schema that Gemini's `parameters` does not support. Reported only if `dialects` lists
//! `gemini-openapi`. Off by default, because toolc states the constraint in the description. The dialect `gemini`
//! accepts all keywords.
//!
//! ## Why is this bad
//! Gemini rejects the keyword, so it is not sent. The model reads the constraint as prose, and nothing enforces it
//! while the model generates.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-unsupported-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.step]
//! type = "integer"
//! description = "How many lines to advance at a time."
//! multipleOf = 10
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-unsupported-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.step]
//! type = "integer"
//! description = "How many lines to advance at a time."
//! minimum = 10
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P010", "gemini-unsupported-keyword", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter {
    dialect: Some("gemini-openapi"),
    matches: |loss| !matches!(loss.keyword, "additionalProperties" | "type" | "enum" | "anyOf" | "$ref"),
};
