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

use super::lost::report;
use crate::diagnostic::{Code, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P005", "openai-unsupported-keyword", None, Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    report(lint, sink, Code::OPENAI_UNSUPPORTED_KEYWORD, Some("openai-strict"), |loss| {
        !matches!(loss.word, "additionalProperties" | "properties" | "returns" | "type" | "$ref")
    });
}
