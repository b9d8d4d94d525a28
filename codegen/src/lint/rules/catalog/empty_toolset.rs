//! A toolset that resolves to no tools: it lists none, is the home of none, and excludes everything that it includes.
//!
//! ## Why is this bad
//! A host that enables it gets an agent without tools and without an explanation. No schema is written for it.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/editing.toml
//! includes = []
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/editing.toml
//! includes = ["files"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C040", "empty-toolset", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, toolset) in lint.toolsets().filter(|(id, _)| lint.resolve(*id).is_empty() && !lint.has_external_tools(*id)) {
        let manifest = &toolset.manifest;
        let message = format!("`{}` resolves to no tools", toolset.name());
        let found = Diagnostic::new(codes::EMPTY_TOOLSET, manifest.name.place, message);
        let excludes = manifest.excludes.iter();
        let found =
            excludes.fold(found, |found, name| found.related(name.place, "its tools are excluded here"));
        sink.push(match toolset.home_tools.as_slice() {
            [first, ..] if manifest.closed => found.help(format!(
                "it is closed: list its tools in `tools`, such as `{}`, whose home it is",
                lint[*first].name()
            )),
            _ if manifest.excludes.is_empty() => {
                found.help("add `tools` or `includes`, make it the home of a tool, or delete it")
            }
            _ => found.help("remove excludes, or delete the toolset"),
        });
    }
}
