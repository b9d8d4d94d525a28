//! An excluded tool that the toolset would not contain anyway.
//!
//! ## Why is this bad
//! It looks like a safeguard but has no effect. Usually another tool was meant, or the include that once added the
//! tool is gone.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/research.toml
//! includes = ["web"]
//! excludes = ["write_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/research.toml
//! includes = ["web"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("C041", "excludes-nothing", Some(Level::Warning), Check::Output(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, toolset) in lint.toolsets() {
        // Tools that are added at run time are unknown here.
        let is_external = |name: &&At<String>| toolset.excludes_external.iter().any(|id| lint[*id] == name.value);
        let excludes: Vec<_> = toolset.manifest.excludes.iter().filter(|name| !is_external(name)).collect();
        // The catalog has no errors, so each name is that of a tool.
        for (index, (&tool, name)) in toolset.excludes.iter().zip(&excludes).enumerate() {
            let finding = |message: String| {
                Diagnostic::new(codes::EXCLUDES_NOTHING, name.place, message)
                    .help("remove it")
                    .fix(Edit::Remove(name.place))
            };
            if let Some(earlier) = excludes[..index].iter().find(|earlier| earlier.value == name.value) {
                let found = finding(format!("`{}` excludes `{}` twice", toolset.name(), name.value));
                sink.push(found.related(earlier.place, "excluded here"));
                continue;
            }
            let is_included = toolset.edges().any(|(set, _)| lint.resolve(set).binary_search(&tool).is_ok());
            if is_included || toolset.direct().any(|direct| direct == tool) {
                continue;
            }
            let found = finding(format!("`{}` would not contain `{}` anyway", toolset.name(), name.value));
            let by = toolset.edges().find_map(|(set, _)| lint.exclusion(set, tool));
            sink.push(if let Some((path, by)) = by {
                let by = &lint[by];
                let found = path.show(found.help(format!("`{}` excludes it already: {path}", by.name())));
                let exclude = by.manifest.excludes.iter().filter(|other| other.value == name.value);
                exclude.fold(found, |found, exclude| found.related(exclude.place, "excluded here already"))
            } else {
                let home = lint[tool].home;
                found.help(format!("its home toolset `{}` is not included", lint[home].name()))
            });
        }
    }
}
