//! An environment variable that no tool and no toolset requires.
//!
//! ## Why is this bad
//! The host asks its user for a value that nothing uses. Usually the requirement is missing, or the variable was left
//! from a tool that was removed. A variable that only handlers read, and can do without, deserves a comment:
//! `# lint: allow unused-variable`, with the reason.
//!
//! ## Example
//! ```toml
//! # manifests/env.toml
//! [env.WEB_API_KEY]
//! description = "Key of the search service."
//!
//! [env.MAIL_API_KEY]
//! description = "Key of the mail service."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/env.toml
//! [env.WEB_API_KEY]
//! description = "Key of the search service."
//! ```

use std::collections::BTreeSet;

use crate::lint::codes;
use crate::catalog::{Requires, VariableId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C055", "unused-variable", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let of_tools = lint.tools().map(|(_, tool)| &tool.requires);
    let of_toolsets = lint.toolsets().map(|(_, toolset)| &toolset.requires);
    let required: BTreeSet<VariableId> = of_tools.chain(of_toolsets).flat_map(Requires::variables).collect();
    // The program of a plugin receives these.
    let passed: Vec<&str> =
        lint.plugin().into_iter().flat_map(|plugin| &plugin.env).map(|name| name.value.as_str()).collect();
    for (id, variable) in (0..).map(VariableId).zip(lint.variables()) {
        let name = &variable.name.value;
        if !required.contains(&id) && !passed.contains(&name.as_str()) {
            sink.push(
                Diagnostic::new(codes::UNUSED_VARIABLE, variable.name.place, format!("no tool requires `{name}`"))
                    .help("add it to `env` or `any_env`, in `[requires]` of the tools that need it, or delete it")
                    .help("if handlers read it without requiring it: `# lint: allow unused-variable`, with their names"),
            );
        }
    }
}
