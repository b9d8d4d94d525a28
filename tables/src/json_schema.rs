//! JSON Schemas of tables, for completion and checks in editors.

use serde_json::{Map, Value, json};

use crate::key::{JSON_TYPES, UNLIMITED};
use crate::{Key, KeyType};

/// Returns the schema of a table with these keys. Other tables and schemas in it are written in place, except for schemas of parameters.
pub fn json_schema(keys: &[&[Key]]) -> Map<String, Value> {
    let keys = || keys.iter().copied().flatten();
    let mut table = Map::new();
    table.insert("type".into(), json!("object"));
    table
        .insert("properties".into(), keys().map(|key| (key.name.to_owned(), value(key))).collect::<Map<_, _>>().into());
    let required: Vec<&str> = keys().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        table.insert("required".into(), json!(required));
    }
    table.insert("additionalProperties".into(), json!(false));
    table
}

/// Returns the schema of a file with these keys at its top.
pub fn file_schema(title: &str, keys: &[Key]) -> Value {
    let mut schema = json_schema(&[keys]);
    schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".into(), json!(title));
    schema.into()
}

fn value(key: &Key) -> Value {
    let schema = json!({ "$ref": "#/$defs/schema" });
    let mut value = match key.key_type {
        KeyType::Text | KeyType::Template | KeyType::Condition => json!({ "type": "string" }),
        KeyType::Duration => json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h)$" }),
        KeyType::Count => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        KeyType::WholeNumber => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        KeyType::CountOrUnlimited => json!({
            "anyOf": [{ "type": "integer", "minimum": 1, "maximum": u32::MAX }, { "const": UNLIMITED }],
        }),
        KeyType::Names => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        KeyType::Words(list) => json!({ "type": "array", "items": words(list), "minItems": 1 }),
        KeyType::WordsByName(list) => json!({ "type": "object", "additionalProperties": words(list) }),
        KeyType::Percents => json!({
            "type": "object",
            "additionalProperties": { "type": "number", "exclusiveMinimum": 0, "maximum": 100 },
        }),
        KeyType::Table(keys) => json_schema(&[keys]).into(),
        // Definitions: each is a schema.
        KeyType::Tables(keys) if keys.iter().any(|key| key.name == "$ref") => {
            json!({ "type": "object", "additionalProperties": schema })
        }
        KeyType::Tables(keys) => json!({ "type": "object", "additionalProperties": json_schema(&[keys]) }),
        KeyType::List(keys) => json!({ "type": "array", "items": json_schema(&[keys]), "minItems": 1 }),
        KeyType::FactValue => json!({ "type": ["string", "boolean", "integer"] }),
        KeyType::FactValues => json!({
            "type": "object",
            "additionalProperties": { "type": ["string", "boolean", "integer"] },
        }),
        KeyType::TextsByName => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        KeyType::Amount => json!({ "type": "number", "minimum": 0 }),
        KeyType::Word(list) => words(list),
        KeyType::Flag => json!({ "type": "boolean" }),
        KeyType::Integer => json!({ "type": "integer" }),
        KeyType::Number => json!({ "type": "number" }),
        KeyType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        KeyType::Json => json!({}),
        KeyType::Jsons | KeyType::Choices => json!({ "type": "array", "minItems": 1 }),
        KeyType::Types => {
            json!({ "anyOf": [{ "enum": JSON_TYPES }, { "type": "array", "items": { "enum": JSON_TYPES } }] })
        }
        KeyType::Schema => schema,
        KeyType::Reference => json!({ "type": "string", "pattern": r"^#/\$defs/[A-Za-z0-9._-]+$" }),
        KeyType::Schemas => json!({ "type": "array", "items": schema, "minItems": 1 }),
        KeyType::Properties => json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/property" } }),
        KeyType::FlagOrSchema => json!({ "anyOf": [{ "type": "boolean" }, schema] }),
    };
    value["description"] = json!(key.documentation());
    if let Some(default) = key.default {
        value["default"] = default();
    }
    value
}

fn words(list: &[(&str, &str)]) -> Value {
    let words = list.iter().map(|(word, doc)| json!({ "const": word, "description": doc }));
    json!({ "oneOf": words.collect::<Value>() })
}
