//! A default, an example or a value of an `enum` that does not have the `format` of its schema.
//!
//! ## Why is this bad
//! The format is passed to the model. Validators of clients and vendors that check formats refuse the value, and a model
//! that follows the example sends more of its kind.
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

use serde_json::json;

use crate::lint::codes;
use super::unknown_format::types_of;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S071", "value-violates-format", Some(Level::Warning), Check::Tool(check));

/// A value of each format whose form is not obvious.
const SAMPLES: &[(&str, &str)] = &[
    ("date-time", "2026-01-31T12:30:00Z"),
    ("date", "2026-01-31"),
    ("time", "12:30:00Z"),
    ("duration", "PT1H30M"),
    ("email", "name@example.com"),
    ("hostname", "www.example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/page"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("json-pointer", "/items/0"),
];

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
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        let Ok(validator) = options.build(&json!({ "format": format })) else { continue };
        for value in texts.into_iter().filter(|value| !validator.is_valid(&value.value)) {
            let sample = SAMPLES.iter().find(|(name, _)| name == format);
            let found = Diagnostic::new(
                codes::VALUE_VIOLATES_FORMAT,
                value.place,
                format!("{} does not have the format `{format}`", value.value),
            );
            let found = found.related(schema.keyword_place("format"), "the format");
            let found = found.help_if(sample.map(|(_, sample)| format!("write it as in \"{sample}\"")));
            sink.push(found.help("correct the value or the format, or remove `format`"));
        }
    }
}
