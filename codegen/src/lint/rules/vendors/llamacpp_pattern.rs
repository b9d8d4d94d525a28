//! A `pattern` of which llama.cpp cannot make a grammar, in a project that is for `portable`. Off by default: the description
//! says it instead. Many others are rewritten, and not told of: `\d` is `[0-9]`, and what is not anchored is.
//!
//! ## Why is this bad
//! llama.cpp, which many local hosts run, makes a grammar of every tool at once: one pattern that it cannot take costs all of
//! them.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["portable"]
//! lint.llamacpp-pattern = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^a|b$"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["portable"]
//! lint.llamacpp-pattern = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^(a.*|.*b)$"
//! ```

use crate::lint::{Check, Lost, Rule};

pub(super) const RULE: Rule = Rule::new("P014", "llamacpp-pattern", None, Check::Lost(LOST));

const LOST: Lost = Lost { dialect: Some("portable"), is_told: |loss| loss.keyword == "pattern" };
