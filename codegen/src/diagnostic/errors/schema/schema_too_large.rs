//! A schema that is deeper than 64 levels, or a tool too large for the tables of its arguments.
//!
//! ## Why is this bad
//! Readers of arguments keep their place on a stack of fixed depth. No provider takes more than a few levels, and no
//! model fills them in.
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
