//! A parameter that is declared twice: in `params` and in the `properties` of `[schema]`.
//!
//! ## Why is this bad
//! The two are one table. Which of the declarations holds cannot be told.
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
