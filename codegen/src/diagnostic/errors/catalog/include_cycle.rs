//! Toolsets that bring themselves along, through `includes` and `base`. The whole way round is told.
//!
//! ## Why is this bad
//! All of them hold the same tools, so they are one toolset with several names; most often one of the edges points the
//! wrong way.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! includes = ["web"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/web.toml
//! includes = ["files"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! includes = ["web"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C011", "include-cycle");
