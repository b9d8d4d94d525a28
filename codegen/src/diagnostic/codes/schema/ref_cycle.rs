//! Definitions that consist only of references to each other.
//!
//! ## Why is this bad
//! They never describe a value, and a reader that follows the references never terminates.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/place"
//! description = "Where to start reading."
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
//! description = "Where to start reading."
//!
//! [schema."$defs".place]
//! type = "integer"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S008", "ref-cycle");
