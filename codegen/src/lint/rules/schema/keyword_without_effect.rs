//! A keyword that has no effect for the type of the value: `minimum` of a string, `minLength` of an integer, `items`
//! of an object.
//!
//! ## Why is this bad
//! JSON Schema ignores the keyword, so the intended constraint is missing. Usually the keyword for another type was
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

/// The type that each bound applies to, and the equivalent bounds for other types.
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
            let message = format!("`{word}` has no effect for type {}", ticked(&names, " or "));
            let found = Diagnostic::new(Code::KEYWORD_WITHOUT_EFFECT, place, message);
            let alike = known.and_then(|(.., bound)| {
                let is_alike = |other: &Bound| *other == *bound && *bound != Bound::Other;
                BOUNDS.iter().find(|(_, of, other)| is_alike(other) && !says_nothing(of))
            });
            let found = match alike {
                Some((alike, ..)) => found.help(format!("use `{alike}` instead")),
                None => found,
            };
            let of: Vec<&str> = of.iter().map(|one| one.name()).collect();
            sink.push(found.help(format!("remove it, or change the type to {}", ticked(&of, " or "))));
        }
    }
}

/// Returns the types that another keyword applies to.
fn about(word: &str) -> &'static [Type] {
    match word {
        "pattern" => &[Type::String],
        "items" => &[Type::Array],
        _ => &[Type::Object],
    }
}

/// Returns the keywords of a schema that apply to certain types only, with their places.
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
