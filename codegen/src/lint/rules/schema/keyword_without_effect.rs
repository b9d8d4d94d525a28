//! A keyword that has no effect for the type of the value: `minimum` of a string, `minLength` of an integer, `format`
//! of a boolean, `items` of an object.
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

use toolc_lower::schema::{Additional, Schema};
use toolc::__gen::table::Type;

use crate::lint::codes;
use super::unknown_format;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S060", "keyword-without-effect", Some(Level::Warning), Check::Tool(check));

/// The type that each bound applies to, and the equivalent bounds for other types.
const BOUNDS: &[(&str, &[Type], Bound)] = &[
    ("minimum", NUMBERS, Bound::Lower),
    ("maximum", NUMBERS, Bound::Upper),
    ("exclusiveMinimum", NUMBERS, Bound::Lower),
    ("exclusiveMaximum", NUMBERS, Bound::Upper),
    ("multipleOf", NUMBERS, Bound::Other),
    ("minLength", &[Type::String], Bound::Lower),
    ("maxLength", &[Type::String], Bound::Upper),
    ("minItems", &[Type::Array], Bound::Lower),
    ("maxItems", &[Type::Array], Bound::Upper),
    ("uniqueItems", &[Type::Array], Bound::Other),
    ("minProperties", &[Type::Object], Bound::Lower),
    ("maxProperties", &[Type::Object], Bound::Upper),
];

const NUMBERS: &[Type] = &[Type::Integer, Type::Number];

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Lower,
    Upper,
    Other,
}

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let types = schema.effective_types();
        let has_no_effect = |affected: &[Type]| !types.is_empty() && types.iter().all(|ty| !affected.contains(ty));
        for (keyword, place) in keywords(schema) {
            let known = BOUNDS.iter().find(|(bound, ..)| *bound == keyword);
            let affected = match (known, keyword, &schema.format) {
                (Some((_, types, _)), ..) => types,
                // An unknown format has a rule of its own.
                (None, "format", Some(format)) => match unknown_format::types_of(&format.value) {
                    Some(types) => types,
                    None => continue,
                },
                _ => types_of(keyword),
            };
            if !has_no_effect(affected) {
                continue;
            }
            let names: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
            let message = format!("`{keyword}` has no effect for type {}", ticked(&names, " or "));
            let found = Diagnostic::new(codes::KEYWORD_WITHOUT_EFFECT, place, message);
            let equivalent = known.and_then(|(.., bound)| {
                let is_equivalent = |other: &Bound| *other == *bound && *bound != Bound::Other;
                BOUNDS.iter().find(|(_, types, other)| is_equivalent(other) && !has_no_effect(types))
            });
            let found = match equivalent {
                Some((equivalent, ..)) => found.help(format!("use `{equivalent}` instead")),
                None => found,
            };
            let affected: Vec<&str> = affected.iter().map(|ty| ty.name()).collect();
            sink.push(found.help(format!("remove it, or change the type to {}", ticked(&affected, " or "))));
        }
    }
}

/// Returns the types that another keyword applies to.
fn types_of(keyword: &str) -> &'static [Type] {
    match keyword {
        "pattern" => &[Type::String],
        "items" => &[Type::Array],
        _ => &[Type::Object],
    }
}

/// Returns the keywords of a schema that apply to certain types only, with their places.
fn keywords(schema: &Schema) -> Vec<(&'static str, Place)> {
    let mut keywords: Vec<(&'static str, Place)> = schema.bounds.iter().map(|(keyword, at)| (keyword, at.place)).collect();
    keywords.extend(schema.pattern.iter().map(|pattern| ("pattern", pattern.place)));
    keywords.extend(schema.format.iter().map(|format| ("format", format.place)));
    keywords.extend(schema.items.iter().map(|items| ("items", items.place)));
    keywords.extend(schema.properties.first().map(|property| ("properties", property.name.place)));
    keywords.extend(match &schema.additional {
        Additional::Schema(of) => Some(("additionalProperties", of.place)),
        Additional::Allow => Some(("additionalProperties", schema.place)),
        Additional::Deny | Additional::Unstated => None,
    });
    keywords
}
