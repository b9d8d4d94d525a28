//! Two manifests declare one tool.
//!
//! ## Why is this bad
//! A provider refuses a list with a name in it twice, and which of the two a call would reach is chance.
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
