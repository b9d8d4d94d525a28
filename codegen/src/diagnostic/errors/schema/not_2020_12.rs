//! A schema that is none in draft 2020-12: a negative length, a multiple of zero, a list without types.
//!
//! ## Why is this bad
//! That draft is what every dialect is made from; a validator refuses the schema, and with it every call.
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
