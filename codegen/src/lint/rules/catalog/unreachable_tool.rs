//! A tool that no toolset resolves to: its home toolset excludes it, and no other one lists it.
//!
//! ## Why is this bad
//! A host can enable the tool only by its name, or together with all tools. Usually the exclude was meant for another
//! toolset.
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

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C034", "unreachable-tool", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, tool) in lint.tools() {
        let home = &lint[tool.home];
        // Only an exclude can remove a tool from its home. Closed toolsets have a rule of their own.
        let Some(excluded) = home.manifest.excludes.iter().find(|name| name.value == tool.name()) else { continue };
        if lint.toolsets().any(|(set, _)| lint.resolve(set).binary_search(&id).is_ok()) {
            continue;
        }
        let message = format!("no toolset resolves to `{}`", tool.name());
        let found = Diagnostic::new(codes::UNREACHABLE_TOOL, tool.manifest.name.place, message)
            .related(excluded.place, format!("`{}` excludes it", home.name()));
        let others = lint.toolsets().filter_map(|(other, _)| Some((other, lint.exclusion(other, id)?)));
        let excluding = others.filter(|(other, (_, by))| other == by && *other != tool.home);
        let found = excluding.fold(found, |found, (other, (path, _))| {
            let excluded = lint[other].manifest.excludes.iter().find(|name| name.value == tool.name());
            let place = excluded.map_or(lint[other].manifest.name.place, |name| name.place);
            found.related(place, format!("{path}, and excluded here"))
        });
        sink.push(found.help("remove the exclude, list the tool in another toolset, or delete it"));
    }
}
