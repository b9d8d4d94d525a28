//! A default that violates its own schema, in every turn or in some turns.
//!
//! ## Why is this bad
//! A model that sends the documented default gets an error.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! minimum = 1
//! default = 0
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! minimum = 1
//! default = 500
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S003", "default-violates-schema");
