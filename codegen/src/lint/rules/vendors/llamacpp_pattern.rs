//! A `pattern` that llama.cpp cannot compile to a grammar. Reported only if `dialects` lists `portable`. Off by
//! default, because toolc states the pattern in the description. Patterns that can be rewritten are not reported:
//! `\d` becomes `[0-9]`, and a pattern without anchors gets them.
//!
//! ## Why is this bad
//! llama.cpp, which many local hosts run, compiles all tools into one grammar. One pattern that it does not support
//! makes all tools unusable.
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

use crate::lint::{Check, LossFilter, Rule};

pub(super) const RULE: Rule = Rule::new("P014", "llamacpp-pattern", None, Check::Loss(FILTER));

const FILTER: LossFilter = LossFilter { dialect: Some("portable"), matches: |loss| loss.keyword == "pattern" };
