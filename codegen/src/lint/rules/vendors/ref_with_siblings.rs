//! A `$ref` next to other keywords, for a dialect that rejects these. Off by default, because toolc inlines the
//! definition, together with the keywords.
//!
//! ## Why is this bad
//! Strict modes accept a `$ref` only by itself. A large definition that is inlined in many places makes every request
//! longer.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.ref-with-siblings = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/line"
//! description = "Where to start reading."
//!
//! [schema."$defs".line]
//! type = "integer"
//! minimum = 1
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.ref-with-siblings = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/line"
//!
//! [schema."$defs".line]
//! type = "integer"
//! minimum = 1
//! description = "Where to start reading."
//! ```

use toolc_lower::dialects::Refs;
use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P007", "ref-with-siblings", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let alone = lint.dialects().filter(|dialect| {
        dialect.schema.refs().is_some_and(|refs| matches!(refs.value, Refs::Alone { .. }))
    });
    let dialects: Vec<&str> = alone.map(|dialect| dialect.name).collect();
    if dialects.is_empty() {
        return;
    }
    for schema in tool.manifest.argument_roots().flat_map(Schema::walk).filter(|schema| has_siblings(schema)) {
        if let Some(reference) = &schema.reference {
            let (dialects, name) = (ticked(&dialects, ", "), &reference.name);
            let message = format!("{dialects} allows no keywords next to `$ref`: `{name}` is inlined here");
            sink.push(
                Diagnostic::new(codes::REF_WITH_SIBLINGS, reference.place, message)
                    .help("move the keywords into the definition if they apply to all its uses"),
            );
        }
    }
}

fn has_siblings(schema: &Schema) -> bool {
    schema.alias().is_none()
        || schema.description.is_some()
        || schema.title.is_some()
        || schema.default.is_some()
        || !schema.examples.is_empty()
        || schema.format.is_some()
        || schema.deprecated
}
