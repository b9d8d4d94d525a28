//! A fact is named that nobody declares.
//!
//! ## Why is this bad
//! No host would ever supply it, so a condition on it could never hold.
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
