//! A tool with the name of one of the vendor's own tools that requests contain according to `[vendor_tools]`.
//!
//! ## Why is this bad
//! The vendor rejects the whole request. Anthropic: "tools: Tool names must be unique." (A live error of 2026-05, for a tool
//! `web_search`, danny-avila/LibreChat#13162.) The names of its tools are in its SDK (anthropic 2.14.0, types/*_tool_*_param.py).
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! vendor_tools.anthropic = ["web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! vendor_tools.anthropic = ["web_search"]
//! ```
//!
//! ```toml
//! # manifests/tools/web_search.toml
//! [dialect.anthropic]
//! name = "search_web"
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P027", "vendor-tool-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for dialect in lint.dialects() {
        let Some(limit) = dialect.request.duplicate_names() else { continue };
        let name = tool.name_in(dialect.name);
        let Some(own) = lint.vendor_tools(dialect).into_iter().find(|own| own.names.contains(&name)) else { continue };
        let renamed = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
        let message = format!("`{name}` is also the name of one of the vendor's own tools in `{}`", dialect.name);
        sink.push(
            Diagnostic::new(Code::VENDOR_TOOL_NAME, renamed.unwrap_or(&tool.manifest.name).place, message)
                .level(lint.level_of(&limit))
                .related(own.place, "requests contain it")
                .help(format!("give the tool another `name` in `[dialect.{}]`, or remove the vendor's tool", dialect.name)),
        );
    }
}
