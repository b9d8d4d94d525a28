//! A value of the wrong TOML type, or one that JSON cannot represent.
//!
//! ## Why is this bad
//! Types are never guessed: `"100"` could be meant as a number or as a string.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! max_result_chars = "100_000"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! max_result_chars = 100_000
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C005", "wrong-type");
