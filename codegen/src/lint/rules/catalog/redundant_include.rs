//! An include that adds nothing, because another include or the base already includes the same toolset. The finding
//! shows the other path.
//!
//! ## Why is this bad
//! It hides where tools come from. Someone who removes the other include expects its tools to be gone.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/work.toml
//! includes = ["office", "files"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/office.toml
//! includes = ["files"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/work.toml
//! includes = ["office"]
//! ```
//!
//! ```toml
//! # manifests/toolsets/office.toml
//! includes = ["files"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("C035", "redundant-include", Some(Level::Warning), Check::Output(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    // Most toolsets are included only once, and need no further check.
    let mut include_counts = vec![0; lint.toolsets().count()];
    for (to, _) in lint.toolsets().flat_map(|(_, toolset)| toolset.edges()) {
        include_counts[to.0] += 1;
    }
    for (id, toolset) in lint.toolsets() {
        for (index, &(to, place)) in toolset.includes.iter().enumerate().filter(|(_, (to, _))| include_counts[to.0] > 1) {
            let earlier = toolset.includes[..index].iter().find(|(other, _)| *other == to);
            let name = lint[to].name();
            let redundant = |message| Diagnostic::new(codes::REDUNDANT_INCLUDE, place, message);
            let found = if let Some((_, earlier)) = earlier {
                redundant(format!("`{}` includes `{name}` twice", toolset.name())).related(*earlier, "included here")
            } else if let Some(path) = lint.path_between(id, to, &|from, next| {
                // A path through a toolset that excludes tools does not count.
                let is_other_tool = |tool| lint.resolve(to).binary_search(tool).is_err();
                if from == id { next != to } else { lint[from].excludes.iter().all(is_other_tool) }
            }) {
                path.show(redundant(format!("`{}` already includes `{name}`: {path}", toolset.name())))
            } else {
                continue;
            };
            sink.push(found.help("remove it").fix(Edit::Remove(place)));
        }
    }
}
