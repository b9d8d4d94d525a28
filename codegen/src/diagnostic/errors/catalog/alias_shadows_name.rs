//! A legacy name of a toolset that already stands for a toolset: as its name, as another alias, or as `all`.
//!
//! ## Why is this bad
//! Whoever enables or disables toolsets by that name would get one of the two by chance.
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
