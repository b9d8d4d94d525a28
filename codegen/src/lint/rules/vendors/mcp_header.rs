//! A parameter whose `x-mcp-header` violates a rule of MCP about headers, or has no effect. A finding has one of these causes:
//!
//! - the name of the header is not an HTTP token, or another parameter of the tool has the same name, ignoring case;
//! - the type of the parameter is not exactly one of `integer`, `string` and `boolean`;
//! - an integer parameter allows values beyond ±(2^53 - 1);
//! - the parameter is below an array, a map, an alternative or a `$ref`, not only below `properties`;
//! - `dialects` does not list `mcp`.
//!
//! ## Why is this bad
//! MCP clients that use HTTP omit a tool that violates these rules. The specification: "Clients using the Streamable HTTP transport
//! **MUST** reject tool definitions where any `x-mcp-header` value violates these constraints", which "means the client **MUST** exclude
//! the invalid tool from the result of `tools/list`". (MCP 2026-07-28, Tools.) Definitions for vendors of models do not contain the
//! keyword.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.region]
//! type = "number"
//! description = "The number of the region that holds the file."
//! x-mcp-header = "Region"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.region]
//! type = "integer"
//! description = "The number of the region that holds the file."
//! x-mcp-header = "Region"
//! ```

use toolc_lower::dialects::{HeaderRules, Limit};
use toolc_lower::schema::{Property, Schema};
use toolc_lower::text::atoms::AtomId;
use toolc_lower::text::turns::turns;
use serde_json::Value;
use toolc::__gen::segment::Atoms;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{At, Diagnostic, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P028", "mcp-header", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let headers: Vec<(&Property, &At<String>)> =
        tool.parameters().filter_map(|parameter| Some((parameter, parameter.mcp_header.as_ref()?))).collect();
    if headers.is_empty() {
        return;
    }
    let rules = lint.dialects().find_map(|dialect| dialect.tool.headers());
    let reachable = reachable(&tool.manifest.params);
    let turns = turns(tool.manifest.atom_table.atoms.iter().map(|atom| &atom.value));
    let mut seen: Vec<(&Property, &At<String>)> = Vec::new();
    for (parameter, header) in headers {
        let name = &parameter.name.value;
        let found = |message: String| Diagnostic::new(codes::MCP_HEADER, header.place, message);
        let Some(Limit { value: rules, .. }) = rules else {
            let message = format!("the `x-mcp-header` of `{name}` has no effect: `dialects` lists no dialect with headers");
            sink.push(found(message).help("add `mcp` to `dialects`, or remove the keyword"));
            continue;
        };
        let refused = |message: String| {
            let level = lint.dialects().find_map(|dialect| dialect.tool.headers()).map(|limit| lint.level_of(&limit));
            found(message).level(level.unwrap_or(Level::Warning))
        };
        if !is_token(&header.value, rules) {
            let message = format!("`{}` is not a valid header name", header.value);
            let expected = format!("expected one or more ASCII letters, digits and {}", rules.punctuation);
            sink.push(refused(message).label(expected));
        } else if let Some((_, first)) = seen.iter().find(|(other, first)| {
            first.value.eq_ignore_ascii_case(&header.value) && turns.iter().any(|turn| in_turn(parameter, *turn) && in_turn(other, *turn))
        }) {
            let message = format!("two parameters of `{}` have the header `{}`", tool.name(), header.value);
            sink.push(refused(message).related(first.place, "first used here").help("give them different names"));
        }
        seen.push((parameter, header));
        if !reachable.contains(&header.place) {
            let message = format!("MCP clients cannot repeat `{name}` in a header");
            let label = "the parameter is below an array, a map, an alternative or a `$ref`";
            sink.push(refused(message).label(label).help("move the parameter out, or remove the keyword"));
        } else if let Some(other) = other_type(&parameter.schema, rules) {
            let message = format!("a header cannot contain the value of `{name}`: {other}");
            let expected = format!("expected one of the types {}", rules.types.join(", "));
            sink.push(refused(message).label(expected).help("change `type`, or remove the keyword"));
        } else if let Some(value) = beyond(&parameter.schema, rules) {
            let message = format!("`{name}` allows {}, but integers in a header are limited to ±{}", value.value, rules.max_integer);
            sink.push(refused(message).related(value.place, "beyond what every client can read").help("narrow its bounds"));
        }
    }
}

fn is_token(name: &str, rules: HeaderRules) -> bool {
    !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || rules.punctuation.contains(one))
}

/// Returns the places of the headers of all properties that are reached by `properties` alone.
fn reachable(root: &Schema) -> Vec<Place> {
    let (mut places, mut pending) = (Vec::new(), vec![root]);
    while let Some(schema) = pending.pop() {
        places.extend(schema.properties.iter().filter_map(|property| Some(property.mcp_header.as_ref()?.place)));
        pending.extend(schema.properties.iter().map(|property| &property.schema));
    }
    places
}

/// Returns what is wrong with the type of a value, or `None` if a header can have it.
fn other_type(schema: &Schema, rules: HeaderRules) -> Option<String> {
    match schema.types.as_slice() {
        [only] if rules.types.contains(&only.name()) => None,
        [only] => Some(format!("its type is `{}`", only.name())),
        [] => Some("it has no `type`".to_owned()),
        _ => Some("it has several types".to_owned()),
    }
}

/// Returns whether a parameter is in a turn in which these atoms hold. The conditions of schemas around it are not considered.
fn in_turn(parameter: &Property, atoms: Atoms) -> bool {
    parameter.when.as_ref().is_none_or(|when| when.value.holds(&|AtomId(atom)| atoms >> atom & 1 == 1))
}

/// Returns a value or bound of an integer that is too large for a header.
fn beyond(schema: &Schema, rules: HeaderRules) -> Option<&At<Value>> {
    let bounds = schema.bounds.iter().filter(|(keyword, _)| keyword.to_lowercase().ends_with("imum"));
    let bounds = bounds.map(|(keyword, bound)| (bound, i64::from(keyword.starts_with("exclusive"))));
    let values = schema.choices.iter().map(|choice| &choice.value).chain(&schema.constant).chain(&schema.default);
    let fits = |value: &Value, excluded: i64| {
        let max = rules.max_integer + excluded;
        match value.as_i64() {
            Some(value) => (-max..=max).contains(&value),
            // A fraction, or more than 64 bits.
            None => value.as_f64().zip(Value::from(max).as_f64()).is_none_or(|(value, max)| value.abs() <= max),
        }
    };
    let mut all = bounds.chain(values.map(|value| (value, 0)));
    all.find(|(value, excluded)| !fits(&value.value, *excluded)).map(|(value, _)| value)
}
