//! A name in `exempts` of a command rule that is neither the name of a rule nor that of a doubt.
//!
//! ## Why is this bad
//! The exception has no effect: the command still needs approval.
//!
//! ## Example
//! ```toml
//! # manifests/commands/deletions.toml
//! name = "deletions"
//! description = "Commands that delete files."
//!
//! [[rules]]
//! name = "recursive-deletion"
//! description = "Deletes folders and everything in them."
//! verdict = "ask"
//! programs = ["rm"]
//! flags = ["-r", "-R", "--recursive"]
//! matches = ["rm -rf build"]
//!
//! [[rules]]
//! name = "build-folder"
//! description = "Deletes what a build has made."
//! verdict = "allow"
//! exempts = ["recursive-deletions"]
//! programs = ["rm"]
//! arguments = ["target"]
//! matches = ["rm -r target"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/commands/deletions.toml
//! name = "deletions"
//! description = "Commands that delete files."
//!
//! [[rules]]
//! name = "recursive-deletion"
//! description = "Deletes folders and everything in them."
//! verdict = "ask"
//! programs = ["rm"]
//! flags = ["-r", "-R", "--recursive"]
//! matches = ["rm -rf build"]
//!
//! [[rules]]
//! name = "build-folder"
//! description = "Deletes what a build has made."
//! verdict = "allow"
//! exempts = ["recursive-deletion"]
//! programs = ["rm"]
//! arguments = ["target"]
//! matches = ["rm -r target"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C051", "unknown-rule");
