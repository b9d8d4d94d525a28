//! Compares two definitions of a tool.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::{Change, ChangeClass};
use super::schema;

/// Keys that are texts or pictures for people and models. `_meta` is not: clients may act on it.
const TEXTS: &[&str] = &["title", "description", "icons"];

/// Returns the changes from one definition of a tool to another.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Change> {
    let (nothing, mut changes) = (Map::new(), Vec::new());
    let (old, new) = (old.as_object().unwrap_or(&nothing), new.as_object().unwrap_or(&nothing));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        match (key.as_str(), before, after) {
            ("inputSchema", Some(before), Some(after)) => schema::compare(key, before, after, &mut changes),
            ("outputSchema", Some(before), Some(after)) => changes.extend(result(key, before, after)),
            ("outputSchema", None, after) => changes.push(Change::new(ChangeClass::Additive, key, None, after)),
            ("annotations", ..) => annotations(key, before, after, &mut changes),
            (text, ..) if TEXTS.contains(&text) => changes.push(Change::new(ChangeClass::Wording, key, before, after)),
            _ => changes.push(Change::new(ChangeClass::Behaviour, key, before, after)),
        }
    }
    changes
}

/// Returns the changes of the schema of results. Whatever is not a text says that results are different.
fn result(key: &str, before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    schema::compare(key, before, after, &mut changes);
    for change in &mut changes {
        if change.class != ChangeClass::Wording {
            change.class = ChangeClass::Behaviour;
        }
    }
    changes
}

fn annotations(path: &str, old: Option<&Value>, new: Option<&Value>, changes: &mut Vec<Change>) {
    let of = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let (old, new) = (of(old), of(new));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        let class = if key == "title" { ChangeClass::Wording } else { ChangeClass::Behaviour };
        let mut change = Change::new(class, &format!("{path}.{key}"), before, after);
        if is_harmless(key, after) && !is_harmless(key, before) {
            change.lines.push("  the server now calls the tool less harmful than before".to_owned());
        }
        changes.push(change);
    }
}

/// Returns whether a hint, or its default, says that the tool does no harm.
fn is_harmless(hint: &str, value: Option<&Value>) -> bool {
    let value = value.and_then(Value::as_bool);
    match hint {
        "readOnlyHint" | "idempotentHint" => value == Some(true),
        "destructiveHint" | "openWorldHint" => value == Some(false),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ChangeClass::{Additive, Behaviour, Breaking, Wording};

    /// Returns the definition that the changes begin with.
    fn definition() -> Value {
        json!({
            "name": "find",
            "title": "Find",
            "description": "Finds notes.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "word": { "type": "string", "description": "The word.", "minLength": 1 },
                    "kind": { "enum": ["note", "task"] },
                    "limit": { "type": "integer", "maximum": 100, "default": 10 },
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "where": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                },
                "required": ["word"],
                "additionalProperties": false,
            },
            "outputSchema": { "type": "object", "properties": { "n": { "type": "integer" } } },
            "annotations": { "title": "Find", "readOnlyHint": false, "destructiveHint": true },
        })
    }

    /// Returns the definition with another value at a JSON pointer, or without it.
    fn with(pointer: &str, value: Option<Value>) -> Value {
        let mut changed = definition();
        let (parent, key) = pointer.rsplit_once('/').expect("it has a parent");
        let parent = changed.pointer_mut(parent).expect("the parent exists");
        match (parent, value) {
            (Value::Object(map), Some(value)) => drop(map.insert(key.to_owned(), value)),
            (Value::Object(map), None) => drop(map.remove(key)),
            (other, _) => panic!("{other}"),
        }
        changed
    }

    #[test]
    fn each_kind_of_change_has_its_class() {
        let schema = "/inputSchema";
        for (pointer, value, class) in [
            ("/description", Some(json!("Finds notes and tasks.")), Wording),
            ("/title", Some(json!("Search")), Wording),
            ("/inputSchema/properties/word/description", Some(json!("A word.")), Wording),
            ("/annotations/title", Some(json!("Search")), Wording),
            ("/icons", Some(json!([{ "src": "https://example.com/i.png" }])), Wording),
            ("/outputSchema/properties/n/description", Some(json!("The number.")), Wording),
            ("/inputSchema/properties/page", Some(json!({ "type": "integer" })), Additive),
            ("/inputSchema/properties/limit/maximum", Some(json!(500)), Additive),
            ("/inputSchema/properties/limit/type", Some(json!(["number", "null"])), Additive),
            ("/inputSchema/properties/kind/enum", Some(json!(["note", "task", "mail"])), Additive),
            ("/inputSchema/required", Some(json!([])), Additive),
            ("/inputSchema/additionalProperties", Some(json!(true)), Additive),
            (
                "/inputSchema/properties/where/anyOf",
                Some(json!([{ "type": "string" }, { "type": "null" }, { "type": "integer" }])),
                Additive,
            ),
            ("/annotations/readOnlyHint", Some(json!(true)), Behaviour),
            ("/annotations/destructiveHint", None, Behaviour),
            ("/inputSchema/properties/limit/default", Some(json!(50)), Behaviour),
            ("/outputSchema/properties/n", None, Behaviour),
            ("/_meta", Some(json!({ "com.example/page": "https://example.com" })), Behaviour),
            ("/execution", Some(json!({ "taskSupport": "required" })), Behaviour),
            ("/inputSchema/properties/word", None, Breaking),
            ("/inputSchema/required", Some(json!(["word", "kind"])), Breaking),
            ("/inputSchema/properties/limit/maximum", Some(json!(50)), Breaking),
            ("/inputSchema/properties/limit/type", Some(json!("string")), Breaking),
            ("/inputSchema/properties/kind/enum", Some(json!(["note"])), Breaking),
            ("/inputSchema/properties/word/pattern", Some(json!("^a")), Breaking),
            ("/inputSchema/properties/word/minLength", Some(json!(3)), Breaking),
            ("/inputSchema/properties/tags/items", Some(json!({ "type": "integer" })), Breaking),
            ("/inputSchema/properties/where/anyOf", Some(json!([{ "type": "string" }])), Breaking),
        ] {
            let changes = compare(&definition(), &with(pointer, value.clone()));
            assert!(matches!(changes.as_slice(), [one] if one.class == class), "{pointer} {value:?}: {changes:?}");
            let path = pointer[1..].replace('/', ".");
            assert!(changes[0].path.starts_with(&path), "{pointer}: {changes:?}");
        }
        assert!(definition().pointer(schema).is_some());
        assert_eq!(compare(&definition(), &definition()), []);
    }

    #[test]
    fn a_required_new_parameter_is_one_breaking_change() {
        let mut changed = with("/inputSchema/properties/page", Some(json!({ "type": "integer" })));
        changed["inputSchema"]["required"] = json!(["word", "page"]);
        let found = compare(&definition(), &changed);
        assert!(matches!(found.as_slice(), [one] if one.class == Breaking), "{found:?}");
    }

    #[test]
    fn a_hint_that_flips_to_harmless_is_pointed_out() {
        let note = "less harmful";
        for (pointer, value) in
            [("/annotations/readOnlyHint", json!(true)), ("/annotations/destructiveHint", json!(false))]
        {
            let changes = compare(&definition(), &with(pointer, Some(value)));
            assert!(changes[0].to_string().contains(note), "{changes:?}");
        }
        let harmful = compare(&with("/annotations/readOnlyHint", Some(json!(true))), &definition());
        assert!(!harmful[0].to_string().contains(note), "{harmful:?}");
    }

    #[test]
    fn several_changes_are_all_listed() {
        let mut changed = with("/description", Some(json!("x")));
        changed["inputSchema"]["properties"]["word"]["maxLength"] = json!(5);
        changed["inputSchema"]["properties"]["new"] = json!({});
        let classes: Vec<ChangeClass> = compare(&definition(), &changed).iter().map(|change| change.class).collect();
        assert_eq!(classes, [Wording, Additive, Breaking]);
    }
}
