//! A toolset that is declared safe or read-only, by a tag or by the end of its name (`safe`, `read-only`), but
//! contains a tool that is not. A safe toolset must not contain destructive tools. A read-only one must contain only
//! tools with `read_only = true`. A tool without annotations counts as destructive, as in MCP.
//!
//! ## Why is this bad
//! Users trust the name when they grant the toolset, or when they let its calls run without approval.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/look.toml
//! tags = ["safe"]
//! tools = ["read_file", "write_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/look.toml
//! tags = ["safe"]
//! tools = ["read_file"]
//! ```

use crate::lint::codes;
use crate::lint::promises::{self, is_named_or_tagged};
use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A001", "destructive-in-safe", Some(Level::Warning), Check::Catalog(check));

const READ_ONLY: &[&str] = &["read-only", "readonly", "no-write", "view-only"];
const SAFE: &[&str] = &["safe", "non-destructive", "harmless"];

fn check(lint: &Lint<'_>, sink: &Sink) {
    let help = "remove or exclude the tool, or set `destructive = false` in its annotations if that is true";
    let is_declared_read_only = |set: &Toolset| is_named_or_tagged(set, READ_ONLY).then_some("is declared read-only");
    promises::check(lint, codes::DESTRUCTIVE_IN_SAFE, is_declared_read_only, writes, help, sink);
    let is_safe = |set: &Toolset| (is_named_or_tagged(set, SAFE) && is_declared_read_only(set).is_none()).then_some("is declared safe");
    promises::check(lint, codes::DESTRUCTIVE_IN_SAFE, is_safe, destroys, help, sink);
}

fn destroys(tool: &Tool) -> Option<(&'static str, Place)> {
    let annotations = &tool.manifest.annotations;
    let is_destructive = annotations.value().destructive && !annotations.value().read_only;
    is_destructive.then(|| match &annotations.destructive {
        Some(declared) => ("is destructive", declared.place),
        None => ("does not declare `destructive = false`", annotations.place.unwrap_or(tool.manifest.name.place)),
    })
}

fn writes(tool: &Tool) -> Option<(&'static str, Place)> {
    let annotations = &tool.manifest.annotations;
    (!annotations.value().read_only).then(|| match &annotations.read_only {
        Some(declared) => ("is not read-only", declared.place),
        None => ("does not declare `read_only = true`", annotations.place.unwrap_or(tool.manifest.name.place)),
    })
}
