//! An entry of the project's baseline that no longer matches a finding.
//!
//! ## Why is this bad
//! The finding has been fixed, and the entry would hide it if it came back.
//!
//! ## Example
//! The baseline contains a finding for a missing description, which has been added since:
//!
//! ```toml
//! # toolc.toml
//! baseline = "lint-baseline.json"
//! ```
//!
//! ```json
//! # lint-baseline.json
//! {
//!   "version": 1,
//!   "findings": [
//!     {"code":"M001","manifest":"manifests/tools/read_file.toml","pointer":"/params/limit"}
//!   ]
//! }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! baseline = "lint-baseline.json"
//! ```
//!
//! ```json
//! # lint-baseline.json
//! {
//!   "version": 1,
//!   "findings": []
//! }
//! ```

use crate::diagnostic::Level;
use crate::lint::{Check, Rule};

pub(super) const RULE: Rule = Rule::new("C038", "unused-baseline-entry", Some(Level::Warning), Check::Linter);
