//! A dialect that there is not.
//!
//! ## Why is this bad
//! Nothing would be written for it, and what is said for it would never be shown.
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
