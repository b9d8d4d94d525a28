//! An unknown dialect.
//!
//! ## Why is this bad
//! No schemas would be written for it, and settings for it would have no effect.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["opnai"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C031", "unknown-dialect");
