//! A tool that is not declared.
//!
//! ## Why is this bad
//! A condition on the tool would never hold, and a toolset that lists it would not contain it.
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
