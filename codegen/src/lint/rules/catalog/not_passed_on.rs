//! An environment variable that a plugin's tools require but its program does not receive.
//!
//! ## Why is this bad
//! The tools are shown if the variable is set, but the program cannot read it, because it receives only the variables
//! listed in `env`.
//!
//! ## Example
//! ```toml
//! # plugin.toml
//! executable = "run"
//! ```
//!
//! ## Use instead
//! ```toml
//! # plugin.toml
//! executable = "run"
//! env = ["WEB_API_KEY"]
//! ```

use std::collections::BTreeSet;

use crate::lint::codes;
use crate::catalog::{Requires, VariableId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C049", "not-passed-on", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let Some(plugin) = lint.plugin() else { return };
    let passed: BTreeSet<&str> = plugin.env.iter().map(|name| name.value.as_str()).collect();
    let required = |requires: &Requires| requires.variables().collect::<Vec<_>>();
    let tools = lint.tools().flat_map(|(_, tool)| required(&tool.requires));
    let toolsets = lint.toolsets().flat_map(|(_, toolset)| required(&toolset.requires));
    for id in tools.chain(toolsets).collect::<BTreeSet<VariableId>>() {
        let name = &lint[id].name;
        if !passed.contains(name.value.as_str()) {
            let message = format!("tools require `{}`, but the program does not receive it", name.value);
            sink.push(
                Diagnostic::new(codes::NOT_PASSED_ON, name.place, message)
                    .related(plugin.place, "this plugin does not pass it on")
                    .help(format!("add `env = [\"{}\"]` to `plugin.toml`", name.value)),
            );
        }
    }
}
