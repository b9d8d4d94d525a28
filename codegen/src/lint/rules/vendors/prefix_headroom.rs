//! A tool's name that leaves no room for the prefix that a client adds, in a project whose `dialects` name `mcp`.
//!
//! ## Why is this bad
//! Clients call the tools of a server `mcp__SERVER__TOOL`, and most models take 64 letters in all. What is longer is cut, told
//! by a hash, or refused together with every other tool.
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

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::dialects::{CLIENT_PREFIX, PROVIDERS};

pub(super) const RULE: Rule = Rule::new("P017", "prefix-headroom", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(mcp) = lint.named_provider("mcp") else { return };
    let max_length = PROVIDERS.iter().filter_map(|provider| Some(provider.tool_name?.value.max_length)).min();
    let most = max_length.unwrap_or(usize::MAX) - CLIENT_PREFIX.value;
    let name = tool.name_in(mcp.dialect);
    let length = name.chars().count();
    if length > most {
        let otherwise = tool.otherwise(mcp.dialect).and_then(|otherwise| otherwise.name.as_ref());
        let message = format!("`{name}` has {length} letters, which leaves no room for the prefix that clients add");
        sink.push(
            Diagnostic::new(Code::PREFIX_HEADROOM, otherwise.unwrap_or(&tool.manifest.name).place, message)
                .label(format!("expected {most} at most"))
                .help("shorten it; `[dialect.mcp]` may give it another name"),
        );
    }
}
