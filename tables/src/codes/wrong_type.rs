//! A value of the wrong TOML type, or one that JSON cannot represent.
//!
//! ## Why is this bad
//! The compiler does not guess. In many languages, the text `"false"` counts as true.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! defer = "false"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! defer = false
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C005", "wrong-type").fixable();
