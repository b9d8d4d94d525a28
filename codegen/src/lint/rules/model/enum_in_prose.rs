//! A string parameter, or an array of strings, whose description lists the allowed values, but which has no `enum`.
//! The rule looks for complete lists of words or quoted values: after "one of", "allowed values" and the like, as
//! `a|b|c`, or quoted and joined by "or" in parentheses. Examples and open-ended lists are not reported.
//!
//! ## Why is this bad
//! Models follow an `enum`, and many vendors enforce it while the model generates. Values that are listed only in
//! prose can be misspelled, and nothing rejects them before the handler runs.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! type = "string"
//! description = "How the bytes are read. One of: utf8, latin1, ascii."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! type = "string"
//! description = "How the bytes are read."
//! enum = ["utf8", "latin1", "ascii"]
//! ```

use toolc_lower::schema::Schema;
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule, value_lists};

pub(super) const RULE: Rule = Rule::new("M017", "enum-in-prose", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let names: Vec<&str> = tool.parameters().map(|parameter| parameter.name.value.as_str()).collect();
    for parameter in tool.parameters().filter(|parameter| is_unrestricted_text(&parameter.schema)) {
        let Some(description) = &parameter.schema.description else { continue };
        let Some(literal) = lint.string(description.place) else { continue };
        let Some(values) = value_lists::find(literal.value(), &names) else { continue };
        let message = format!("the values of `{}` are listed only in prose", parameter.name.value);
        sink.push(
            Diagnostic::new(codes::ENUM_IN_PROSE, literal.place(values), message)
                .related(parameter.name.place, "the parameter accepts any string")
                .help("list them in `enum`, and describe in the text what they mean"),
        );
    }
}

/// Returns whether the schema is an unrestricted string, or an array of unrestricted strings.
fn is_unrestricted_text(schema: &Schema) -> bool {
    let is_free = |schema: &Schema| {
        schema.choices.is_empty()
            && schema.constant.is_none()
            && schema.pattern.is_none()
            && schema.format.is_none()
            && schema.reference.is_none()
            && schema.in_place().next().is_none()
    };
    let has_type = |schema: &Schema, wanted: Type| {
        schema.types.contains(&wanted) && schema.types.iter().all(|ty| *ty == wanted || *ty == Type::Null)
    };
    let has_free_items = || schema.items.as_deref().is_some_and(|items| is_free(items) && has_type(items, Type::String));
    is_free(schema) && (has_type(schema, Type::String) || has_type(schema, Type::Array) && has_free_items())
}
