//! A schema that is invalid in JSON Schema draft 2020-12, such as a negative length, a `multipleOf` of zero, or an
//! empty list of types.
//!
//! ## Why is this bad
//! All dialects are made from this draft. A validator rejects the schema, and with it every call.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! minLength = -1
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! minLength = 1
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S002", "not-2020-12");
