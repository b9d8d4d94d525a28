//! A dialect that there is not.
//!
//! ## Why is this bad
//! Nothing would be written for it, and what is said for it would never be shown.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["opnai"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C031", "unknown-dialect");
