//! A tool is named that nobody declares.
//!
//! ## Why is this bad
//! A condition on it would never hold, and a toolset that lists it would lack it.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! tools = ["web_serach"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! tools = ["web_search"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C009", "unknown-tool");
