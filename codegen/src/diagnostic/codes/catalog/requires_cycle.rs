//! Tools that require each other in a cycle, or a tool that requires itself.
//!
//! ## Why is this bad
//! A tool of the cycle is available only if another one is available before it, so none of them ever is.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! tools = ["write_file"]
//! ```
//!
//! ```toml
//! # manifests/tools/write_file.toml
//! [requires]
//! tools = ["read_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! tools = ["write_file"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C026", "requires-cycle");
