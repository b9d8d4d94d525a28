//! A name that some provider refuses, that cannot be a definition's, or that no system takes for an environment
//! variable.
//!
//! ## Why is this bad
//! A request with one such name in it is refused as a whole: every tool is gone, not just this one.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read.lines.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_lines.toml
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C013", "invalid-name");
