//! A tool whose schema is larger in `openai-strict` than OpenAI takes: 5,000 properties, 120,000 characters of names and
//! values, 1,000 values of all enums, 15,000 characters in an enum of more than 250. Its depth needs no rule: what is deeper
//! than 10 levels is sent as JSON text.
//!
//! ## Why is this bad
//! OpenAI refuses the whole request. A definition is written out wherever something stands beside the `$ref` that leads to
//! it, so that few lines can come to much.
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
//! description = "Up there."
//!
//! [params.east]
//! "$ref" = "#/$defs/quartet"
//! description = "To the right."
//!
//! [params.south]
//! "$ref" = "#/$defs/quartet"
//! description = "Down there."
//!
//! [params.west]
//! "$ref" = "#/$defs/quartet"
//! description = "To the left."
//!
//! [params.here]
//! "$ref" = "#/$defs/quartet"
//! description = "In the middle."
//!
//! [params.above]
//! "$ref" = "#/$defs/quartet"
//! description = "Over it."
//!
//! [params.below]
//! "$ref" = "#/$defs/quartet"
//! description = "Under it."
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
//! properties.first = { "$ref" = "#/$defs/kind", description = "What it was." }
//! properties.second = { "$ref" = "#/$defs/kind", description = "What it became." }
//!
//! [schema."$defs".quartet]
//! type = "object"
//! properties.left = { "$ref" = "#/$defs/pair", description = "On one side." }
//! properties.right = { "$ref" = "#/$defs/pair", description = "On the other." }
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

use serde_json::Value;

use super::shown;
use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::providers::provider;
use crate::schema::Schema;

pub(super) const RULE: Rule = Rule::new("P006", "openai-size", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, tool) in lint.tools() {
        let mut told = BTreeSet::new();
        for dialect in lint.settings().dialects.iter().filter(|dialect| dialect.takes(tool)) {
            let Some(limit) = provider(dialect.name).and_then(|provider| provider.size) else { continue };
            let narrowed = shown::narrowed(dialect, tool);
            let size = Size::of(&shown::schemas(&narrowed));
            let most = limit.value;
            for (what, there, most) in [
                ("properties", size.properties, most.properties),
                ("characters of names and values", size.text, most.text),
                ("values of enums", size.values, most.enum_values),
            ] {
                if there > most && told.insert(what) {
                    report(tool, dialect.name, &format!("{there} {what}"), most, sink);
                }
            }
            for (values, text) in size.enums.into_iter().filter(|(values, _)| *values > most.long_enum) {
                if text > most.long_enum_text && told.insert("enum") {
                    let what = format!("an enum of {values} values with {text} characters");
                    report(tool, dialect.name, &what, most.long_enum_text, sink);
                }
            }
        }
    }
}

fn report(tool: &Tool, dialect: &str, what: &str, most: usize, sink: &Sink) {
    let message = format!("`{}` comes to {what} in `{dialect}`, where {most} are taken", tool.name());
    sink.push(
        Diagnostic::new(Code::OPENAI_SIZE, tool.manifest.name.place, message)
            .help("let `$ref`s stand alone, divide the tool, or take a string instead of a long enum"),
    );
}

/// What counts of a schema.
#[derive(Default)]
struct Size {
    properties: usize,
    text: usize,
    values: usize,
    /// Of each enum, its values and their characters.
    enums: Vec<(usize, usize)>,
}

impl Size {
    fn of(schemas: &[&Schema]) -> Self {
        let mut size = Self::default();
        for schema in schemas {
            size.properties += schema.properties.len();
            size.text += schema.properties.iter().map(|property| property.name.value.chars().count()).sum::<usize>();
            size.text += schema.constant.iter().map(|constant| characters(&constant.value)).sum::<usize>();
            let text = schema.choices.iter().map(|choice| characters(&choice.value.value)).sum::<usize>();
            size.text += text;
            size.values += schema.choices.len();
            size.enums.push((schema.choices.len(), text));
        }
        size
    }
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}
