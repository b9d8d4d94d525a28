//! A key that a plugin's tools do not support: `execution` other than `blocking`, or a `check`.
//!
//! ## Why is this bad
//! The program of a plugin runs its tools; a plugin has no Rust handlers. The tool would not behave as its manifest says.
//!
//! ## Example
//! ```toml
//! # plugin.toml
//! executable = "run"
//! env = ["WEB_API_KEY"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "agent"
//! ```
//!
//! ## Use instead
//! ```toml
//! # plugin.toml
//! executable = "run"
//! env = ["WEB_API_KEY"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! timeout = "20s"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C048", "not-in-a-plugin");
