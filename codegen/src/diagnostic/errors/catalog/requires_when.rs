//! The condition of a requirement asks for something else than facts.
//!
//! ## Why is this bad
//! Which tools are there is decided by the requirements; a condition over tools would ask for what is being decided.
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
