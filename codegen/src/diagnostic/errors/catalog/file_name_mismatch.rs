//! The manifest's `name` is not the stem of its file's name.
//!
//! ## Why is this bad
//! A tool is looked for where its name says that it is, by people and by programs. Where the two differ, one of them
//! was most often forgotten when the other was changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! name = "read_files"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! name = "read_file"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C006", "file-name-mismatch");
