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

use toolc_lower::dialects::Dialect;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::accepts;

pub(super) const RULE: Rule = Rule::new("P027", "vendor-tool-name", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, tool) in lint.tools() {
        let accepting = lint.dialects().filter(|dialect| accepts(dialect, tool));
        let names = accepting.map(|dialect| (dialect, tool.name_in(dialect.name), name_place(tool, dialect)));
        report(lint, names, |dialects| {
            let tables: Vec<String> = dialects.iter().map(|dialect| format!("[dialect.{dialect}]")).collect();
            let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
            format!("give the tool another `name` in {}, or remove the vendor's tool", ticked(&tables, ", "))
        }, sink);
    }
    for name in &lint.settings().external {
        let names = lint.dialects().map(|dialect| (dialect, name.value.as_str(), name.place));
        report(lint, names, |_| "add the tool under another name, or remove the vendor's tool".to_owned(), sink);
    }
}

/// Returns the place of a tool's name in a dialect.
fn name_place(tool: &Tool, dialect: &Dialect) -> Place {
    let renamed = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
    renamed.unwrap_or(&tool.manifest.name).place
}

/// Reports the names of one tool, each with its dialect and its place, that the vendor's own tools have.
fn report<'n>(
    lint: &Lint<'_>,
    names: impl Iterator<Item = (&'static Dialect, &'n str, Place)>,
    help: impl Fn(&[&str]) -> String,
    sink: &Sink,
) {
    // Dialects of one vendor usually share the name of the tool, and so the finding.
    let mut found: BTreeMap<Place, (&str, Vec<&str>, Level, Place)> = BTreeMap::new();
    for (dialect, name, place) in names {
        let Some(limit) = dialect.request.duplicate_names() else { continue };
        let Some(own) = lint.vendor_tools(dialect).into_iter().find(|own| own.names.contains(&name)) else { continue };
        let (_, dialects, level, _) = found.entry(place).or_insert((name, Vec::new(), Level::Warning, own.place));
        dialects.push(dialect.name);
        *level = lint.level_of(&limit).min(*level);
    }
    for (place, (name, dialects, level, own)) in found {
        let message = format!("`{name}` is also the name of one of the vendor's own tools in {}", ticked(&dialects, ", "));
        sink.push(
            Diagnostic::new(codes::VENDOR_TOOL_NAME, place, message)
                .level(level)
                .related(own, "requests contain it")
                .help(help(&dialects)),
        );
    }
}
