//! A `$ref` that leads to no definition: there is none of that name in `$defs`, or it leads to something else within the
//! manifest.
//!
//! ## Why is this bad
//! The schema says nothing where it should say most.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/plaec"
//! description = "Where to begin to read."
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
//! description = "Where to begin to read."
//!
//! [schema."$defs".place]
//! type = "integer"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S006", "unresolved-ref");
