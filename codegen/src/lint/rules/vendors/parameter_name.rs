//! A parameter name that the vendor of a listed dialect rejects. Anthropic checks names at the top level only, Gemini
//! at every level. If a tool is missing from a dialect because of a name, this is reported for every dialect that is
//! written.
//!
//! ## Why is this bad
//! A vendor rejects the whole request if it contains one invalid name. toolc therefore omits the parameter in that
//! dialect, or the whole tool if the parameter is required. The name of a nested property cannot be omitted and must
//! be changed.
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
//! description = "The maximum number of lines to return."
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
//! description = "The maximum number of lines to return."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::dialects::{self, Dialect, Limit, NameGrammar};
use crate::schema::{Property, Schema};

pub(super) const RULE: Rule = Rule::new("P002", "parameter-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let is_listed = lint.settings().lists_dialects;
    let top = &tool.manifest.params.properties;
    for property in top {
        // A tool that is missing matters whether or not the dialect is listed.
        let limit = |dialect: &Dialect| dialect.tool.parameter_name().filter(|_| property.required || is_listed);
        let outcome = if property.required { "the whole tool is omitted" } else { "it is omitted" };
        report(lint, property, limit, outcome, sink);
    }
    // Alternatives at the root repeat the names of the properties.
    let is_new = |property: &&Property| top.iter().all(|one| one.name.value != property.name.value);
    let nested = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for property in nested.flat_map(|schema| &schema.properties).filter(is_new) {
        let limit = |dialect: &Dialect| dialect.tool.nested_name().filter(|_| is_listed);
        report(lint, property, limit, "the vendor rejects requests that contain it", sink);
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
    let names: Vec<&str> = refusing.iter().map(|(dialect, _)| *dialect).collect();
    let message =
        format!("`{}` is not a valid parameter name in {}: {outcome}", property.name.value, ticked(&names, ", "));
    let found = Diagnostic::new(Code::PARAMETER_NAME, property.name.place, message).level(level);
    let portable = dialects::find("portable").and_then(|dialect| dialect.tool.parameter_name());
    let found = match portable {
        Some(names) => found.label(format!("expected {}", names.value.expected())),
        None => found,
    };
    sink.push(found.help("use snake_case, which every vendor accepts"));
}
