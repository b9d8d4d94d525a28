//! A parameter name that a vendor rejects, or an empty one. Anthropic checks names at the top level only, Gemini at every
//! level. Only the dialects that `toolc.toml` lists are checked, or all if it lists none.
//!
//! ## Why is this bad
//! A vendor rejects the whole request if it contains one invalid name. toolc therefore omits the parameter in that
//! dialect, or the whole tool if the parameter is required. The name of a nested property cannot be omitted and must
//! be changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.max-lines]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.max_lines]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```

use toolc_lower::dialects::{Dialect, Limit, NameGrammar};
use toolc_lower::schema::{Property, Schema};
use toolc::__gen::name::PORTABLE;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P002", "parameter-name", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let top = &tool.manifest.params.properties;
    for property in top {
        let outcome = if property.required { "so the tool is omitted there" } else { "so the parameter is omitted there" };
        report(lint, tool, property, |dialect| dialect.tool.parameter_name(), outcome, sink);
    }
    // Alternatives at the root repeat the names of the properties.
    let is_new = |property: &&Property| top.iter().all(|one| one.name.value != property.name.value);
    let nested = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for property in nested.flat_map(|schema| &schema.properties).filter(is_new) {
        let outcome = "and reject the whole request";
        report(lint, tool, property, |dialect| dialect.tool.nested_name(), outcome, sink);
    }
}

/// Reports a name that dialects refuse by one of their limits.
fn report(
    lint: &Lint<'_>,
    tool: &Tool,
    property: &Property,
    limit: impl Fn(&Dialect) -> Option<Limit<NameGrammar>>,
    outcome: &str,
    sink: &Sink,
) {
    let name = &property.name.value;
    if name.is_empty() {
        let message = format!("a parameter of `{}` has an empty name", tool.name());
        sink.push(Diagnostic::new(codes::PARAMETER_NAME, property.name.place, message).help("name it in snake_case"));
        return;
    }
    let limits = lint.dialects().filter_map(|dialect| Some((dialect.name, limit(dialect)?)));
    let refusing: Vec<_> = limits.filter(|(_, limit)| !limit.value.accepts(name)).collect();
    let Some(level) = refusing.iter().map(|(_, limit)| lint.level_of(limit)).min() else { return };
    let dialects: Vec<&str> = refusing.iter().map(|(dialect, _)| *dialect).collect();
    let message = match (dialects.len(), outcome.strip_prefix("and reject")) {
        (1, Some(rest)) => format!("{} does not accept the parameter name `{name}`, and rejects{rest}", ticked(&dialects, "")),
        (1, None) => format!("{} does not accept the parameter name `{name}`, {outcome}", ticked(&dialects, "")),
        _ => format!("{} do not accept the parameter name `{name}`, {outcome}", ticked(&dialects, ", ")),
    };
    let found = Diagnostic::new(codes::PARAMETER_NAME, property.name.place, message).level(level);
    let expected = refusing.first().map_or_else(String::new, |(_, limit)| limit.value.expected());
    let found = found.label(format!("expected {expected}"));
    let plain = words(name).join("_");
    let length = name.chars().count();
    let found = if length > PORTABLE.max_length {
        found.help(format!("shorten it: it has {length} characters, and every vendor accepts {}", PORTABLE.max_length))
    } else if PORTABLE.accepts(&plain) && plain != *name {
        found.help(format!("rename it to `{plain}`"))
    } else {
        found.help("use snake_case, which every vendor accepts")
    };
    let is_listed = lint.settings().lists_dialects;
    sink.push(if is_listed { found } else { found.help("or list the dialects that the project is for in `dialects` of `toolc.toml`") });
}
