//! A toolset that is not declared.
//!
//! ## Why is this bad
//! The tools that it should add would be missing. A tool whose home toolset is unknown has no trait that its handler
//! could implement.
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
