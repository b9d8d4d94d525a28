//! A tool whose name is also the name of one of the vendor's own tools that `[vendor_tools]` lists.
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

use std::collections::BTreeMap;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P027", "vendor-tool-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // Dialects of one vendor usually share the name of the tool, and so the finding.
    let mut found: BTreeMap<Place, (Vec<&str>, Level, Place)> = BTreeMap::new();
    for dialect in lint.dialects() {
        let Some(limit) = dialect.request.duplicate_names() else { continue };
        let name = tool.name_in(dialect.name);
        let Some(own) = lint.vendor_tools(dialect).into_iter().find(|own| own.names.contains(&name)) else { continue };
        let renamed = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
        let place = renamed.unwrap_or(&tool.manifest.name).place;
        let (dialects, level, _) = found.entry(place).or_insert((Vec::new(), Level::Warning, own.place));
        dialects.push(dialect.name);
        *level = lint.level_of(&limit).min(*level);
    }
    for (place, (dialects, level, own)) in found {
        let (first, name) = (dialects[0], tool.name_in(dialects[0]));
        let message = format!("`{name}` is also the name of one of the vendor's own tools in {}", ticked(&dialects, ", "));
        sink.push(
            Diagnostic::new(Code::VENDOR_TOOL_NAME, place, message)
                .level(level)
                .related(own, "requests contain it")
                .help(format!("give the tool another `name` in `[dialect.{first}]`, or remove the vendor's tool")),
        );
    }
}
