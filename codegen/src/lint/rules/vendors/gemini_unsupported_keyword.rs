//! A word of JSON Schema that Gemini's `parameters` does not have, in a project that is for `gemini-openapi`. Off by default:
//! the description says it instead. `gemini` takes it as it is.
//!
//! ## Why is this bad
//! Gemini refuses the word, so it is not sent: a model reads of it in prose, and is held to nothing.
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
//! description = "How many lines to go on at a time."
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
//! description = "How many lines to go on at a time."
//! minimum = 10
//! ```

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P010", "gemini-unsupported-keyword", None, Check::Lost(LOST));

const LOST: Lost = Lost {
    dialect: Some("gemini-openapi"),
    is_told: |loss| !matches!(loss.keyword, "additionalProperties" | "type" | "enum" | "anyOf" | "$ref"),
};
