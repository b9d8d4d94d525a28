//! A tool whose arguments are said to be something else than an object.
//!
//! ## Why is this bad
//! A call's arguments are an object, by name: every provider demands that, and refuses the whole request where one tool's
//! schema says otherwise.
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
