//! A value of an `enum` or a `const` that another keyword of the same schema does not allow.
//!
//! ## Why is this bad
//! No call can send the value: `enum` allows it, but for example `type` does not.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.level]
//! type = "string"
//! description = "How much detail to return."
//! enum = [1, 2, 3]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.level]
//! type = "integer"
//! description = "How much detail to return."
//! enum = [1, 2, 3]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S004", "enum-type-mismatch");
