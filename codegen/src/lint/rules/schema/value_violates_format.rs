//! A default, an example or a value of an `enum` that does not have the `format` of its schema.
//!
//! ## Why is this bad
//! The reader of arguments [enforces the format](../formats.md), as do validators of clients and vendors. A model that follows
//! the example is refused, and a handler gets a default that no model could send.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.since]
//! type = "string"
//! description = "Read only lines that were changed on this day or later."
//! format = "date"
//! default = "yesterday"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.since]
//! type = "string"
//! description = "Read only lines that were changed on this day or later."
//! format = "date"
//! default = "2026-01-31"
//! ```

use serde_json::{Value, json};
use toolc::__gen::text_rule::Format;

use crate::lint::codes;
use super::unknown_format::types_of;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S071", "value-violates-format", Some(Level::Error), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let Some(format) = &schema.format else { continue };
        let format = &format.value;
        let choices = schema.choices.iter().map(|choice| &choice.value);
        let values = choices.chain(&schema.constant).chain(&schema.default).chain(&schema.examples);
        // An empty default stands for no value.
        let texts: Vec<_> = values.filter(|value| value.value.as_str().is_some_and(|text| !text.is_empty())).collect();
        if texts.is_empty() || types_of(format).is_none() {
            continue;
        }
        let enforced = Format::from_name(format);
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        let Ok(validator) = options.build(&json!({ "format": format })) else { continue };
        // What the reader of arguments enforces, it decides: other validators differ in details.
        let holds = |value: &Value| match (enforced, value) {
            (Some(format), Value::String(text)) => format.holds(text),
            (_, value) => validator.is_valid(value),
        };
        for value in texts.into_iter().filter(|value| !holds(&value.value)) {
            let found = Diagnostic::new(
                codes::VALUE_VIOLATES_FORMAT,
                value.place,
                format!("{} does not have the format `{format}`", value.value),
            );
            let found = found.related(schema.keyword_place("format"), "the format");
            let form = enforced.map(Format::form);
            let found = found.help_if(form.map(|(form, example)| format!("write {form}, as in \"{example}\"")));
            sink.push(found.help("correct the value or the format, or remove `format`"));
        }
    }
}
