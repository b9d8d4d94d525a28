//! A fact that is not declared in `facts.toml`.
//!
//! ## Why is this bad
//! No host can set the fact, so a condition on it would never change.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vison"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C018", "unknown-fact");
