//! A `$ref` that leads back to what it is in, in a project that is for `gemini-openapi`. Off by default: where it comes round
//! again, values are sent as JSON text, and read back.
//!
//! ## Why is this bad
//! Gemini's `parameters` has no `$ref`: everything is written out, which ends somewhere. From there on a model is held to
//! nothing.
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
//! properties.word = { type = "string", description = "One that they have." }
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
//! properties.word = { type = "string", description = "One that they have." }
//! properties.without = { type = "string", description = "One that they do not have." }
//! ```

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P013", "gemini-recursion", None, Check::Lost(LOST));

const LOST: Lost = Lost { dialect: Some("gemini-openapi"), is_told: |loss| loss.keyword == "$ref" };
