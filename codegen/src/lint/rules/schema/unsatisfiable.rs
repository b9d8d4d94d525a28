//! A schema that no value satisfies: its parts contradict each other, such as a `type` and all alternatives of its
//! `anyOf`, or a definition requires itself, so that a value would be infinite. Contradictory bounds are reported as
//! `contradictory-bounds`, and values of an `enum` individually.
//!
//! ## Why is this bad
//! Every value is refused. If the parameter is required, no call of the tool can succeed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! type = "string"
//! description = "Which lines to read: a number of them, or their range."
//! anyOf = [{ type = "integer", minimum = 1 }, { type = "array", items = { type = "integer" }, minItems = 2, maxItems = 2 }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! description = "Which lines to read: a number of them, or their range."
//! anyOf = [{ type = "integer", minimum = 1 }, { type = "array", items = { type = "integer" }, minItems = 2, maxItems = 2 }]
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::satisfiability::SchemaValues;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S026", "unsatisfiable", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let values = SchemaValues::new(&tool.manifest.defs);
    for schema in tool.manifest.schemas().filter(|schema| values.is_empty(schema)) {
        let found = Diagnostic::new(codes::UNSATISFIABLE, schema.place, "no value matches this schema")
            .label("this schema and its parts contradict each other");
        let parts = schema.in_place().map(|part| part.place).chain(schema.reference.iter().map(|to| to.place));
        let found = parts.take(3).fold(found, |found, place| found.related(place, "it must also match this"));
        sink.push(found.help("remove the contradiction, and keep `type` in one place"));
    }
    for cycle in values.infinite() {
        let Some((last, others)) = cycle.split_last() else { continue };
        let names: Vec<&str> = [*last].iter().chain(&cycle).map(|reference| reference.name.as_str()).collect();
        let message = format!("a value of this schema would be infinite: {}", names.join(" → "));
        let found = Diagnostic::new(codes::UNSATISFIABLE, last.place, message);
        let found = others.iter().fold(found, |found, reference| found.related(reference.place, "continues here"));
        sink.push(found.help("make one of these properties optional, or allow one of these arrays to be empty"));
    }
}
