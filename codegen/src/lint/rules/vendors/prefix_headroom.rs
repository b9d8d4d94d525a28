//! A tool name that is too long for the prefix that MCP clients add. Reported only if `dialects` lists `mcp`.
//!
//! ## Why is this bad
//! Clients rename a server's tools to `mcp__SERVER__TOOL`, and most vendors allow 64 characters. A longer name is
//! truncated, replaced by a hash, or rejected together with all other tools.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/tools/find_lines_that_were_changed_since_last_week.toml
//!
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/tools/find_recent_lines.toml
//!
//! ```

use toolc_lower::dialects::DIALECTS;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P017", "prefix-headroom", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let lengths = DIALECTS.iter().filter_map(|dialect| Some(dialect.tool.tool_name()?.value.max_length));
    let max_length = lengths.min().unwrap_or(usize::MAX);
    for dialect in lint.listed_dialects() {
        let Some(prefix) = dialect.tool.client_prefix() else { continue };
        let max = max_length.saturating_sub(prefix.value);
        let name = tool.name_in(dialect.name);
        let length = name.chars().count();
        if length > max {
            let overrides = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
            let message = format!("`{name}` has {length} characters, which is too long for the prefix that clients add");
            sink.push(
                Diagnostic::new(codes::PREFIX_HEADROOM, overrides.unwrap_or(&tool.manifest.name).place, message)
                    .level(lint.level_of(&prefix))
                    .label(format!("expected at most {max}"))
                    .help(format!("shorten the name, or set another one for this dialect in `[dialect.{}]`", dialect.name)),
            );
        }
    }
}
