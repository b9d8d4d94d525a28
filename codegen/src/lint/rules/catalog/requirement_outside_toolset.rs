//! A toolset that lists a tool, but does not contain a tool that it requires. In a preset, which hosts enable alone, tools
//! of its includes count as well.
//!
//! ## Why is this bad
//! A session that enables only this toolset never shows the tool. A user who enables the toolset believes that it works.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/pages.toml
//! tools = ["web_extract"]
//! ```
//!
//! ```toml
//! # manifests/tools/web_extract.toml
//! toolset = "web"
//! requires.tools = ["web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/pages.toml
//! tools = ["web_extract", "web_search"]
//! ```
//!
//! ```toml
//! # manifests/tools/web_extract.toml
//! toolset = "web"
//! requires.tools = ["web_search"]
//! ```

use crate::lint::codes;
use crate::catalog::{Requires, ToolId, ToolsetId};
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Path, Rule};

pub(super) const RULE: Rule =
    Rule::new("C062", "requirement-outside-toolset", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let members = lint.resolve(id);
        let is_listed = |tool: ToolId| toolset.tools.contains(&tool);
        for &member in members.iter().filter(|&&member| toolset.manifest.is_preset() || is_listed(member)) {
            let requires = [&lint[member].requires, &lint[lint[member].home].requires];
            let missing = requires.into_iter().find_map(|requires| missing_in(lint, id, requires));
            let Some(Missing { tools, place: origin }) = missing else { continue };
            // A preset that this one extends is reported itself.
            let lacks = |set: ToolsetId| requires.into_iter().any(|requires| missing_in(lint, set, requires).is_some());
            let is_reported = |edge: &ToolsetId| {
                lint[*edge].manifest.is_preset() && lint.resolve(*edge).contains(&member) && lacks(*edge)
            };
            if !is_listed(member) && toolset.edges().map(|(edge, _)| edge).any(|edge| is_reported(&edge)) {
                continue;
            }
            let names: Vec<&str> = tools.iter().map(|tool| lint[*tool].name()).collect();
            let (name, tool) = (toolset.name(), lint[member].name());
            let path = lint.path(id, member);
            let place = path.as_ref().and_then(Path::start).unwrap_or(toolset.manifest.name.place);
            let message = format!("`{name}` contains `{tool}` without {}, which it requires", ticked(&names, " or "));
            let found = Diagnostic::new(codes::REQUIREMENT_OUTSIDE_TOOLSET, place, message);
            let found = found.label("never shown if only this toolset is enabled").related(origin, "required here");
            sink.push(found.help(format!("add {} to `{name}`, or remove `{tool}`", ticked(&names, " or "))));
        }
    }
}

/// Tools that are required and not contained: one that must be there, or several of which one must be.
struct Missing {
    tools: Vec<ToolId>,
    place: Place,
}

fn missing_in(lint: &Lint<'_>, set: ToolsetId, requires: &Requires) -> Option<Missing> {
    let is_contained = |tool: &ToolId| lint.resolve(set).binary_search(tool).is_ok();
    if let Some(&(tool, place)) = requires.tools.iter().find(|(tool, _)| !is_contained(tool)) {
        return Some(Missing { tools: vec![tool], place });
    }
    // A tool that is added at run time may meet the requirement.
    let is_any = requires.any_tools.is_empty() || !requires.any_external.is_empty();
    let place = requires.any_tools.first().filter(|_| !is_any)?.1;
    let tools: Vec<ToolId> = requires.any_tools.iter().map(|(tool, _)| *tool).collect();
    (!tools.iter().any(is_contained)).then_some(Missing { tools, place })
}
