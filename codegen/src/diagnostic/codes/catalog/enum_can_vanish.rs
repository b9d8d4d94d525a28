//! An `enum` that has no values in some turns, because every value has a condition.
//!
//! ## Why is this bad
//! The model then has no value that it could send. Some vendors reject the whole request if it contains an empty
//! `enum`.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! enum = [{ value = "image", when = "facts.vision" }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! enum = ["text", { value = "image", when = "facts.vision" }]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C022", "enum-can-vanish");
