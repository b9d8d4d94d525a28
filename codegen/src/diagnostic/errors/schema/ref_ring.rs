//! Definitions that are nothing but one another.
//!
//! ## Why is this bad
//! None of them ever says what a value is, and a reader that follows them does not come to an end.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/place"
//! description = "Where to begin to read."
//!
//! [schema."$defs".place]
//! "$ref" = "#/$defs/place"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/place"
//! description = "Where to begin to read."
//!
//! [schema."$defs".place]
//! type = "integer"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S008", "ref-ring");
