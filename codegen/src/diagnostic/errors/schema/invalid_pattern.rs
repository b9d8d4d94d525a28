//! A `pattern` that is no regular expression.
//!
//! ## Why is this bad
//! No string can be held against it, and a provider that tries refuses the whole request.
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
