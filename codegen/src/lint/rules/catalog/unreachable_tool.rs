//! A tool that no toolset resolves to: its home excludes it, and no other one holds it.
//!
//! ## Why is this bad
//! No host can enable it but by its name, or together with everything else. Most often an exclude was meant for
//! another toolset.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! excludes = ["write_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! excludes = ["write_file"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/editing.toml
//! tools = ["write_file"]
//! includes = ["files"]
//! ```

use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C034", "unreachable-tool", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let mut reached = vec![false; lint.tools().count()];
    for tool in lint.toolsets().flat_map(|(id, _)| lint.resolved(id)) {
        reached[tool.0] = true;
    }
    for (id, tool) in lint.tools().filter(|(id, _)| !reached[id.0]) {
        let home = &lint[tool.home];
        // A home that does not list its tool is a finding of its own.
        let Some(excluded) = home.manifest.excludes.iter().find(|name| name.value == tool.name()) else { continue };
        let message = format!("no toolset resolves to `{}`", tool.name());
        let found = Diagnostic::new(Code::UNREACHABLE_TOOL, tool.manifest.name.place, message)
            .related(excluded.place, format!("`{}` excludes it", home.name()));
        let others = lint.toolsets().filter(|(other, toolset)| *other != tool.home && toolset.excludes.contains(&id));
        let found = others
            .filter_map(|(other, toolset)| {
                let excluded = toolset.manifest.excludes.iter().find(|name| name.value == tool.name())?;
                Some((excluded.place, format!("{}, and it is excluded here", lint.path(other, id)?)))
            })
            .fold(found, |found, (place, way)| found.related(place, way));
        sink.push(found.help("take an exclude out, name the tool in another toolset's `tools`, or delete it"));
    }
}
