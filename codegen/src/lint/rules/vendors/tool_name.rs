//! Two underscores in a row in a tool's name. What no provider takes at all is `invalid-name`.
//!
//! ## Why is this bad
//! Clients put the server's name before a tool's, and `__` between the two: `mcp__SERVER__TOOL`. One that takes such a name
//! apart again finds another server, or another tool.
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

use crate::catalog::Tool;
use crate::diagnostic::{At, Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P001", "tool-name", Some(Level::Warning), Check::Tool(check));

/// What clients put between the parts of a name.
const SEPARATOR: &str = "__";

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let renamed = lint.dialects().filter_map(|dialect| tool.otherwise(dialect.name)?.name.as_ref());
    let names = [&tool.manifest.name].into_iter().chain(renamed);
    for At { value: name, place } in names.filter(|name| name.value.contains(SEPARATOR)) {
        let message = format!("`{name}` holds `{SEPARATOR}`, by which clients tell a server's name from a tool's");
        sink.push(Diagnostic::new(Code::TOOL_NAME, *place, message).help("write one underscore between two words"));
    }
}
