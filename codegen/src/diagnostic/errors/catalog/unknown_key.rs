//! A key that this kind of manifest, or this table of it, does not have.
//!
//! ## Why is this bad
//! What it was meant to say is not said: with a misspelt `paralel` calls wait for one another, and nobody knows why.
//! Within a schema, a near miss of one of its words is a finding of its own: `misspelt-keyword`.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! paralel = "always"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! parallel = "always"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C002", "unknown-key");
