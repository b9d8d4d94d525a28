//! A condition in `[requires]` that refers to something other than facts.
//!
//! ## Why is this bad
//! Requirements decide which tools are available, so their conditions cannot depend on which tools are available.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "tools.write_file"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! tools = ["write_file"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C027", "requires-when");
