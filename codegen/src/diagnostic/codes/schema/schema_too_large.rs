//! A schema with more than 64 levels, or a tool that exceeds the size of the argument tables.
//!
//! ## Why is this bad
//! The reader of arguments uses a stack of fixed depth. Vendors accept only a few levels, and models do not fill in
//! deep structures reliably.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.rows]
//! type = "array"
//! description = "Rows of rows."
//!
//! [params.rows.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items.items]
//! type = "string"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.rows]
//! type = "array"
//! description = "Rows of cells."
//!
//! [params.rows.items.items]
//! type = "string"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S005", "schema-too-large");
