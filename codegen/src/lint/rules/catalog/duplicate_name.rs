//! A name that something else of the same kind has: a rule about commands, a tool's name in a dialect.
//!
//! ## Why is this bad
//! Which of the two is meant by it would be chance.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! dialect.openai.name = "write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! dialect.openai.name = "open_file"
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C030", "duplicate-name");
