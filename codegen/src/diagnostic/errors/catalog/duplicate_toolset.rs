//! Two manifests declare one toolset.
//!
//! ## Why is this bad
//! Which of the two is enabled by that name would be chance.
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
