//! An alias of a toolset that already names a toolset: it equals a toolset's name, another alias, or `all`.
//!
//! ## Why is this bad
//! A session that enables or disables the alias could mean either toolset.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! aliases = ["web"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! aliases = ["filesystem"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C047", "alias-shadows-name");
