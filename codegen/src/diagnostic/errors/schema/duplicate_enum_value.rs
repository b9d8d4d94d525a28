//! A value that an enum names twice.
//!
//! ## Why is this bad
//! The standard says that values should differ, and some providers refuse the schema. It is most often a slip for
//! another value.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! enum = ["text", "lines", "text"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! enum = ["text", "lines"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S013", "duplicate-enum-value");
