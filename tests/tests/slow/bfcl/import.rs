//! Writes a definition of the leaderboard as a manifest.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// What a definition says in another way than a manifest, and how often.
pub(super) type Changes = BTreeMap<&'static str, usize>;

/// A manifest, and what is different in it.
pub(super) struct Imported {
    /// The name of the tool.
    pub(super) name: String,
    pub(super) manifest: String,
    pub(super) changes: Changes,
}

/// How much an import changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repair {
    /// The words for types, which a manifest cannot have.
    Types,
    /// Everything that the compiler refuses.
    All,
}

/// Returns the manifest of a definition.
pub(super) fn import(definition: &Value, repair: Repair) -> Imported {
    let mut importer = Importer { repair, changes: Changes::new() };
    let text = |key: &str| definition[key].as_str().unwrap_or_default().to_owned();
    let mut name = text("name");
    if repair == Repair::All && name.contains('.') {
        importer.count("a name with dots");
        name = name.replace('.', "_");
    }
    let schema = importer.schema(&definition["parameters"]);
    let params = schema.get("properties").cloned().unwrap_or_else(|| json!({}));
    let manifest = json!({"name": name, "toolset": "imported", "description": text("description"), "params": params});
    let manifest = toml::to_string(&manifest).expect("it has no null");
    Imported { name, manifest, changes: importer.changes }
}

/// Returns the name of the type in JSON Schema.
fn type_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" | "String" | "char" => "string",
        "integer" | "long" => "integer",
        "float" | "double" => "number",
        "boolean" | "Boolean" => "boolean",
        "array" | "Array" | "ArrayList" | "tuple" => "array",
        "dict" | "HashMap" => "object",
        "any" | "" => return None,
        other => panic!("unknown type `{other}`"),
    })
}

fn has_type(value: &Value, word: Option<&str>) -> bool {
    match word {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

struct Importer {
    repair: Repair,
    changes: Changes,
}

impl Importer {
    fn count(&mut self, change: &'static str) {
        *self.changes.entry(change).or_default() += 1;
    }

    fn schema(&mut self, schema: &Value) -> Map<String, Value> {
        let mut out = Map::new();
        let written = schema["type"].as_str().unwrap_or_default();
        let word = type_word(written);
        if word != Some(written) {
            self.count("a type of another language");
        }
        out.extend(word.map(|word| ("type".to_owned(), json!(word))));
        for (key, value) in schema.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("type" | "required", _) => {}
                ("properties", Value::Object(properties)) => {
                    let required = schema["required"].as_array();
                    let property = |(name, schema): (&String, &Value)| {
                        let mut property = self.schema(schema);
                        if required.is_some_and(|names| names.contains(&json!(name))) {
                            if self.repair == Repair::All && property.remove("default").is_some() {
                                self.count("a default of a required parameter");
                            }
                            property.insert("required".to_owned(), json!(true));
                        }
                        (name.clone(), property.into())
                    };
                    out.insert(key.clone(), properties.iter().map(property).collect::<Map<_, _>>().into());
                }
                ("items", items) => {
                    let items = self.schema(items);
                    out.insert(key.clone(), items.into());
                }
                // TOML has no null.
                ("default", value) if has_null(value) => self.count("a default of null"),
                (key, value) => {
                    out.insert(key.to_owned(), value.clone());
                }
            }
        }
        if word == Some("object") && !out.contains_key("properties") {
            self.count("an object of any properties");
            out.insert("additionalProperties".to_owned(), json!(true));
        }
        if self.repair == Repair::All {
            self.repair(word, &mut out);
        }
        out
    }

    /// Removes what contradicts the type.
    fn repair(&mut self, word: Option<&str>, schema: &mut Map<String, Value>) {
        let values = |key: &str| schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        if values("enum").iter().any(|value| !has_type(value, word)) {
            self.count("an enum of another type");
            schema.remove("enum");
        }
        let allowed = schema.get("enum").and_then(Value::as_array);
        if let Some(default) = schema.get("default") {
            if !has_type(default, word) {
                self.count("a default of another type");
                schema.remove("default");
            } else if allowed.is_some_and(|allowed| !allowed.contains(default)) {
                self.count("a default that the enum does not have");
                schema.remove("default");
            }
        }
        if schema.remove("optional").is_some() {
            self.count("the keyword `optional`");
        }
    }
}
