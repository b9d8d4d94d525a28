//! A name that something else of the same kind has: an alias, a rule about commands, a tool's name in a dialect.
//!
//! ## Why is this bad
//! Which of the two is meant by it would be chance.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! aliases = ["web"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! aliases = ["filesystem"]
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C030", "duplicate-name");
