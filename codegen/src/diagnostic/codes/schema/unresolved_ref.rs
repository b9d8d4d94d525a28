//! A `$ref` to a definition that does not exist, or to a part of the manifest that is not a definition.
//!
//! ## Why is this bad
//! The schema does not describe the value at all.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/plaec"
//! description = "Where to start reading."
//!
//! [schema."$defs".place]
//! type = "integer"
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

pub(super) const CODE: Code = Code::error("S006", "unresolved-ref");
