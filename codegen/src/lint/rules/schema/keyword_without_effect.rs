//! A word that says nothing of values of this type: `minimum` of a string, `minLength` of an integer, `items` of an
//! object.
//!
//! ## Why is this bad
//! JSON Schema passes over it in silence. What was meant to be a bound is none; most often the word for another type was
//! meant, or the type is wrong.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! minimum = 1
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! minLength = 1
//! ```

use toolc::__gen::table::Type;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::schema::{Additional, Schema};

pub(super) const RULE: Rule = Rule::new("S060", "keyword-without-effect", Some(Level::Warning), Check::Tool(check));

/// What each bound is about, and its like for other types.
const BOUNDS: &[(&str, &[Type], Bound)] = &[
    ("minimum", NUMBERS, Bound::Least),
    ("maximum", NUMBERS, Bound::Most),
    ("exclusiveMinimum", NUMBERS, Bound::Least),
    ("exclusiveMaximum", NUMBERS, Bound::Most),
    ("multipleOf", NUMBERS, Bound::Other),
    ("minLength", &[Type::String], Bound::Least),
    ("maxLength", &[Type::String], Bound::Most),
    ("minItems", &[Type::Array], Bound::Least),
    ("maxItems", &[Type::Array], Bound::Most),
    ("uniqueItems", &[Type::Array], Bound::Other),
    ("minProperties", &[Type::Object], Bound::Least),
    ("maxProperties", &[Type::Object], Bound::Most),
];

const NUMBERS: &[Type] = &[Type::Integer, Type::Number];

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Least,
    Most,
    Other,
}

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let types = schema.effective_types();
        let says_nothing = |of: &[Type]| !types.is_empty() && types.iter().all(|one| !of.contains(one));
        for (word, place) in words(schema) {
            let known = BOUNDS.iter().find(|(bound, ..)| *bound == word);
            let of = known.map_or_else(|| about(word), |(_, of, _)| *of);
            if !says_nothing(of) {
                continue;
            }
            let names: Vec<&str> = types.iter().map(|one| one.name()).collect();
            let message = format!("`{word}` says nothing of a value of type {}", ticked(&names, " or "));
            let found = Diagnostic::new(Code::KEYWORD_WITHOUT_EFFECT, place, message);
            let alike = known.and_then(|(.., bound)| {
                let is_alike = |other: &Bound| *other == *bound && *bound != Bound::Other;
                BOUNDS.iter().find(|(_, of, other)| is_alike(other) && !says_nothing(of))
            });
            let found = match alike {
                Some((alike, ..)) => found.help(format!("write `{alike}`, if that was meant")),
                None => found,
            };
            let of: Vec<&str> = of.iter().map(|one| one.name()).collect();
            sink.push(found.help(format!("take it out, or make this of type {}", ticked(&of, " or "))));
        }
    }
}

/// What a word that is no bound is about.
fn about(word: &str) -> &'static [Type] {
    match word {
        "pattern" => &[Type::String],
        "items" => &[Type::Array],
        _ => &[Type::Object],
    }
}

/// The words of a schema that are about values of some type, each with where it stands.
fn words(schema: &Schema) -> Vec<(&'static str, Place)> {
    let mut words: Vec<(&'static str, Place)> = schema.bounds.iter().map(|(word, at)| (word, at.place)).collect();
    words.extend(schema.pattern.iter().map(|pattern| ("pattern", pattern.place)));
    words.extend(schema.items.iter().map(|items| ("items", items.place)));
    words.extend(schema.properties.first().map(|property| ("properties", property.name.place)));
    words.extend(match &schema.additional {
        Additional::Schema(of) => Some(("additionalProperties", of.place)),
        Additional::Allow => Some(("additionalProperties", schema.place)),
        Additional::Deny => None,
    });
    words
}
