//! A value of another TOML type than the key takes, or one that JSON cannot hold.
//!
//! ## Why is this bad
//! Types are not guessed from one another: `"100"` may have been meant as a number or as a text.
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
