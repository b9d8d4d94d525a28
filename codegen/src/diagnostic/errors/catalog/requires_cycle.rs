//! Tools that require themselves, through others or right away.
//!
//! ## Why is this bad
//! None of them could be shown first, so none ever is.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! tools = ["write_file"]
//! ```
//!
//! ```toml
//! # manifests/tools/write_file.toml
//! [requires]
//! tools = ["read_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! tools = ["write_file"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C026", "requires-cycle");
