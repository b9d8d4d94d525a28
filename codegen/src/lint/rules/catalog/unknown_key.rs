//! A key that this kind of manifest, or this table of it, does not have.
//!
//! ## Why is this bad
//! What it was meant to say is not said: a misspelt `requred` leaves a parameter optional, and nobody notices before a
//! model does.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! requred = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! required = true
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C002", "unknown-key");
