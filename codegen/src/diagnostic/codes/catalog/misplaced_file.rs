//! Something below `manifests/` that is not read as a manifest: a TOML file in another folder, a file in another format or
//! with a misspelt extension, a name that is not UTF-8, or a folder, pipe, device or broken link that has the name of a
//! manifest. The rest of the project is checked.
//!
//! ## Why is this bad
//! The file would be ignored silently, and the tool that it declares would be missing.
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
