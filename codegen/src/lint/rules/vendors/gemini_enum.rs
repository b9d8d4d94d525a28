//! An `enum` with values that are not strings. Reported only if `dialects` lists `gemini-openapi`. Off by default,
//! because the description lists the values, and the bounds of numbers stay.
//!
//! ## Why is this bad
//! Gemini's `parameters` accepts only strings in an `enum`, so nothing enforces the other values while the model
//! generates.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-enum = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.step]
//! type = "integer"
//! enum = [10, 100]
//! description = "How many lines to advance at a time."
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-enum = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.step]
//! type = "string"
//! enum = ["few", "many"]
//! description = "How many lines to advance at a time."
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P011", "gemini-enum", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter { dialect: Some("gemini-openapi"), matches: |loss| loss.keyword == "enum" };
