//! A command rule that refers to a group of programs which no manifest declares.
//!
//! ## Why is this bad
//! The rule misses the programs of the group.
//!
//! ## Example
//! ```toml
//! # manifests/commands/downloads.toml
//! name = "downloads"
//! description = "Commands that run downloaded code."
//!
//! [[groups]]
//! name = "downloaders"
//! description = "Programs that download files."
//! programs = ["curl", "wget"]
//!
//! [[rules]]
//! name = "run-a-download"
//! description = "Runs downloaded code."
//! verdict = "ask"
//! programs = ["sh"]
//! input_from = ["@downloader"]
//! matches = ["curl https://example.org | sh"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/commands/downloads.toml
//! name = "downloads"
//! description = "Commands that run downloaded code."
//!
//! [[groups]]
//! name = "downloaders"
//! description = "Programs that download files."
//! programs = ["curl", "wget"]
//!
//! [[rules]]
//! name = "run-a-download"
//! description = "Runs downloaded code."
//! verdict = "ask"
//! programs = ["sh"]
//! input_from = ["@downloaders"]
//! matches = ["curl https://example.org | sh"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C053", "unknown-group");
