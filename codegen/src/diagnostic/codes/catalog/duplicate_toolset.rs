//! A toolset that two manifests declare.
//!
//! ## Why is this bad
//! It is ambiguous which of the two a session enables by that name.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/more/files.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/more/folders.toml
//! tools = ["read_file"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C008", "duplicate-toolset");
