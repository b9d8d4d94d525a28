//! A requirement of one of several variables or tools that always holds, because one of them is required anyway: by the
//! same manifest, or by the home toolset of the tool.
//!
//! ## Why is this bad
//! The list looks like alternatives, but has no effect. Usually the variable or tool was meant for only one of the two
//! lists.
//!
//! ## Example
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! env = ["WEB_API_KEY"]
//! any_env = ["WEB_API_KEY"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/web_search.toml
//! [requires]
//! env = ["WEB_API_KEY"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::manifest::RequiresManifest;

pub(super) const RULE: Rule = Rule::new("C057", "requirement-always-met", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, tool) in lint.tools() {
        let home = &lint[tool.home].manifest.requires;
        check_requires(&tool.manifest.requires, &[&tool.manifest.requires, home], sink);
    }
    for (_, toolset) in lint.toolsets() {
        let requires = &toolset.manifest.requires;
        check_requires(requires, &[requires], sink);
    }
}

/// Checks the alternatives of a manifest against all requirements that hold with them.
fn check_requires(requires: &RequiresManifest, all: &[&RequiresManifest], sink: &Sink) {
    type Lists = (&'static str, &'static str, fn(&RequiresManifest) -> [&Vec<At<String>>; 2]);
    let lists: [Lists; 2] = [
        ("any_env", "env", |requires| [&requires.any_env, &requires.env]),
        ("any_tools", "tools", |requires| [&requires.any_tools, &requires.tools]),
    ];
    for (any, each, lists) in lists {
        for name in lists(requires)[0] {
            let mut needed = all.iter().flat_map(|requires| lists(requires)[1]);
            if let Some(first) = needed.find(|needed| needed.value == name.value) {
                let message = format!("`{any}` always holds, because `{each}` requires `{}`", name.value);
                let found = Diagnostic::new(codes::REQUIREMENT_ALWAYS_MET, name.place, message);
                sink.push(found.related(first.place, "required here").help(format!("remove `{any}`, or the entry of `{each}`")));
                break;
            }
        }
    }
}
