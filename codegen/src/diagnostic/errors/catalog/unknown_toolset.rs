//! A toolset is named that nobody declares.
//!
//! ## Why is this bad
//! What it was meant to bring along is not brought along; a tool whose home it is has no trait to be implemented in.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! includes = ["wbe"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! includes = ["web"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C010", "unknown-toolset");
