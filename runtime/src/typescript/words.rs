//! Comments: the description of a schema, and a sentence for each constraint that its type does not express.

use std::collections::BTreeSet;

use super::json::Json;
use super::kinds::{Kinds, only_integers};
use crate::text::prose::keyword_prose;

/// The keywords with a sentence of their own, in the order of the sentences.
const SENTENCES: &[&str] = &[
    "deprecated",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "format",
    "default",
    "examples",
    "pattern",
];

/// Constraints that are quoted as they are: manifests do not have them, but schemas of other tools may.
const QUOTED: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
];

/// The longest constraint that is quoted, in bytes. Only the keyword of a longer one is named.
const MAX_QUOTED: usize = 300;

/// Returns the comment of a schema.
pub(super) fn words(schema: &Json) -> String {
    let mut out = String::new();
    add(&mut out, schema.get("description").and_then(Json::as_str).unwrap_or_default());
    if only_integers(schema) && schema.get("enum").is_none() && schema.get("const").is_none() {
        add(&mut out, if Kinds::of_schema(schema) == Kinds::NUMBER { "An integer." } else { "Numbers are integers." });
    }
    for keyword in SENTENCES {
        if let Some(sentence) = schema.get(keyword).and_then(|value| keyword_prose(keyword, value)) {
            add(&mut out, &sentence);
        }
    }
    if schema.get("oneOf").is_some_and(|list| !exclude_one_another(list.items())) {
        add(&mut out, &keyword_prose("oneOf", &Json::Null).unwrap_or_default());
    }
    for keyword in QUOTED {
        let Some(value) = schema.get(keyword) else { continue };
        let text = value.to_string();
        let sentence = if text.len() > MAX_QUOTED {
            format!("It is also limited by the keyword {keyword} of JSON Schema.")
        } else {
            format!("It is also limited by JSON Schema's {keyword}: {text}.")
        };
        add(&mut out, &sentence);
    }
    out
}

/// Appends a sentence, unless it is blank. `docs/export.md` has the same rule for comments that depend on the turn.
pub(super) fn add(out: &mut String, sentence: &str) {
    if sentence.trim().is_empty() {
        return;
    }
    if !out.is_empty() && !out.ends_with(char::is_whitespace) {
        out.push(' ');
    }
    out.push_str(sentence);
}

/// Returns whether no value matches two of these schemas: they are of different types, or have a required property with different
/// constants.
fn exclude_one_another(alternatives: &[Json]) -> bool {
    let mut seen = Kinds::NONE;
    let differ = alternatives.iter().all(|one| {
        let kinds = Kinds::of_schema(one);
        let is_new = seen.and(kinds) == Kinds::NONE;
        seen = seen.or(kinds);
        is_new
    });
    let tag = |one: &Json, name: &str| {
        let is_required = one.get("required").is_some_and(|all| all.items().iter().any(|it| it.as_str() == Some(name)));
        let constant = one.get("properties")?.get(name)?.get("const")?;
        is_required.then(|| constant.to_string())
    };
    let names = alternatives.first().and_then(|one| one.get("properties")).map_or(&[][..], Json::entries);
    differ
        || names.iter().any(|(name, _)| {
            let mut tags = BTreeSet::new();
            let objects = alternatives.iter().all(|one| Kinds::of_schema(one) == Kinds::OBJECT);
            objects && alternatives.iter().all(|one| tag(one, name).is_some_and(|tag| tags.insert(tag)))
        })
}
