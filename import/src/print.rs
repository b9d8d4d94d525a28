//! Writes the table of a manifest as TOML, in the project's own format.

use serde_json::Value;
use toml_edit::{Array, InlineTable, Key};
use toolc_codegen::format::format;
use toolc_codegen::source::Kind;

use crate::schema::Table;

/// The maximum number of characters of a nested schema on one line.
const MAX_INLINE: usize = 90;

/// Returns the text of a manifest.
///
/// # Errors
/// If it cannot be formatted: the text is then in the message.
pub fn manifest(kind: Kind, table: &Table) -> Result<String, String> {
    let depth = kind.place().matches('/').count();
    let mut text = format!("#:schema {}generated/manifest/{}.schema.json\n", "../".repeat(depth), kind.noun());
    let tables: &[&str] = if kind == Kind::Tool { &["params", "schema", "returns"] } else { &[] };
    for (key, value) in table.iter().filter(|(key, _)| !tables.contains(&key.as_str())) {
        text += &line(key, value);
    }
    if let Some(Value::Object(params)) = table.get("params") {
        params.iter().for_each(|(name, schema)| schema_table(&mut text, &["params", name], schema, false));
    }
    for key in ["schema", "returns"] {
        if let Some(schema) = table.get(key) {
            schema_table(&mut text, &[key], schema, false);
        }
    }
    format(Some(kind), &text).ok_or_else(|| format!("failed to format the manifest:\n{text}"))
}

fn line(key: &str, value: &Value) -> String {
    format!("{} = {}\n", Key::new(key), toml(value))
}

/// Writes a schema as a table with a header.
fn schema_table(out: &mut String, path: &[&str], schema: &Value, is_item: bool) {
    let Some(map) = schema.as_object() else { return };
    let header = path.iter().map(|step| Key::new(*step).to_string()).collect::<Vec<_>>().join(".");
    let is_inline = |key: &str, value: &Value| match key {
        "items" | "additionalProperties" => fits(value),
        "properties" | "$defs" | "anyOf" | "oneOf" | "allOf" => values(value).all(fits),
        _ => true,
    };
    let (plain, tables): (Vec<_>, Vec<_>) = map.iter().partition(|(key, value)| is_inline(key, value));
    // `[a]` is not needed before `[a.b]`.
    if !plain.is_empty() || tables.is_empty() || is_item {
        *out += &if is_item { format!("\n[[{header}]]\n") } else { format!("\n[{header}]\n") };
    }
    for (key, value) in plain {
        match value {
            Value::Object(named) if ["properties", "$defs"].contains(&key.as_str()) => {
                for (name, schema) in named {
                    *out += &format!("{}.{}", Key::new(key), line(name, schema));
                }
            }
            value => *out += &line(key, value),
        }
    }
    for (key, value) in tables {
        let below: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
        match value {
            Value::Array(items) => items.iter().for_each(|item| schema_table(out, &below, item, true)),
            Value::Object(named) if ["properties", "$defs"].contains(&key.as_str()) => {
                for (name, schema) in named {
                    let below: Vec<&str> = below.iter().copied().chain([name.as_str()]).collect();
                    schema_table(out, &below, schema, false);
                }
            }
            schema => schema_table(out, &below, schema, false),
        }
    }
}

/// Returns the schemas of a keyword that has several.
fn values(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(map) => Box::new(map.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns whether a schema is written on one line.
fn fits(schema: &Value) -> bool {
    let text = toml(schema).to_string();
    !text.contains('\n') && text.chars().count() <= MAX_INLINE
}

/// Returns a value as TOML. There is no null: those are `{ "json": "null" }`.
fn toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => toml_edit::Value::from("null"),
        Value::Bool(flag) => toml_edit::Value::from(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => toml_edit::Value::from(integer),
            None => toml_edit::Value::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => toml_edit::Value::from(text.as_str()),
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(toml).collect::<Array>()),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (Key::new(key.as_str()), toml(value)));
            toml_edit::Value::InlineTable(entries.collect::<InlineTable>())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_is_formatted_and_keeps_the_order_of_parameters() {
        let long = "x".repeat(100);
        let table = json!({
            "name": "t", "toolset": "s", "description": "Two\nlines.",
            "params": {
                "z": { "type": "array", "items": { "type": "string" }, "required": true },
                "a b": { "type": "object", "properties": { "y": { "description": long }, "x": { "type": "null" } } },
                "u": { "anyOf": [{ "type": "string" }, { "type": "object", "properties": { "k": { "description": long } } }] },
            },
            "schema": { "additionalProperties": true },
        });
        let text = manifest(Kind::Tool, table.as_object().expect("an object")).expect("it is TOML");
        assert_eq!(format(Some(Kind::Tool), &text).as_deref(), Some(text.as_str()));
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        assert!(
            at("[params.z]") < at("[params.\"a b\"]") && at("[params.\"a b\"]") < at("[[params.u.anyOf]]"),
            "{text}"
        );
        assert!(at("[params.\"a b\".properties.y]") < at("[params.\"a b\".properties.x]"), "{text}");
        assert!(text.contains("items = { type = \"string\" }"), "{text}");
    }
}
