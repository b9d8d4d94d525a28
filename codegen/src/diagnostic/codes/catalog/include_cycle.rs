//! An include cycle: toolsets that include themselves through `includes` and `base`. The finding shows the whole
//! cycle.
//!
//! ## Why is this bad
//! All toolsets of a cycle contain the same tools, so they are one toolset with several names. Usually one of the
//! edges points in the wrong direction.
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
