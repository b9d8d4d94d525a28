//! The keys that only the catalog of a bundle has: they are those of manifests.

use serde_json::{Map, Value, json};

use crate::tool::ForeignTool;

/// Keys that a manifest has in the same form, with the value that says nothing.
const KEYS: [(&str, &str); 13] = [
    ("aliases", "[]"),
    ("emoji", "null"),
    ("execution", "\"sync\""),
    ("parallel", "\"never\""),
    ("parallel_key", "null"),
    ("parallel_space", "null"),
    ("max_result_chars", "null"),
    ("defer", "true"),
    ("callers", "[\"model\"]"),
    ("background", "false"),
    ("scripts", "false"),
    ("example_in_words", "false"),
    ("approval", "null"),
];
/// Requirements that do not name other manifests.
const REQUIREMENTS: [&str; 4] = ["env", "any_env", "programs", "os"];

/// Returns whether a tool is one of a catalog.
fn is_of_catalog(map: &Map<String, Value>) -> bool {
    ["toolset", "execution", "parameters"].iter().all(|key| map.contains_key(*key))
}

/// Returns whether nothing of a key of a tool of a catalog is lost.
pub(super) fn is_whole(map: &Map<String, Value>, key: &str) -> bool {
    let is_plain = |requires: &Value| {
        requires.as_object().is_some_and(|all| all.keys().all(|key| REQUIREMENTS.contains(&key.as_str())))
    };
    // The toolset is that of the import.
    let is_known = ["toolset", "timeout_ms"].contains(&key) || KEYS.iter().any(|(known, _)| *known == key);
    is_of_catalog(map) && (is_known || key == "requires" && is_plain(&map[key]))
}

/// Returns the keys of a manifest that a tool of a catalog has.
pub(super) fn keys(map: &Map<String, Value>) -> Map<String, Value> {
    let mut keys = Map::new();
    if !is_of_catalog(map) {
        return keys;
    }
    for (key, none) in KEYS {
        let text = map.get(key).map(Value::to_string);
        if let Some(value) = map.get(key).filter(|_| text.as_deref() != Some(none)) {
            keys.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(time) = map.get("timeout_ms").and_then(Value::as_u64) {
        keys.insert("timeout".to_owned(), format!("{time}ms").into());
    }
    if let Some(requires) = map.get("requires").and_then(Value::as_object) {
        let plain = requires.iter().filter(|(key, _)| REQUIREMENTS.contains(&key.as_str()));
        let plain: Map<String, Value> = plain.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !plain.is_empty() {
            keys.insert("requires".to_owned(), plain.into());
        }
    }
    keys
}

/// Returns the variables that a tool requires.
pub(super) fn variables(tool: &ForeignTool) -> Vec<String> {
    let none = json!({});
    let requires = tool.keys.get("requires").unwrap_or(&none);
    let names = ["env", "any_env"].iter().filter_map(|key| requires.get(*key)?.as_array()).flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
