//! A description with invalid template syntax.
//!
//! ## Why is this bad
//! The description cannot be rendered. Of Jinja, descriptions support `{% if %}`, `{{ facts.NAME }}` and `{{
//! available(...) }}` only.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file on {{ platform }}, or a window of its lines. Use it before changing a file."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file on {{ facts.platform }}, or a window of its lines. Use it before changing a file."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C017", "template");
