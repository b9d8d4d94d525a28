//! A TOML file below `manifests/` in a place where no manifest is read.
//!
//! ## Why is this bad
//! It would be passed over in silence, and with it the tool that it declares.
//!
//! ## Example
//! ```toml
//! # manifests/tool/read_lines.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_lines.toml
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C015", "misplaced-file");
