//! A name that toolc keeps for itself: the tools `tool_search`, `tool_describe` and `tool_call`, the toolsets `all`
//! and `*`.
//!
//! ## Why is this bad
//! The runtime answers to that name itself, and the tool or toolset could never be reached.
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
