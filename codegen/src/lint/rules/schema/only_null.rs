//! A parameter, or an item of an array, that can only be null: its type is `null`, null is the only value of its `enum`, or
//! null is all that its parts have in common.
//!
//! ## Why is this bad
//! The value carries no information, and a model that tries another one is refused. Usually, the type was lost: a code
//! generator writes `null` for what it does not know.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! description = "The encoding of the file. If it is null, the encoding is guessed."
//! anyOf = [{ type = "null" }, { enum = [{ json = 'null' }] }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! description = "The encoding of the file. If it is null, the encoding is guessed."
//! type = ["string", "null"]
//! ```

use toolc_lower::schema::{Additional, Schema};

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::satisfiability::SchemaValues;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S072", "only-null", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let values = SchemaValues::new(&tool.manifest.defs);
    let report = |schema: &Schema, place: Place, subject: String| {
        if values.is_only_null(schema) {
            let found = Diagnostic::new(codes::ONLY_NULL, place, format!("{subject} can only be null"));
            let parts = schema.in_place().map(|part| part.place).chain(schema.reference.iter().map(|to| to.place));
            let found = parts.take(3).fold(found, |found, place| found.related(place, "this allows no other value"));
            sink.push(found.help("add the type of its other values, or remove it"));
        }
    };
    for schema in tool.parameter_schemas() {
        for property in &schema.properties {
            let name = &property.name;
            report(&property.schema, name.place, format!("the parameter `{}` of `{}`", name.value, tool.name()));
        }
        if let Some(items) = &schema.items {
            report(items, items.place, format!("each item of an array of `{}`", tool.name()));
        }
        if let Additional::Schema(others) = &schema.additional {
            report(others, others.place, format!("each further property of an object of `{}`", tool.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Sources;
    use crate::lint::codes;

    fn is_found(parameter: &str) -> bool {
        let text = format!(
            "name = 'x'\ntoolset = 't'\ndescription = 'Reads.'\n[schema.'$defs']\nnothing = {{ type = 'null' }}\nword = {{ type = ['string', 'null'] }}\n[params.p]\n{parameter}\n"
        );
        let sources = Sources::from_memory([
            ("manifests/tools/x.toml".to_owned(), text),
            ("manifests/toolsets/t.toml".to_owned(), "name = 't'\ndescription = 'Things.'\n".to_owned()),
        ]);
        let found = crate::compile(&sources).diagnostics;
        let is_valid = |level| level != crate::diagnostic::Level::Error;
        assert!(found.iter().all(|found| is_valid(found.level)), "{parameter}: {found:?}");
        found.iter().any(|found| found.code == codes::ONLY_NULL)
    }

    #[test]
    fn parameters_that_can_only_be_null_are_found() {
        for parameter in [
            "type = 'null'",
            "type = ['null']",
            "enum = [{ json = 'null' }]",
            "const = { json = 'null' }",
            "type = 'null'\ndefault = { json = 'null' }",
            "type = ['string', 'null']\nenum = [{ json = 'null' }]",
            "type = ['string', 'null']\nconst = { json = 'null' }",
            "anyOf = [{ type = 'null' }]",
            "anyOf = [{ type = 'null' }, { enum = [{ json = 'null' }] }]",
            "oneOf = [{ type = 'null' }]",
            "allOf = [{ type = ['string', 'null'] }, { type = ['integer', 'null'] }]",
            "allOf = [{ type = ['string', 'null'] }, { type = 'null' }]",
            "type = ['object', 'null']\nanyOf = [{ type = 'null' }, { type = 'string' }]",
            "'$ref' = '#/$defs/nothing'",
            "anyOf = [{ '$ref' = '#/$defs/nothing' }]",
            "'$ref' = '#/$defs/word'\ntype = ['integer', 'null']",
            "anyOf = [{ allOf = [{ type = ['boolean', 'null'] }, { const = { json = 'null' } }] }, { type = 'null' }]",
            "type = 'array'\nitems = { type = 'null' }",
            "type = 'object'\nadditionalProperties = { type = 'null' }",
            "type = 'object'\nproperties = { a = { type = 'null' }, b = { type = 'string' } }",
            "type = 'array'\nitems = { type = 'object', properties = { a = { const = { json = 'null' } } } }",
            "allOf = [{ anyOf = [{ type = 'string' }, { type = 'null' }] }, { anyOf = [{ type = 'integer' }, { type = 'null' }] }]",
        ] {
            assert!(is_found(parameter), "{parameter}");
        }
    }

    #[test]
    fn parameters_that_can_be_something_else_are_not_found() {
        for parameter in [
            "",
            "type = 'string'",
            "type = ['string', 'null']",
            "enum = ['a', { json = 'null' }]",
            "enum = [{ json = 'null' }, 0]",
            "enum = [{ json = 'null' }, false]",
            "enum = ['null']",
            "const = 'null'",
            "const = ''",
            "anyOf = [{ type = 'null' }, { type = 'string' }]",
            "anyOf = [{ type = 'null' }, {}]",
            "anyOf = [{ type = 'null' }, { '$ref' = '#/$defs/word' }]",
            "oneOf = [{ type = 'integer' }, { type = 'null' }]",
            "allOf = [{ type = ['number', 'null'] }, { type = ['integer', 'null'] }]",
            "'$ref' = '#/$defs/word'",
            "type = ['array', 'null']\nitems = { type = 'string' }",
            "type = ['array', 'null']\nmaxItems = 0\nitems = { type = 'string' }",
            "type = ['object', 'null']\nproperties = {}",
            "type = ['string', 'null']\nmaxLength = 0",
            "default = { json = 'null' }",
            "type = 'string'\nexamples = ['null']",
            "type = 'boolean'",
        ] {
            assert!(!is_found(parameter), "{parameter}");
        }
    }
}
