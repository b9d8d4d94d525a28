//! A `format` that neither JSON Schema nor `OpenAPI` defines, such as `datetime` or `url`.
//!
//! ## Why is this bad
//! Validators ignore an unknown format, and strict modes reject the whole request. Models know the standard names.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.since]
//! type = "string"
//! description = "Read only lines that were changed after this time."
//! format = "datetime"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.since]
//! type = "string"
//! description = "Read only lines that were changed after this time."
//! format = "date-time"
//! ```

use toolc::suggest::nearest;
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("S068", "unknown-format", Some(Level::Warning), Check::Tool(check)).fixable();

/// The formats of strings in JSON Schema 2020-12, and those that `OpenAPI` adds.
const OF_STRINGS: &[&str] = &[
    "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
    "byte", "binary", "password", "enum",
];

/// The formats of numbers in `OpenAPI`.
const OF_NUMBERS: &[&str] =
    &["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "decimal"];

/// Names for formats that other languages use.
const SYNONYMS: &[(&str, &str)] = &[
    ("datetime", "date-time"),
    ("timestamp", "date-time"),
    ("iso8601", "date-time"),
    ("iso-8601", "date-time"),
    ("rfc3339", "date-time"),
    ("rfc-3339", "date-time"),
    ("url", "uri"),
    ("urls", "uri"),
    ("link", "uri"),
    ("href", "uri"),
    ("relative-url", "uri-reference"),
    ("guid", "uuid"),
    ("uuid4", "uuid"),
    ("uuidv4", "uuid"),
    ("mail", "email"),
    ("e-mail", "email"),
    ("email-address", "email"),
    ("ip", "ipv4"),
    ("ip-address", "ipv4"),
    ("host", "hostname"),
    ("host-name", "hostname"),
    ("domain", "hostname"),
    ("fqdn", "hostname"),
    ("regexp", "regex"),
    ("pattern", "regex"),
    ("base64", "byte"),
    ("integer", "int64"),
    ("long", "int64"),
    ("secret", "password"),
];

/// Returns the types that a format applies to, or `None` if the format is unknown.
pub(super) fn types_of(format: &str) -> Option<&'static [Type]> {
    if OF_STRINGS.contains(&format) {
        Some(&[Type::String])
    } else if OF_NUMBERS.contains(&format) {
        Some(&[Type::Integer, Type::Number])
    } else {
        None
    }
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let Some(format) = schema.format.as_ref().filter(|format| types_of(&format.value).is_none()) else { continue };
        let types = tool.manifest.defs.types(schema);
        let is_possible = |known: &&str| {
            let of = types_of(known).unwrap_or_default();
            types.is_empty() || types.iter().any(|ty| of.contains(ty))
        };
        let known: Vec<&str> = OF_STRINGS.iter().chain(OF_NUMBERS).copied().filter(|known| is_possible(known)).collect();
        let plain = format.value.to_lowercase().replace(['_', ' '], "-");
        let synonym = SYNONYMS.iter().find(|(other, _)| *other == plain).map(|(_, known)| *known);
        let same = synonym.or_else(|| known.iter().find(|known| **known == plain).copied());
        let message = format!("unknown format `{}`", format.value);
        let found = Diagnostic::new(codes::UNKNOWN_FORMAT, format.place, message);
        sink.push(match (same, nearest(&format.value, known.iter().copied()).as_slice()) {
            (Some(same), _) => {
                let quoted = lint.string(format.place).map(|text| text.place(0..format.value.len()));
                let found = found.help(format!("write `{same}`"));
                match quoted {
                    Some(place) => found.fix(Edit::Replace(place, same.to_owned())),
                    None => found,
                }
            }
            (None, [first, ..]) => found.help(format!("did you mean `{first}`?")),
            (None, []) => found
                .help(format!("the formats are {}", ticked(&known, ", ")))
                .help("describe any other format in the description, or restrict it by a `pattern`"),
        });
    }
}
