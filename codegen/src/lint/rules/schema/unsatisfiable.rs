//! A schema that no value fits: its parts contradict one another, such as a `type` and all of its `anyOf`, or two objects
//! in `allOf` of which each demands what the other forbids; or a value would have no end, since a definition requires
//! itself. Bounds that contradict one another are `contradictory-bounds`; an enum's values are looked at one by one.
//!
//! ## Why is this bad
//! Whatever a model sends is refused. Where the parameter is required, no call of the tool can succeed.
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

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::satisfiability::Values;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S026", "unsatisfiable", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let values = Values::new(&tool.manifest.defs);
    for schema in tool.manifest.schemas().filter(|schema| values.is_empty(schema)) {
        let found = Diagnostic::new(Code::UNSATISFIABLE, schema.place, "no value fits this schema")
            .label("what it says here and in its parts contradicts itself");
        let parts = schema.in_place().map(|part| part.place).chain(schema.reference.iter().map(|to| to.place));
        let found = parts.take(3).fold(found, |found, place| found.related(place, "it has to fit this, too"));
        sink.push(found.help("let the parts say different things of the value, and leave `type` to one place"));
    }
    for ring in values.endless() {
        let Some((last, others)) = ring.split_last() else { continue };
        let names: Vec<&str> = [*last].iter().chain(&ring).map(|reference| reference.name.as_str()).collect();
        let message = format!("a value of this would have no end: {}", names.join(" → "));
        let found = Diagnostic::new(Code::UNSATISFIABLE, last.place, message);
        let found = others.iter().fold(found, |found, reference| found.related(reference.place, "leads on"));
        sink.push(found.help("let one of these properties be optional, or one of these arrays be empty"));
    }
}
