//! A tool that two manifests declare.
//!
//! ## Why is this bad
//! Vendors reject a list that contains a name twice, and it is ambiguous which tool a call refers to.
//!
//! ## Example
//! ```toml
//! # manifests/tools/more/read_file.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/more/read_lines.toml
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C007", "duplicate-tool");
