//! A `$ref` to a schema that contains it. Reported only if `dialects` lists `gemini-openapi`. Off by default, because
//! the call still works: the model sends the recursive value as JSON text, and toolc parses and validates it.
//!
//! ## Why is this bad
//! Gemini's `parameters` does not support `$ref`, so toolc replaces a `$ref` by its target. A recursive target has no
//! end, so its inner value becomes a string of JSON. Gemini does not enforce the schema of what is in that string.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-recursion = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "A word that the lines contain." }
//! properties.not = { "$ref" = "#/$defs/filter" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-recursion = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "A word that the lines contain." }
//! properties.without = { type = "string", description = "A word that the lines do not contain." }
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P013", "gemini-recursion", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter { dialect: Some("gemini-openapi"), matches: |loss| loss.keyword == "$ref" };
