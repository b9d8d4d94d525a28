//! A word of JSON Schema that OpenAI's strict mode does not have, in a project that is for `openai-strict`. Off by default: the
//! description says it instead.
//!
//! ## Why is this bad
//! OpenAI refuses the word, so it is not sent: a model reads of it in prose, and is held to nothing.
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

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P005", "openai-unsupported-keyword", None, Check::Lost(LOST));

const LOST: Lost = Lost {
    dialect: Some("openai-strict"),
    is_told: |loss| !matches!(loss.keyword, "additionalProperties" | "type" | "$ref"),
};
