//! A tool of a plugin that says what a plugin's program cannot do: be run by the agent, inline or as a future, or be
//! asked whether it is there.
//!
//! ## Why is this bad
//! Each call of a plugin's tool is a process, and there are no handlers beside that. Whoever read the manifest would
//! expect another behaviour than there is.
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
