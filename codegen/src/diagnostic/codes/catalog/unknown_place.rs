//! A command rule that refers to a place which no manifest declares.
//!
//! ## Why is this bad
//! The condition is never met, so the rule matches nothing.
//!
//! ## Example
//! ```toml
//! # manifests/commands/writing.toml
//! name = "writing"
//! description = "Commands that change the system."
//!
//! [[places]]
//! name = "system-files"
//! description = "Files of the operating system."
//! paths = ["/etc/**", "/usr/**"]
//!
//! [[rules]]
//! name = "system-file"
//! description = "Writes a file of the operating system."
//! verdict = "ask"
//! writes = ["system-flies"]
//! matches = ["echo x > /etc/hosts"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/commands/writing.toml
//! name = "writing"
//! description = "Commands that change the system."
//!
//! [[places]]
//! name = "system-files"
//! description = "Files of the operating system."
//! paths = ["/etc/**", "/usr/**"]
//!
//! [[rules]]
//! name = "system-file"
//! description = "Writes a file of the operating system."
//! verdict = "ask"
//! writes = ["system-files"]
//! matches = ["echo x > /etc/hosts"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C050", "unknown-place");
