//! A description of a toolset, a distribution, a fact or a variable that is only a placeholder, such as `TODO`.
//!
//! ## Why is this bad
//! People choose toolsets, set facts and supply variables by these texts. `new` writes `TODO` if no description is given.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/debugging.toml
//! name = "debugging"
//! description = "TODO"
//! tools = ["read_file"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/debugging.toml
//! name = "debugging"
//! description = "What finding a bug takes."
//! tools = ["read_file"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

use super::placeholder_description::is_to_be_written;

pub(super) const RULE: Rule = Rule::new("M029", "placeholder-for-people", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let check = |noun: &str, name: &At<String>, description: &str| {
        if is_to_be_written(description) {
            let message = format!("the description of the {noun} `{}` is not written yet", name.value);
            sink.push(
                Diagnostic::new(codes::PLACEHOLDER_FOR_PEOPLE, name.place, message)
                    .label(format!("its description is `{}`", description.trim()))
                    .help("write what it is for, for the people who choose or set it"),
            );
        }
    };
    for (_, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        check("toolset", &toolset.manifest.name, &toolset.manifest.description);
    }
    for distribution in lint.distributions() {
        check("distribution", &distribution.manifest.name, &distribution.manifest.description);
    }
    for fact in lint.facts() {
        check("fact", &fact.name, &fact.description);
    }
    for variable in lint.variables() {
        check("variable", &variable.name, &variable.description);
    }
}
