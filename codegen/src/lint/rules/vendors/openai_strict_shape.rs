//! An object or value of any shape among the arguments, which `openai-strict` takes as JSON text only. Off by default: what
//! comes back is read as if it had been sent as such. Optional parameters are no finding: there they are required, and null.
//!
//! ## Why is this bad
//! OpenAI's strict mode holds a model to the shape of every object, and has none for those that are open. Within a JSON text a
//! model is held to nothing.
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
//! description = "What to send along, by name."
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
//! description = "What to send along, by name."
//! properties.accept = { type = "string", description = "What to take." }
//! ```

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P004", "openai-strict-shape", None, Check::Lost(LOST));

const LOST: Lost = Lost {
    dialect: Some("openai-strict"),
    is_told: |loss| matches!(loss.keyword, "additionalProperties" | "type" | "$ref"),
};
