//! A parameter that must be sent, and that is not there in every turn.
//!
//! ## Why is this bad
//! Its field in Rust is an `Option`: in turns without it nothing is sent, however required it is.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! required = true
//! when = "facts.vision"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! when = "facts.vision"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C021", "required-with-when");
