//! A default that violates its own schema, in every turn or in some turns. A default of null is removed by `--fix`:
//! an optional parameter without a default is simply absent.
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
//! default = { json = "null" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S003", "default-violates-schema").fixable();
