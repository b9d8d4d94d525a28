//! A `$ref` that leads out of the manifest.
//!
//! ## Why is this bad
//! Nothing is fetched when a tool is compiled or called, and providers refuse references that lead out of the schema.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "https://example.com/place.json"
//! description = "Where to begin to read."
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

pub(super) const CODE: Code = Code::error("S007", "external-ref");
