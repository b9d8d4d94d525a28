//! A TOML file below `manifests/` in a folder that is not read.
//!
//! ## Why is this bad
//! The file would be ignored silently, and the tool that it declares would be missing.
//!
//! ## Example
//! ```toml
//! # manifests/tool/read_lines.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_lines.toml
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C015", "misplaced-file");
