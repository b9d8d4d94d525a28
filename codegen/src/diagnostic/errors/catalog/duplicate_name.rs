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

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C030", "duplicate-name");
