//! A key names a parameter that the tool does not have, or one of a type that the key has no use for.
//!
//! ## Why is this bad
//! The runtime takes the command to approve, or the key of parallel calls, out of that parameter; there would be
//! nothing to take.
//!
//! ## Example
//! ```toml
//! # manifests/tools/run_script.toml
//! [approval]
//! shell = "cmd"
//!
//! [params.command]
//! type = "string"
//! description = "What to run."
//! required = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/run_script.toml
//! [approval]
//! shell = "command"
//!
//! [params.command]
//! type = "string"
//! description = "What to run."
//! required = true
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C028", "unknown-parameter");
