//! A level, or a comment that allows something, for a rule that there is not, or for one that is always an error.
//!
//! ## Why is this bad
//! It changes nothing, and whoever wrote it believes otherwise.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! [lint]
//! token-budgte = "deny"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! [lint]
//! token-budget = "deny"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C032", "unknown-code");
