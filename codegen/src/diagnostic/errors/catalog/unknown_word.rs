//! A word that this key does not take.
//!
//! ## Why is this bad
//! Such a key takes one of a few words, and any other has no meaning that could be compiled.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "threaded"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blocking"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C003", "unknown-word");
