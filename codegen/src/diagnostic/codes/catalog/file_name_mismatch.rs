//! A manifest whose `name` differs from its file name.
//!
//! ## Why is this bad
//! People and programs look for a tool in the file of its name. A mismatch usually means that a rename was only half
//! done.
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
