//! A required parameter with a `when` condition.
//!
//! ## Why is this bad
//! In turns where the condition is false, the model cannot send the parameter. Its Rust field is an `Option` either
//! way.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! required = true
//! when = "facts.vision"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! when = "facts.vision"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C021", "required-with-when");
