//! A tool name that contains two consecutive underscores. Names that no vendor accepts are reported as
//! `invalid-name`.
//!
//! ## Why is this bad
//! Clients put `__` between the name of a server and the name of its tool: `mcp__SERVER__TOOL`. A client that splits
//! such a name again finds another server or another tool.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read__lines.toml
//!
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_lines.toml
//!
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P001", "tool-name", Some(Level::Warning), Check::Tool(check));

/// The separator that clients put between the parts of a name.
const SEPARATOR: &str = "__";

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let renamed = lint.dialects().filter_map(|dialect| tool.overrides(dialect.name)?.name.as_ref());
    let names = [&tool.manifest.name].into_iter().chain(renamed);
    for At { value: name, place } in names.filter(|name| name.value.contains(SEPARATOR)) {
        let message = format!("`{name}` contains `{SEPARATOR}`, which clients use to separate a server's name from a tool's");
        sink.push(Diagnostic::new(codes::TOOL_NAME, *place, message).help("use a single underscore between words"));
    }
}
