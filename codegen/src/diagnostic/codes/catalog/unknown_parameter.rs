//! A key that names a parameter which the tool does not have, or whose type does not fit the key.
//!
//! ## Why is this bad
//! The runtime reads the command to approve, or the key of parallel calls, from that parameter.
//!
//! ## Example
//! ```toml
//! # manifests/tools/run_script.toml
//! annotations = { destructive = true }
//!
//! [approval]
//! shell = "cmd"
//!
//! [params.command]
//! type = "string"
//! description = "The command to run."
//! required = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/run_script.toml
//! annotations = { destructive = true }
//!
//! [approval]
//! shell = "command"
//!
//! [params.command]
//! type = "string"
//! description = "The command to run."
//! required = true
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C028", "unknown-parameter");
