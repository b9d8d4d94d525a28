//! A condition with invalid syntax.
//!
//! ## Why is this bad
//! The condition cannot be evaluated. The language is small on purpose: `tools.NAME`, `facts.NAME`, comparisons with
//! a literal, `and`, `or`, `not` and parentheses.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! when = "facts.platform = 'cli'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! when = "facts.platform == 'cli'"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C016", "condition");
