//! A key that must be there is not.
//!
//! ## Why is this bad
//! There is no sensible default for it: somebody has to say it.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [deprecated]
//! replacement = "write_file"
//! note = "Files are written now, and not read."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C004", "missing-key");
