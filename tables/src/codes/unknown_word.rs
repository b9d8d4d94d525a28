//! A value that is not among the words which the key allows.
//!
//! ## Why is this bad
//! The key accepts only a few words. No other word has a meaning.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blokcing"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blocking"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C003", "unknown-word").fixable();
