//! An alias that already names something else: another tool, another parameter of the same object, another toolset, or `all`; or that
//! another of them has as an alias. For tools and parameters, names that differ only in what the runtime corrects are the same.
//!
//! ## Why is this bad
//! A model that writes the alias, or a session that enables it, could mean either.
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
