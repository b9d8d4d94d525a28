//! An object of unknown shape, or a value of any type, which `openai-strict` accepts only as JSON text. Off by
//! default, because toolc parses the text that comes back. Optional parameters are not reported: in strict mode they
//! are required and nullable.
//!
//! ## Why is this bad
//! OpenAI's strict mode enforces the shape of every object, and does not support objects with other properties.
//! Nothing enforces the content of a JSON text.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.openai-strict-shape = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! additionalProperties = { type = "string" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.openai-strict-shape = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! properties.accept = { type = "string", description = "The accepted media types." }
//! ```

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P004", "openai-strict-shape", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter {
    dialect: Some("openai-strict"),
    matches: |loss| matches!(loss.keyword, "additionalProperties" | "type" | "$ref"),
};
