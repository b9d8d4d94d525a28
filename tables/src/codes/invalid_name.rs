//! A name that a vendor rejects, that `$defs` does not allow, or that no operating system accepts for an environment
//! variable.
//!
//! ## Why is this bad
//! A vendor rejects the whole request if it contains one such name: all tools are lost, not only this one.
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
