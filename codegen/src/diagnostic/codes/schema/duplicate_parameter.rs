//! A parameter that is declared both in `params` and in the `properties` of `[schema]`.
//!
//! ## Why is this bad
//! Both tables describe the same object, so it is ambiguous which declaration applies.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [schema.properties.path]
//! type = "string"
//! description = "The file to read."
//!
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S010", "duplicate-parameter");
