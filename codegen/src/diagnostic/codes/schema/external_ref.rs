//! A `$ref` that points outside the manifest.
//!
//! ## Why is this bad
//! toolc never fetches schemas, and vendors reject references that leave the schema.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "https://example.com/place.json"
//! description = "Where to start reading."
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

pub(super) const CODE: Code = Code::error("S007", "external-ref");
