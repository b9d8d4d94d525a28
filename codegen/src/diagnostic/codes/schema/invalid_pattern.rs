//! A `pattern` that is not a valid regular expression.
//!
//! ## Why is this bad
//! No string can be matched against it. A vendor that compiles the pattern rejects the whole request.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read, below `src`."
//! pattern = "^src/("
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read, below `src`."
//! pattern = "^src/"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S025", "invalid-pattern");
