//! A `$ref` to a definition that is not there.
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

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("S006", "unknown-definition");
