//! A default that its own schema refuses, in every turn or in some.
//!
//! ## Why is this bad
//! A model that sends what it was told is the default gets an error for it.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read at most."
//! minimum = 1
//! default = 0
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read at most."
//! minimum = 1
//! default = 500
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S003", "default-violates-schema");
