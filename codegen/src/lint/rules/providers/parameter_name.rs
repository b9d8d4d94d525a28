//! A parameter whose name a provider refuses, in a project that is for it. Anthropic looks at the top level only; Gemini at
//! every level.
//!
//! ## Why is this bad
//! One bad name has the whole request refused. So the parameter is not there in that dialect; if it has to be sent, the tool
//! is not; and where the parameter is within another one, nothing can be done but to call it otherwise.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.max-lines]
//! type = "integer"
//! description = "How many lines to return at most."
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.max_lines]
//! type = "integer"
//! description = "How many lines to return at most."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::providers::{Limit, Name, Provider};
use crate::schema::{Property, Schema};

pub(super) const RULE: Rule = Rule::new("P002", "parameter-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let top = &tool.manifest.params.properties;
    for property in top {
        let outcome = if property.required { "the whole tool is not there" } else { "it is not there" };
        report(lint, property, |provider| provider.parameter_name, outcome, sink);
    }
    // An alternative of the arguments as a whole speaks of the same ones again.
    let is_new = |property: &&Property| top.iter().all(|one| one.name.value != property.name.value);
    let within = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for property in within.flat_map(|schema| &schema.properties).filter(is_new) {
        report(lint, property, |provider| provider.nested_name, "requests with it are refused", sink);
    }
}

fn report(lint: &Lint<'_>, property: &Property, of: fn(&Provider) -> Option<Limit<Name>>, outcome: &str, sink: &Sink) {
    let name = &property.name.value;
    let refuses = |provider: &&Provider| of(provider).is_some_and(|limit| !limit.value.takes(name));
    let dialects: Vec<&str> = lint.providers().filter(refuses).map(|provider| provider.dialect).collect();
    if !dialects.is_empty() {
        let message = format!("`{name}` is no name of a parameter in {}: {outcome}", ticked(&dialects, ", "));
        sink.push(
            Diagnostic::new(Code::PARAMETER_NAME, property.name.place, message)
                .label("expected a letter or `_`, then letters, digits or `_`; at most 64 in all")
                .help("write it in snake_case, which every provider takes"),
        );
    }
}
