//! An `enum` of anything but strings, in a project that is for `gemini-openapi`. Off by default: the description names the
//! values, and the bounds of numbers stay.
//!
//! ## Why is this bad
//! Gemini's `parameters` takes strings only in an `enum`: a model is not held to the others.
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
//! description = "How many lines to go on at a time."
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
//! description = "How many lines to go on at a time."
//! ```

use super::lost::report;
use crate::diagnostic::{Code, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P011", "gemini-enum", None, Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    report(lint, sink, Code::GEMINI_ENUM, Some("gemini-openapi"), |loss| loss.word == "enum");
}
