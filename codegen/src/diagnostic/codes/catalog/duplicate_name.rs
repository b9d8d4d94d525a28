//! A name that is declared twice: of a command rule, or of a tool in one dialect.
//!
//! ## Why is this bad
//! It is ambiguous which of the two the name refers to.
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
