//! Differences between schemas that validation does not show: types in generated code, texts and defaults.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// A keyword that differs.
pub(crate) struct Difference<'v> {
    /// The pointer of its schema in the schema of the whole value.
    pub(crate) at: String,
    pub(crate) keyword: &'v str,
    pub(crate) before: &'v Value,
    pub(crate) after: &'v Value,
}

/// The keywords of texts.
pub(crate) const TEXTS: &[&str] = &["description", "title", "examples", "example", "$comment"];

/// Returns the texts and defaults that differ in schemas which both sides have.
pub(crate) fn differences<'v>(before: &'v Value, after: &'v Value) -> Vec<Difference<'v>> {
    let mut found = Vec::new();
    walk(before, after, "", &mut found);
    found
}

fn walk<'v>(before: &'v Value, after: &'v Value, at: &str, found: &mut Vec<Difference<'v>>) {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else { return };
    if before == after {
        return;
    }
    for keyword in TEXTS.iter().chain(&["default", "deprecated"]) {
        let [before, after] = [old, new].map(|map| map.get(*keyword).unwrap_or(&Value::Null));
        if before != after {
            found.push(Difference { at: at.to_owned(), keyword, before, after });
        }
    }
    for keyword in ["properties", "$defs"] {
        let Some(properties) = old.get(keyword).and_then(Value::as_object) else { continue };
        for (name, schema) in properties {
            let Some(other) = new.get(keyword).and_then(|properties| properties.get(name)) else { continue };
            let name = name.replace('~', "~0").replace('/', "~1");
            let step = if keyword == "properties" { format!("{at}/{name}") } else { format!("{at}/$defs/{name}") };
            walk(schema, other, &step, found);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let (Some(one), Some(other)) = (old.get(keyword), new.get(keyword)) {
            walk(one, other, &format!("{at}/{keyword}"), found);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let [one, other] = [old, new].map(|map| map.get(keyword).and_then(Value::as_array).into_iter().flatten());
        for (index, (one, other)) in one.zip(other).enumerate() {
            walk(one, other, &format!("{at}/{keyword}/{index}"), found);
        }
    }
}

/// Returns what the types in generated code depend on, by property: the schema without bounds and texts, and whether it is required. The
/// name `$defs` stands for the definitions, and the empty one for the rest of the root.
pub(crate) fn types(schema: &Value) -> BTreeMap<String, Value> {
    let mut root = schema.as_object().cloned().unwrap_or_default();
    let mut types = BTreeMap::new();
    let required: BTreeSet<String> =
        crate::snapshot::texts(schema.get("required").unwrap_or(&Value::Null)).map(str::to_owned).collect();
    if let Some(Value::Object(properties)) = root.remove("properties") {
        for (name, property) in properties {
            let is_required = required.contains(&name);
            types.insert(name, json!([skeleton(&property, is_required), is_required]));
        }
    }
    root.remove("required");
    if let Some(Value::Object(definitions)) = root.remove("$defs") {
        let definitions: Map<String, Value> =
            definitions.iter().map(|(name, schema)| (name.clone(), skeleton(schema, true))).collect();
        types.insert("$defs".to_owned(), definitions.into());
    }
    types.insert(String::new(), skeleton(&root.into(), true));
    types
}

/// The keywords on which types depend. `default` is another one: a property without a default may be absent.
const OF_TYPES: &[&str] =
    &["type", "enum", "const", "items", "additionalProperties", "anyOf", "oneOf", "allOf", "$ref"];

fn skeleton(schema: &Value, is_required: bool) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (keyword, value) in map.iter().filter(|(keyword, _)| OF_TYPES.contains(&keyword.as_str())) {
        let value = match (keyword.as_str(), value) {
            ("enum" | "type", Value::Array(values)) => sorted(values),
            ("items" | "additionalProperties", schema) => skeleton(schema, true),
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => all.iter().map(|one| skeleton(one, true)).collect(),
            (_, other) => other.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    if let Some(Value::Object(properties)) = map.get("properties") {
        let required = crate::snapshot::text_set(map.get("required").unwrap_or(&Value::Null));
        let one = |(name, schema): (&String, &Value)| {
            let is_required = required.contains(name.as_str());
            (name.clone(), json!([skeleton(schema, is_required), is_required]))
        };
        // Types do not depend on the order.
        let properties: BTreeMap<String, Value> = properties.iter().map(one).collect();
        out.insert("properties".to_owned(), json!(properties));
    }
    if !is_required && map.contains_key("default") {
        out.insert("has_default".to_owned(), true.into());
    }
    // In one order, whatever the order of the manifest.
    let out: BTreeMap<String, Value> = out.into_iter().collect();
    json!(out)
}

fn sorted(values: &[Value]) -> Value {
    let mut values = values.to_vec();
    values.sort_by_key(ToString::to_string);
    values.into()
}

/// Returns a schema that also accepts keys which it does not name: who reads a result ignores them.
pub(crate) fn opened(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let open = |(keyword, value): (&String, &Value)| match (keyword.as_str(), value) {
                ("additionalProperties", Value::Bool(false)) => None,
                ("enum" | "const" | "default" | "examples", _) => Some((keyword.clone(), value.clone())),
                _ => Some((keyword.clone(), opened(value))),
            };
            Value::Object(map.iter().filter_map(open).collect())
        }
        Value::Array(items) => items.iter().map(opened).collect(),
        other => other.clone(),
    }
}
