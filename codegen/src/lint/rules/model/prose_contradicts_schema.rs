//! A description of a parameter that contradicts its schema. It begins with "Optional" and the parameter is required, or the other way
//! round; or it states another default than `default`, other bounds, other values than `enum` has, another unit than the name, a list
//! for a single value, a separated text for an array, "true/false" for a string, or a date for `format = "uri"`. Only plain statements
//! in English are read.
//!
//! ## Why is this bad
//! A model believes the text. It omits what it must send, or relies on a value that the handler does not get.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read. Defaults to 100."
//! default = 500
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read."
//! default = 500
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::prose::{Described, contradictions};
use crate::lint::{Check, Lint, Rule};

use toolc_lower::schema::Schema;

pub(super) const RULE: Rule = Rule::new("M025", "prose-contradicts-schema", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let names: Vec<&str> = tool.parameters().map(|parameter| parameter.name.value.as_str()).collect();
    let schemas = tool.manifest.argument_roots().flat_map(Schema::walk);
    for property in schemas.flat_map(|schema| &schema.properties) {
        let Some(text) = &property.schema.description else { continue };
        let Some(literal) = lint.string(text.place) else { continue };
        for found in contradictions(&Described::new(literal.value(), property, &tool.manifest.defs, &names)) {
            let (place, label) = found.other;
            sink.push(
                Diagnostic::new(codes::PROSE_CONTRADICTS_SCHEMA, literal.place(found.span), found.message)
                    .related(place, label)
                    .help(found.help),
            );
        }
    }
}
