//! A level or an `allow` comment for an unknown rule, or for a rule whose level cannot be changed.
//!
//! ## Why is this bad
//! The setting has no effect.
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
