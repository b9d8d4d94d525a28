//! A deprecated tool that is still used: a toolset lists it, a tool or toolset requires it, a condition or a text
//! refers to it, or it replaces another deprecated tool. Uses by the tool itself do not count, nor does a mention in
//! its replacement's description.
//!
//! ## Why is this bad
//! The tool cannot be removed while it is used, and models are led to a tool that they should avoid.
//!
//! ## Example
//! ```toml
//! # manifests/tools/fetch_page.toml
//! [deprecated]
//! note = "It reads no scripts."
//! replacement = "web_search"
//! ```
//!
//! ```toml
//! # manifests/toolsets/research.toml
//! tools = ["read_file", "fetch_page"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/fetch_page.toml
//! [deprecated]
//! note = "It reads no scripts."
//! replacement = "web_search"
//! ```
//!
//! ```toml
//! # manifests/toolsets/research.toml
//! tools = ["read_file", "web_search"]
//! ```

use toolc_lower::text::condition::AtomExpr;

use crate::lint::codes;
use crate::catalog::{Atom, Requires, Tool, ToolId};
use crate::diagnostic::{At, Diagnostic, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C046", "deprecated-in-use", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    if lint.tools().all(|(_, tool)| tool.manifest.deprecated.is_none()) {
        return;
    }
    let current = lint.tools().filter(|(_, tool)| tool.manifest.deprecated.is_none());
    for (id, tool) in current {
        let name = tool.name();
        for (old, place) in required_tools(&tool.requires) {
            report(lint, old, place, &format!("`{name}` requires it"), sink);
        }
        for (old, place) in referenced_tools(tool) {
            if lint[old].replacement != Some(id) {
                report(lint, old, place, &format!("`{name}` refers to it"), sink);
            }
        }
    }
    for (id, toolset) in lint.toolsets() {
        let name = toolset.name();
        for (old, place) in required_tools(&toolset.requires) {
            report(lint, old, place, &format!("every tool of `{name}` requires it"), sink);
        }
        // A closed toolset must list its home tools, which does not count as a use.
        let listed = toolset.tools.iter().zip(&toolset.manifest.tools).filter(|(tool, _)| lint[**tool].home != id);
        for (&old, listed) in listed {
            report(lint, old, listed.place, &format!("`{name}` lists it"), sink);
        }
    }
    for (_, tool) in lint.tools() {
        let replacement = tool.manifest.deprecated.as_ref().and_then(|deprecated| deprecated.replacement.as_ref());
        if let (Some(other), Some(replacement)) = (tool.replacement, replacement) {
            report(lint, other, replacement.place, &format!("it replaces `{}`", tool.name()), sink);
        }
    }
}

fn required_tools(requires: &Requires) -> impl Iterator<Item = (ToolId, Place)> {
    requires.tools.iter().chain(&requires.any_tools).copied()
}

/// Returns the tools that conditions and texts refer to, each with the place of its first reference.
fn referenced_tools(tool: &Tool) -> impl Iterator<Item = (ToolId, Place)> {
    let tool_of = |(atom, expr): (&Atom, &At<AtomExpr>)| match atom {
        Atom::Tool(id) => Some((*id, expr.place)),
        Atom::External(_) | Atom::Fact(_) | Atom::Compared(..) => None,
    };
    tool.atoms.iter().zip(&tool.manifest.atom_table.atoms).filter_map(tool_of)
}

/// Reports a use if the used tool is deprecated.
fn report(lint: &Lint<'_>, old: ToolId, place: Place, use_of_it: &str, sink: &Sink) {
    let Some(deprecated) = &lint[old].manifest.deprecated else { return };
    let message = format!("`{}` is deprecated, but {use_of_it}", lint[old].name());
    let found = Diagnostic::new(codes::DEPRECATED_IN_USE, place, message)
        .related(lint[old].manifest.name.place, deprecated.note.as_ref().map_or_else(String::new, |note| note.value.clone()));
    sink.push(match lint[old].replacement {
        Some(new) => found.help(format!("use its replacement `{}` instead", lint[new].name())),
        None => found.help("remove the use: the tool has no replacement"),
    });
}
