//! A reserved name: the tools `tool_search`, `tool_describe` and `tool_call`, and the toolsets `all` and `*`.
//!
//! ## Why is this bad
//! The runtime uses these names itself, so the declared tool or toolset could never be reached.
//!
//! ## Example
//! ```toml
//! # manifests/tools/tool_search.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/search_notes.toml
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C012", "reserved-name");
