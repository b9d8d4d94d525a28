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
    for (id, tool) in lint.tools() {
        let home = &lint[tool.home];
        // Every other home holds its tools, but for one that is closed and does not list them: a finding of its own.
        let Some(excluded) = home.manifest.excludes.iter().find(|name| name.value == tool.name()) else { continue };
        if lint.toolsets().any(|(set, _)| lint.resolved(set).binary_search(&id).is_ok()) {
            continue;
        }
        let message = format!("no toolset resolves to `{}`", tool.name());
        let found = Diagnostic::new(Code::UNREACHABLE_TOOL, tool.manifest.name.place, message)
            .related(excluded.place, format!("`{}` excludes it", home.name()));
        let others = lint.toolsets().filter_map(|(other, _)| Some((other, lint.exclusion(other, id)?)));
        let excluding = others.filter(|(other, (_, by))| other == by && *other != tool.home);
        let found = excluding.fold(found, |found, (other, (path, _))| {
            let excluded = lint[other].manifest.excludes.iter().find(|name| name.value == tool.name());
            let place = excluded.map_or(lint[other].manifest.name.place, |name| name.place);
            found.related(place, format!("{path}, and excluded here"))
        });
        sink.push(found.help("take an exclude out, name the tool in another toolset's `tools`, or delete it"));
    }
}
