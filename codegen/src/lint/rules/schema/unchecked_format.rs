//! A `format` of a parameter that JSON Schema defines, and that the reader of arguments does not enforce, such as
//! `uri-reference` or `json-pointer`.
//!
//! ## Why is this bad
//! The format is shown to the model, and guards nothing: any text reaches the handler.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The place in the document to read from."
//! format = "json-pointer"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The place in the document to read from."
//! pattern = '^(/[^/]*)*$'
//! ```

use toolc::__gen::text_rule::Format;
use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S074", "unchecked-format", Some(Level::Warning), Check::Tool(check));

/// The formats of JSON Schema that are not enforced. Those of `OpenAPI`, such as `password`, are annotations.
const UNCHECKED: &[&str] = &[
    "idn-email", "idn-hostname", "iri", "iri-reference", "json-pointer", "relative-json-pointer", "uri-reference", "uri-template",
];

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let formats = tool.manifest.argument_roots().flat_map(Schema::walk).filter_map(|schema| schema.format.as_ref());
    for format in formats.filter(|format| UNCHECKED.contains(&&*format.value)) {
        let enforced: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        sink.push(
            Diagnostic::new(codes::UNCHECKED_FORMAT, format.place, format!("the format `{}` is not enforced", format.value))
                .help(format!("the reader of arguments enforces {}", ticked(&enforced, ", ")))
                .help("write a `pattern`, or check the value in the handler"),
        );
    }
}
