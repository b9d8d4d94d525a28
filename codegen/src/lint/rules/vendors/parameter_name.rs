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
use crate::dialects::{Dialect, Limit, NameGrammar};
use crate::schema::{Property, Schema};

pub(super) const RULE: Rule = Rule::new("P002", "parameter-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let is_listed = lint.settings().lists_dialects;
    let top = &tool.manifest.params.properties;
    for property in top {
        // A tool that is missing matters whether or not the dialect is listed.
        let limit = |dialect: &Dialect| dialect.tool.parameter_name().filter(|_| property.required || is_listed);
        let outcome = if property.required { "the whole tool is not there" } else { "it is not there" };
        report(lint, property, limit, outcome, sink);
    }
    // An alternative of the arguments as a whole names the same properties again.
    let is_new = |property: &&Property| top.iter().all(|one| one.name.value != property.name.value);
    let within = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for property in within.flat_map(|schema| &schema.properties).filter(is_new) {
        let limit = |dialect: &Dialect| dialect.tool.nested_name().filter(|_| is_listed);
        report(lint, property, limit, "requests with it are refused", sink);
    }
}

/// Reports a name that dialects refuse by one of their limits.
fn report(
    lint: &Lint<'_>,
    property: &Property,
    limit: impl Fn(&Dialect) -> Option<Limit<NameGrammar>>,
    outcome: &str,
    sink: &Sink,
) {
    let limits = lint.dialects().filter_map(|dialect| Some((dialect.name, limit(dialect)?)));
    let refusing: Vec<_> = limits.filter(|(_, limit)| !limit.value.accepts(&property.name.value)).collect();
    let Some(level) = refusing.iter().map(|(_, limit)| lint.level_of(limit)).min() else { return };
    let dialects: Vec<&str> = refusing.iter().map(|(dialect, _)| *dialect).collect();
    let message =
        format!("`{}` is no name of a parameter in {}: {outcome}", property.name.value, ticked(&dialects, ", "));
    sink.push(
        Diagnostic::new(Code::PARAMETER_NAME, property.name.place, message)
            .level(level)
            .label("expected a letter or `_`, then letters, digits or `_`; at most 64 in all")
            .help("write it in snake_case, which every provider takes"),
    );
}
