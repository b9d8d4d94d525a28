//! A fact that is compared with a value of another type, or used as another type.
//!
//! ## Why is this bad
//! The comparison always has the same result: a boolean never equals a string.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision == 'true'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision == true"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C019", "fact-type");
