//! What a schema forbids by another schema. Where a part of that other schema has been left out, it allows more than its author meant, and
//! would forbid more: a `not` without its contents forbids every value. Such a prohibition is left out, too.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use super::{LISTS, MAPS, Mend, Object, SINGLE, is_in_place, push_step_even_empty};

/// The maximum number of places from which prohibitions are looked up.
const MAX_PLACES: usize = 10_000;

/// Removes or weakens each prohibition that depends on a part of a schema that has been left out. The places are JSON pointers of what is
/// missing, or of a schema that has lost something. Returns what has been changed.
pub fn without_false_prohibitions(root: &mut Value, places: &[String]) -> Vec<Mend> {
    if places.is_empty() {
        return Vec::new();
    }
    let mut work = Work { root, mends: Vec::new(), one_of: BTreeSet::new() };
    let (mut open, mut seen): (VecDeque<String>, BTreeSet<String>) =
        (places.iter().cloned().collect(), BTreeSet::new());
    while let Some(place) = open.pop_front() {
        if seen.len() == MAX_PLACES || !seen.insert(place.clone()) {
            continue;
        }
        work.visit(&place);
        // Whatever refers to the schema has lost the same.
        open.extend(work.references_to(&place));
    }
    work.open_alternatives();
    work.mends
}

struct Work<'r> {
    root: &'r mut Value,
    mends: Vec<Mend>,
    /// The schemas with a `oneOf` of which an alternative has lost something.
    one_of: BTreeSet<String>,
}

impl Work<'_> {
    /// Removes what depends on a place, from the outside to the inside.
    fn visit(&mut self, place: &str) {
        let steps: Vec<String> =
            place.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        let (mut at, mut pointer) = (0, String::new());
        while let Some(keyword) = steps.get(at).map(String::as_str) {
            let is_named = LISTS.contains(&keyword) || MAPS.contains(&keyword);
            let Some(Value::Object(map)) = self.root.pointer_mut(&pointer) else { return };
            if !is_named && !SINGLE.contains(&keyword) {
                if keyword == "$ref" {
                    let removed = removed(map, of_changed(keyword));
                    for keyword in removed {
                        self.mended(&pointer, keyword);
                    }
                }
                return;
            }
            let name = steps.get(at + 1).filter(|_| is_named);
            let part = map.get(keyword).and_then(|value| match (value, name) {
                (_, None) => (!is_named).then_some(value),
                (Value::Array(all), Some(index)) => all.get(index.parse::<usize>().ok()?),
                (value, Some(name)) => value.get(name),
            });
            let dependent = if part.is_none() { of_missing(keyword) } else { of_changed(keyword) };
            let removed = removed(map, dependent);
            let is_gone = part_is_gone(map, keyword, name);
            for keyword in removed {
                self.mended(&pointer, keyword);
            }
            if is_gone {
                return;
            }
            if keyword == "oneOf" {
                self.one_of.insert(pointer.clone());
            }
            push_step_even_empty(&mut pointer, keyword);
            if let Some(name) = name {
                push_step_even_empty(&mut pointer, name);
            }
            at += if is_named { 2 } else { 1 };
        }
    }

    fn mended(&mut self, pointer: &str, keyword: &str) {
        let mut pointer = pointer.to_owned();
        push_step_even_empty(&mut pointer, keyword);
        let what =
            "depends on something that is left out: it is left out, too, because it would forbid more without that";
        self.mends.push(Mend { pointer, what: what.to_owned() });
    }

    /// Returns the places of each `$ref` to the definition, or the root, that contains a place.
    fn references_to(&self, place: &str) -> Vec<String> {
        let mut steps = place.split('/').skip(1);
        let definition = match (steps.next(), steps.next()) {
            (Some("$defs"), Some(name)) => Some(format!("#/$defs/{name}")),
            _ => None,
        };
        let mut found = Vec::new();
        let is_target = |target: &str| match &definition {
            Some(definition) => target == definition,
            None => target == "#" || target == "#/",
        };
        find(self.root, "", &is_target, &mut found);
        found.iter().map(|pointer| format!("{pointer}/$ref")).collect()
    }

    /// Makes an `anyOf` of each such `oneOf`, from the inside to the outside: a value that now fits several alternatives stays allowed.
    fn open_alternatives(&mut self) {
        let mut all: Vec<String> = std::mem::take(&mut self.one_of).into_iter().collect();
        all.sort_by_key(|pointer| std::cmp::Reverse(pointer.matches('/').count()));
        for pointer in all {
            let Some(Value::Object(map)) = self.root.pointer_mut(&pointer) else { continue };
            let Some(alternatives) = map.remove("oneOf") else { continue };
            if map.contains_key("anyOf") {
                let part: Object = [("anyOf".to_owned(), alternatives)].into_iter().collect();
                let all = map.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(all) = all {
                    all.push(part.into());
                }
            } else {
                map.insert("anyOf".to_owned(), alternatives);
            }
            let mut pointer = pointer;
            push_step_even_empty(&mut pointer, "oneOf");
            let what = "has an alternative of which something is left out: it is an `anyOf`, because a value can fit several alternatives now";
            self.mends.push(Mend { pointer, what: what.to_owned() });
        }
    }
}

/// Returns the keywords that forbid more if a part of this one is missing.
fn of_missing(keyword: &str) -> &'static [&'static str] {
    match keyword {
        "properties" | "patternProperties" => &["additionalProperties", "unevaluatedProperties"],
        "prefixItems" => &["items", "unevaluatedItems"],
        "items" => &["unevaluatedItems"],
        "additionalProperties" => &["unevaluatedProperties"],
        "not" => &["not"],
        "if" => &["if", "then", "else"],
        keyword if is_in_place(keyword) => &["unevaluatedProperties", "unevaluatedItems"],
        _ => &[],
    }
}

/// Returns the keywords that forbid more if a schema in this one has lost something.
fn of_changed(keyword: &str) -> &'static [&'static str] {
    match keyword {
        "not" => &["not"],
        "if" => &["if", "then", "else"],
        // What items it counts is not known any more.
        "contains" => &["maxContains"],
        "$ref" => &["unevaluatedProperties", "unevaluatedItems"],
        keyword if is_in_place(keyword) => &["unevaluatedProperties", "unevaluatedItems"],
        _ => &[],
    }
}

/// Removes keywords from a schema, and returns those that it had. Some vendors refuse an array without `items`.
fn removed(map: &mut Object, keywords: &'static [&'static str]) -> Vec<&'static str> {
    let mut remove = |keyword: &str| match map.get_mut(keyword) {
        Some(items) if keyword == "items" => {
            *items = Value::Object(Object::new());
            true
        }
        Some(_) => map.remove(keyword).is_some(),
        None => false,
    };
    keywords.iter().copied().filter(|keyword| remove(keyword)).collect()
}

/// Returns whether a keyword, or the named part of it, is missing.
fn part_is_gone(map: &Object, keyword: &str, name: Option<&String>) -> bool {
    match (map.get(keyword), name) {
        (None, _) => true,
        (Some(Value::Array(all)), Some(index)) => index.parse::<usize>().map_or(true, |index| index >= all.len()),
        (Some(value), Some(name)) => value.get(name).is_none(),
        (Some(_), None) => LISTS.contains(&keyword) || MAPS.contains(&keyword),
    }
}

/// Collects the places of the schemas with a `$ref` to a target.
fn find(schema: &Value, pointer: &str, is_target: &dyn Fn(&str) -> bool, found: &mut Vec<String>) {
    let Some(map) = schema.as_object() else { return };
    if map.get("$ref").and_then(Value::as_str).is_some_and(is_target) {
        found.push(pointer.to_owned());
    }
    for (keyword, value) in map {
        let mut inner = pointer.to_owned();
        push_step_even_empty(&mut inner, keyword);
        if SINGLE.contains(&keyword.as_str()) {
            find(value, &inner, is_target, found);
        } else if LISTS.contains(&keyword.as_str()) {
            for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
                find(schema, &format!("{inner}/{index}"), is_target, found);
            }
        } else if MAPS.contains(&keyword.as_str()) {
            for (name, schema) in value.as_object().into_iter().flatten() {
                let mut inner = inner.clone();
                push_step_even_empty(&mut inner, name);
                find(schema, &inner, is_target, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::mend;
    use super::*;

    /// Returns the mended schema of the parameter `v`.
    fn mended(schema: &Value) -> Value {
        let mut root = json!({ "type": "object", "properties": { "v": schema }, "$defs": {
            "bad": { "type": "blob" }, "uses-bad": { "allOf": [{ "$ref": "#/$defs/bad" }] }, "good": { "type": "string" },
        } });
        let mends = mend(&mut root);
        assert!(!mends.is_empty(), "{schema}");
        root["properties"]["v"].take()
    }

    #[test]
    fn a_prohibition_of_what_is_left_out_is_left_out() {
        for part in [
            json!({ "type": "blob" }),
            json!({ "$ref": "#/$defs/missing" }),
            json!({ "$ref": "https://example.com/s" }),
            json!({ "$ref": "#/$defs/bad" }),
            json!({ "$ref": "#/$defs/uses-bad" }),
            json!({ "$ref": 7 }),
            json!({ "enum": "x" }),
            json!({ "enum": [] }),
            json!({ "minimum": "many" }),
            json!({ "required": 7 }),
            json!({ "pattern": 7 }),
            json!({ "pattern": null }),
            json!({ "anyOf": 7 }),
            json!({ "properties": { "a": { "type": "blob" } }, "required": ["a"] }),
            json!({ "properties": 7 }),
            json!({ "not": { "type": "blob" } }),
            json!({ "allOf": [{ "type": "string" }, { "minLength": -1 }] }),
            json!({ "additionalProperties": 7 }),
            json!("nothing"),
            json!(7),
        ] {
            let text = json!({ "type": "string" });
            for (schema, expected) in [
                (json!({ "type": "string", "not": part }), json!({ "type": "string" })),
                (
                    json!({ "type": "string", "if": part, "then": { "minLength": 1 }, "else": false }),
                    json!({ "type": "string" }),
                ),
                (json!({ "anyOf": [{ "type": "string", "not": part }] }), json!({ "anyOf": [text] })),
                (
                    json!({ "type": "string", "not": { "anyOf": [{ "const": "a" }, part] } }),
                    json!({ "type": "string" }),
                ),
                (
                    json!({ "type": "string", "not": { "properties": { "a": { "not": part } } } }),
                    json!({ "type": "string" }),
                ),
            ] {
                assert_eq!(mended(&schema), expected, "{schema}");
            }
        }
    }

    #[test]
    fn a_prohibition_of_an_older_draft_is_left_out_with_what_it_is_about() {
        for disallow in [json!("blob"), json!(["blob", "file"]), json!([{ "type": "blob" }]), json!(7)] {
            assert_eq!(
                mended(&json!({ "type": "string", "disallow": disallow })),
                json!({ "type": "string" }),
                "{disallow}"
            );
        }
    }

    #[test]
    fn what_depends_on_a_part_that_is_left_out_forbids_nothing_more() {
        let blob = || json!({ "type": "blob" });
        for (schema, expected) in [
            (
                json!({ "oneOf": [{ "type": "string" }, { "type": "blob" }] }),
                json!({ "anyOf": [{ "type": "string" }, {}] }),
            ),
            (
                json!({ "oneOf": [{ "type": "string" }, 7], "anyOf": [{ "minLength": 1 }] }),
                json!({ "anyOf": [{ "minLength": 1 }], "allOf": [{ "anyOf": [{ "type": "string" }, {}] }] }),
            ),
            (
                json!({ "oneOf": [{ "oneOf": [{ "type": "null" }, blob()] }, { "type": "string" }] }),
                json!({ "anyOf": [{ "anyOf": [{ "type": "null" }, {}] }, { "type": "string" }] }),
            ),
            (
                json!({ "type": "array", "items": {}, "contains": blob(), "minContains": 1, "maxContains": 2 }),
                json!({ "type": "array", "items": {}, "contains": {}, "minContains": 1 }),
            ),
            (json!({ "type": "object", "properties": 7, "additionalProperties": false }), json!({ "type": "object" })),
            (
                json!({ "type": "object", "patternProperties": 7, "additionalProperties": { "type": "string" } }),
                json!({ "type": "object" }),
            ),
            (
                json!({ "type": "object", "allOf": [{ "$ref": "#/$defs/missing" }], "unevaluatedProperties": false }),
                json!({ "type": "object", "allOf": [{}] }),
            ),
            (
                json!({ "type": "object", "$ref": "#/$defs/missing", "unevaluatedProperties": false }),
                json!({ "type": "object" }),
            ),
            (json!({ "type": "array", "items": false, "prefixItems": 7 }), json!({ "type": "array", "items": {} })),
        ] {
            assert_eq!(mended(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_prohibition_without_a_mistake_stays() {
        for schema in [
            json!({ "type": "string", "not": { "const": "a" } }),
            json!({ "type": "string", "not": { "$ref": "#/$defs/good" } }),
            json!({ "type": "object", "properties": {}, "not": { "required": ["a"], "properties": { "a": {} } } }),
            json!({ "type": "string", "if": { "const": "a" }, "then": { "minLength": 1 } }),
            json!({ "oneOf": [{ "type": "string" }, { "type": "null" }] }),
        ] {
            let other = json!({ "type": "object", "properties": { "v": schema, "w": { "type": "blob" } }, "$defs": {
                "good": { "type": "string" } } });
            let mut root = other.clone();
            mend(&mut root);
            assert_eq!(root["properties"]["v"], schema);
        }
    }
}
