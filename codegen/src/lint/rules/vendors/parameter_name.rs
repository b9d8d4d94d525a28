//! A parameter whose name a provider refuses, where `dialects` in `toolc.toml` names its dialect. Anthropic looks at the top
//! level only; Gemini at every level. A tool that is not there at all because of it is told of in every dialect that is
//! written.
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
//! description = "Fallback many lines to return at most."
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
//! description = "Fallback many lines to return at most."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::dialects::{Limit, NameGrammar, Provider};
use crate::schema::{Property, Schema};

pub(super) const RULE: Rule = Rule::new("P002", "parameter-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let is_named = |provider: &Provider| lint.named_provider(provider.dialect).is_some();
    let top = &tool.manifest.params.properties;
    for property in top {
        // That a tool is gone is of interest whoever asked for the dialect.
        let dialects =
            refusing(lint, property, |one| one.parameter_name.filter(|_| property.required || is_named(one)));
        let outcome = if property.required { "the whole tool is not there" } else { "it is not there" };
        report(property, &dialects, outcome, sink);
    }
    // An alternative of the arguments as a whole speaks of the same ones again.
    let is_new = |property: &&Property| top.iter().all(|one| one.name.value != property.name.value);
    let within = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for property in within.flat_map(|schema| &schema.properties).filter(is_new) {
        let dialects = refusing(lint, property, |one| one.nested_name.filter(|_| is_named(one)));
        report(property, &dialects, "requests with it are refused", sink);
    }
}

/// The dialects whose providers refuse a name.
fn refusing(
    lint: &Lint<'_>,
    property: &Property,
    limit: impl Fn(&Provider) -> Option<Limit<NameGrammar>>,
) -> Vec<&'static str> {
    let refuses = |one: &&Provider| limit(one).is_some_and(|limit| !limit.value.takes(&property.name.value));
    lint.providers().filter(refuses).map(|provider| provider.dialect).collect()
}

fn report(property: &Property, dialects: &[&str], outcome: &str, sink: &Sink) {
    if dialects.is_empty() {
        return;
    }
    let message =
        format!("`{}` is no name of a parameter in {}: {outcome}", property.name.value, ticked(dialects, ", "));
    sink.push(
        Diagnostic::new(Code::PARAMETER_NAME, property.name.place, message)
            .label("expected a letter or `_`, then letters, digits or `_`; at most 64 in all")
            .help("write it in snake_case, which every provider takes"),
    );
}
