//! An example of a command rule that fails: one in `matches` that does not get the rule's verdict, or one in `ignores` that
//! the rule matches.
//!
//! ## Why is this bad
//! The examples are the tests of the rule. Either the rule matches other commands than its author intended, or the example is
//! wrong.
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
//! matches = ["rm -rf build", "rm -f note.txt"]
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
//! ignores = ["rm -f note.txt"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C052", "failing-example");
