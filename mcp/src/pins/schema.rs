//! Compares two schemas of arguments: which calls are still valid, and which texts are different.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::{Change, ChangeClass};
use ChangeClass::{Additive, Behaviour, Breaking, Wording};

/// Keywords that are texts for models and people.
const TEXTS: &[&str] = &["title", "description", "examples", "example", "$comment", "$schema", "$id", "deprecated"];
/// Keywords that hold schemas by name.
const NAMED: &[&str] = &["$defs", "definitions", "patternProperties", "dependentSchemas"];
/// Keywords that hold one schema.
const SINGLE: &[&str] = &["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
/// Keywords that hold alternatives or parts.
const LISTS: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems"];
/// Lower bounds, which are looser if they are smaller.
const LOWER: &[&str] = &["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Upper bounds, which are looser if they are greater.
const UPPER: &[&str] = &["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/// Adds the changes from one schema to another.
pub(super) fn compare(path: &str, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        if old != new {
            changes.push(Change::new(general(old, new), path, Some(old), Some(new)));
        }
        return;
    };
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        let inner = format!("{path}.{key}");
        let mut push = |class| changes.push(Change::new(class, &inner, before, after));
        match (key.as_str(), before, after) {
            ("properties", ..) => properties(&inner, old, new, changes),
            ("required", ..) => required(&inner, old, new, changes),
            (key, Some(before), Some(after)) if SINGLE.contains(&key) => compare(&inner, before, after, changes),
            (key, Some(Value::Array(before)), Some(Value::Array(after))) if LISTS.contains(&key) => {
                list(&inner, key, before, after, changes);
            }
            (key, ..) if NAMED.contains(&key) => named_schemas(&inner, before, after, changes),
            (key, ..) if TEXTS.contains(&key) => push(Wording),
            (key, ..) if LOWER.contains(&key) => push(bound(before, after, |old, new| new <= old)),
            (key, ..) if UPPER.contains(&key) => push(bound(before, after, |old, new| new >= old)),
            ("type", ..) => push(values(types(before).as_ref(), types(after).as_ref())),
            ("enum", ..) => push(values(before.and_then(Value::as_array), after.and_then(Value::as_array))),
            // Without it, more is valid than before.
            ("const" | "pattern" | "format" | "multipleOf" | "uniqueItems" | "additionalProperties", Some(_), None) => {
                push(Additive);
            }
            ("const" | "pattern" | "format" | "multipleOf" | "uniqueItems" | "additionalProperties", ..) => {
                push(Breaking);
            }
            _ => push(Behaviour),
        }
    }
}

/// Returns what the change between schemas means of which one is a boolean.
fn general(old: &Value, new: &Value) -> ChangeClass {
    let allows_all = |schema: &Value| *schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty);
    if allows_all(new) || *old == Value::Bool(false) { Additive } else { Breaking }
}

fn properties(path: &str, old: &Map<String, Value>, new: &Map<String, Value>, changes: &mut Vec<Change>) {
    let nothing = Map::new();
    let of = |schema: &Map<String, Value>| schema.get("properties").and_then(Value::as_object).cloned();
    let (before, after) = (of(old).unwrap_or_default(), of(new).unwrap_or(nothing));
    let required = names(new.get("required"));
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in keys {
        let inner = format!("{path}.{name}");
        match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) => compare(&inner, before, after, changes),
            (None, added) => {
                let class = if required.contains(name.as_str()) { Breaking } else { Additive };
                changes.push(Change::new(class, &inner, None, added));
            }
            (removed, None) => changes.push(Change::new(Breaking, &inner, removed, None)),
        }
    }
}

fn required(path: &str, old: &Map<String, Value>, new: &Map<String, Value>, changes: &mut Vec<Change>) {
    let (before, after) = (names(old.get("required")), names(new.get("required")));
    for name in after.difference(&before) {
        let was_known = old.get("properties").is_some_and(|properties| properties.get(name).is_some());
        let is_new = new.get("properties").is_some_and(|properties| properties.get(name).is_some()) && !was_known;
        // A new parameter has been reported.
        if !is_new {
            changes.push(Change::note(Breaking, path, '+', &format!("`{name}` is required")));
        }
    }
    for name in before.difference(&after) {
        changes.push(Change::note(Additive, path, '-', &format!("`{name}` is not required any more")));
    }
}

fn names(required: Option<&Value>) -> BTreeSet<&str> {
    required.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Compares alternatives or parts. If only their number differs, those that are the same are left out.
fn list(path: &str, key: &str, before: &[Value], after: &[Value], changes: &mut Vec<Change>) {
    if before.len() == after.len() {
        for (at, (before, after)) in before.iter().zip(after).enumerate() {
            compare(&format!("{path}.{at}"), before, after, changes);
        }
        return;
    }
    let is_alternative = key == "anyOf" || key == "oneOf";
    for added in after.iter().filter(|schema| !before.contains(schema)) {
        let class = if is_alternative { Additive } else { Breaking };
        changes.push(Change::new(class, path, None, Some(added)));
    }
    for removed in before.iter().filter(|schema| !after.contains(schema)) {
        let class = if is_alternative { Breaking } else { Additive };
        changes.push(Change::new(class, path, Some(removed), None));
    }
}

fn named_schemas(path: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let of = |schemas: Option<&Value>| schemas.and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (of(before), of(after));
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in keys {
        let inner = format!("{path}.{name}");
        match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) => compare(&inner, before, after, changes),
            // A definition has an effect only where a `$ref` uses it.
            (before, after) => changes.push(Change::new(Behaviour, &inner, before, after)),
        }
    }
}

/// Returns what a changed bound means. `is_looser` compares the old bound with the new one.
fn bound(before: Option<&Value>, after: Option<&Value>, is_looser: fn(f64, f64) -> bool) -> ChangeClass {
    match (before.and_then(Value::as_f64), after.and_then(Value::as_f64)) {
        (Some(old), Some(new)) if is_looser(old, new) => Additive,
        (_, None) if after.is_none() => Additive,
        _ => Breaking,
    }
}

/// Returns what it means that other values are allowed. `None` allows all.
fn values(before: Option<&Vec<Value>>, after: Option<&Vec<Value>>) -> ChangeClass {
    match (before, after) {
        (_, None) => Additive,
        (Some(before), Some(after)) if before.iter().all(|value| after.contains(value)) => Additive,
        _ => Breaking,
    }
}

/// Returns the types of a schema. Every integer is a number.
fn types(value: Option<&Value>) -> Option<Vec<Value>> {
    let mut types = match value? {
        Value::Array(types) => types.clone(),
        name => vec![name.clone()],
    };
    if types.iter().any(|name| name == "number") {
        types.push("integer".into());
    }
    Some(types)
}
