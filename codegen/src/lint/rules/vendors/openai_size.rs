//! A tool whose schema exceeds the limits of OpenAI's strict mode: 5,000 properties, 120,000 characters of names and
//! values, 1,000 enum values, or 15,000 characters in an enum of more than 250 values. Depth needs no rule, because
//! toolc sends levels below the tenth as JSON text.
//!
//! ## Why is this bad
//! OpenAI rejects the whole request. A definition is inlined wherever its `$ref` has other keywords next to it, so a
//! few lines can expand to a large schema.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.parameter-description-missing = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.north]
//! "$ref" = "#/$defs/quartet"
//! description = "The northern part."
//!
//! [params.east]
//! "$ref" = "#/$defs/quartet"
//! description = "The eastern part."
//!
//! [params.south]
//! "$ref" = "#/$defs/quartet"
//! description = "The southern part."
//!
//! [params.west]
//! "$ref" = "#/$defs/quartet"
//! description = "The western part."
//!
//! [params.here]
//! "$ref" = "#/$defs/quartet"
//! description = "The central part."
//!
//! [params.above]
//! "$ref" = "#/$defs/quartet"
//! description = "The upper part."
//!
//! [params.below]
//! "$ref" = "#/$defs/quartet"
//! description = "The lower part."
//!
//! [schema."$defs".kind]
//! type = "string"
//! enum = [
//!     "ar", "as", "at", "au", "av", "aw", "ax", "br", "bs", "bt", "bu", "bv", "bw", "bx", "cr", "cs", "ct", "cu", "cv", "cw", "cx",
//!     "dr", "ds", "dt", "du", "dv", "dw", "dx", "er", "es", "et", "eu", "ev", "ew", "ex", "fr", "fs", "ft", "fu", "fv", "fw", "fx",
//! ]
//!
//! [schema."$defs".pair]
//! type = "object"
//! properties.first = { "$ref" = "#/$defs/kind", description = "The first kind." }
//! properties.second = { "$ref" = "#/$defs/kind", description = "The second kind." }
//!
//! [schema."$defs".quartet]
//! type = "object"
//! properties.left = { "$ref" = "#/$defs/pair", description = "The left pair." }
//! properties.right = { "$ref" = "#/$defs/pair", description = "The right pair." }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-strict"]
//! lint.parameter-description-missing = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.north]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.east]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.south]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.west]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.here]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.above]
//! "$ref" = "#/$defs/quartet"
//!
//! [params.below]
//! "$ref" = "#/$defs/quartet"
//!
//! [schema."$defs".kind]
//! type = "string"
//! enum = [
//!     "ar", "as", "at", "au", "av", "aw", "ax", "br", "bs", "bt", "bu", "bv", "bw", "bx", "cr", "cs", "ct", "cu", "cv", "cw", "cx",
//!     "dr", "ds", "dt", "du", "dv", "dw", "dx", "er", "es", "et", "eu", "ev", "ew", "ex", "fr", "fs", "ft", "fu", "fv", "fw", "fx",
//! ]
//!
//! [schema."$defs".pair]
//! type = "object"
//! properties.first = { "$ref" = "#/$defs/kind" }
//! properties.second = { "$ref" = "#/$defs/kind" }
//!
//! [schema."$defs".quartet]
//! type = "object"
//! properties.left = { "$ref" = "#/$defs/pair" }
//! properties.right = { "$ref" = "#/$defs/pair" }
//! ```

use std::collections::BTreeSet;

use toolc_lower::schema::Schema;
use serde_json::Value;

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::{Check, LoweredTool, Rule};
use crate::lower::form;

pub(super) const RULE: Rule = Rule::new("P006", "openai-size", Some(Level::Warning), Check::LoweredTool(check));

fn check(lowered: &LoweredTool<'_, '_>, sink: &Sink) {
    let mut reported = BTreeSet::new();
    for (dialect, narrowed) in lowered.dialects() {
        let Some(limit) = form(dialect, lowered.tool).tool.max_size() else { continue };
        let size = Size::measure(&narrowed().schemas());
        let max = limit.value;
        let mut report = |place: Place, what: String, max: usize| {
            if reported.insert(what.clone()) {
                let (name, dialect) = (lowered.tool.name(), dialect.name);
                let message = format!("`{name}` has {what} in `{dialect}`, which allows at most {max}");
                sink.push(
                    Diagnostic::new(codes::OPENAI_SIZE, place, message)
                        .level(lowered.lint.level_of(&limit))
                        .help("remove the keywords next to `$ref`s, split the tool, or replace long enums by strings"),
                );
            }
        };
        let name_place = lowered.tool.manifest.name.place;
        for (what, count, max) in [
            ("properties", size.properties, max.properties),
            ("characters of names and values", size.text, max.text),
            ("values of enums", size.values, max.enum_values),
        ] {
            if count > max {
                report(name_place, format!("{count} {what}"), max);
            }
        }
        for LongEnum { place, values, text } in size.enums {
            if values > max.long_enum && text > max.long_enum_text {
                report(place, format!("an enum of {values} values with {text} characters"), max.long_enum_text);
            }
        }
    }
}

/// The quantities that the limits restrict.
#[derive(Default)]
struct Size {
    properties: usize,
    text: usize,
    values: usize,
    enums: Vec<LongEnum>,
}

/// An enum, which can exceed the limit of long enums.
struct LongEnum {
    place: Place,
    values: usize,
    /// The number of characters of the values.
    text: usize,
}

impl Size {
    fn measure(schemas: &[&Schema]) -> Self {
        let mut size = Self::default();
        for schema in schemas {
            size.properties += schema.properties.len();
            size.text += schema.properties.iter().map(|property| property.name.value.chars().count()).sum::<usize>();
            size.text += schema.constant.iter().map(|constant| characters(&constant.value)).sum::<usize>();
            let (place, values) = (schema.place, schema.choices.len());
            let text = schema.choices.iter().map(|choice| characters(&choice.value.value)).sum::<usize>();
            size.text += text;
            size.values += values;
            size.enums.push(LongEnum { place, values, text });
        }
        size
    }
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}
