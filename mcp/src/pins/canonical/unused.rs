//! Definitions that nothing uses.

use serde_json::Value;

use super::DEFINITIONS;

/// Removes definitions from `old` that nothing uses, and that `new` no longer has. Both are canonical.
pub(crate) fn forget_unused(old: &mut Value, new: &Value) {
    for schema in ["inputSchema", "outputSchema"] {
        for key in DEFINITIONS {
            let Some(Value::Object(before)) = old.get(schema).and_then(|schema| schema.get(key)) else { continue };
            let after = new.get(schema).and_then(|schema| schema.get(key));
            let is_gone = |name: &String| after.is_none_or(|after| after.get(name).is_none());
            let gone: Vec<String> = before.keys().filter(|name| is_gone(name)).cloned().collect();
            let Some(Value::Object(members)) = old.get_mut(schema) else { continue };
            let Some(Value::Object(mut definitions)) = members.remove(key) else { continue };
            let removed: Vec<(String, Value)> =
                gone.into_iter().filter_map(|name| definitions.remove_entry(&name)).collect();
            let uses = |schema: &Value, name: &str| refers_to(schema, &format!("#/{key}/{name}"));
            for (name, definition) in removed {
                let is_used = members.values().chain(definitions.values()).any(|schema| uses(schema, &name));
                if is_used {
                    definitions.insert(name, definition);
                }
            }
            if !definitions.is_empty() {
                members.insert(key.to_owned(), definitions.into());
            }
        }
    }
}

/// Returns whether a reference in a schema leads to a place.
fn refers_to(schema: &Value, place: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(key, value)| {
            key == "$ref" && value.as_str().is_some_and(|target| target.starts_with(place)) || refers_to(value, place)
        }),
        Value::Array(items) => items.iter().any(|item| refers_to(item, place)),
        _ => false,
    }
}
