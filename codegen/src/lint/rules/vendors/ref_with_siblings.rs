//! Words beside a `$ref`, in a project that is for a dialect that refuses them. Off by default: the definition is written out
//! in place of the `$ref`, words and all.
//!
//! ## Why is this bad
//! Strict modes take a `$ref` only alone. Written out wherever it is described, a large definition comes to many times its
//! size, and that is sent with every request.
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
//! description = "Where to begin to read."
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
//! description = "Where to begin to read."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::dialects::Refs;
use crate::schema::Schema;

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
            let message = format!("no words may stand beside a `$ref` in {dialects}: `{name}` is written out here");
            sink.push(
                Diagnostic::new(Code::REF_WITH_SIBLINGS, reference.place, message)
                    .help("let the definition say it, if it holds for all that lead there"),
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
