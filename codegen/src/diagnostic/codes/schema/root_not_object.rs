//! A tool whose arguments are declared as something other than an object.
//!
//! ## Why is this bad
//! The arguments of a call are an object with a property per parameter. Every vendor demands this, and rejects the
//! whole request if the schema of one tool says otherwise.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [schema]
//! type = "array"
//!
//! [params.paths]
//! type = "array"
//! items = { type = "string" }
//! description = "The files to read."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [schema]
//! type = "object"
//!
//! [params.paths]
//! type = "array"
//! items = { type = "string" }
//! description = "The files to read."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S020", "root-not-object");
