//! Schemas of a document, as JSON Schemas with definitions of their own.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::references::{Document, Documents};

/// The maximum number of definitions of one operation.
const MAX_DEFINITIONS: usize = 500;
/// Keywords that say nothing about values, and that documents are full of.
const SILENT: [&str; 6] = ["xml", "externalDocs", "discriminator", "collectionFormat", "example", "allowEmptyValue"];
/// The keywords whose value is a schema.
const SINGLE: [&str; 9] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
/// The keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// The keywords whose value has schemas by name.
const MAPS: [&str; 3] = ["properties", "patternProperties", "dependentSchemas"];

/// Which side sends the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

impl Side {
    /// Returns the flag of properties that this side does not send.
    fn excluded(self) -> &'static str {
        match self {
            Side::Request => "readOnly",
            Side::Response => "writeOnly",
        }
    }
}

/// Collects the schemas of one operation and the definitions to which they refer.
pub(super) struct Schemas<'d> {
    documents: &'d Documents,
    side: Side,
    /// The place of each definition, and its name.
    names: Vec<(PathBuf, String, String)>,
    definitions: Map<String, Value>,
}

impl<'d> Schemas<'d> {
    pub(super) fn new(documents: &'d Documents, side: Side) -> Self {
        Self { documents, side, names: Vec::new(), definitions: Map::new() }
    }

    /// Adds the definitions to a schema.
    pub(super) fn with_definitions(&mut self, mut schema: Value) -> Result<Value, String> {
        let mut next = 0;
        while next < self.names.len() {
            let (path, pointer, name) = self.names[next].clone();
            next += 1;
            if next > MAX_DEFINITIONS {
                return Err(format!("its schema refers to more than {MAX_DEFINITIONS} others"));
            }
            let (document, value) = self.documents.at(&path, &pointer)?;
            let converted = self.schema(&document, &value, 0)?;
            self.definitions.insert(name, converted);
        }
        let definitions = std::mem::take(&mut self.definitions);
        if let Some(map) = schema.as_object_mut().filter(|_| !definitions.is_empty()) {
            map.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Ok(schema)
    }

    /// Converts a schema of a document.
    pub(super) fn schema(&mut self, at: &Document, value: &Value, depth: usize) -> Result<Value, String> {
        if depth > crate::schema::MAX_DEPTH {
            return Err(format!("its schema is nested more than {} deep", crate::schema::MAX_DEPTH));
        }
        let Some(map) = value.as_object() else { return Ok(value.clone()) };
        let mut out = Map::new();
        for (keyword, value) in map {
            let converted = match keyword.as_str() {
                "$ref" => self.reference(at, value)?,
                "type" if *value == "file" => return Err("has a file as a parameter".to_owned()),
                keyword if SILENT.contains(&keyword) || keyword.starts_with("x-") => continue,
                // Draft 4 and OpenAPI 2 and 3.0 name required properties in the schema; a boolean belongs to a parameter.
                "required" if value.is_boolean() => continue,
                "readOnly" | "writeOnly" => continue,
                keyword if SINGLE.contains(&keyword) => self.schema(at, value, depth + 1)?,
                keyword if LISTS.contains(&keyword) && value.is_array() => {
                    let all = value.as_array().into_iter().flatten();
                    all.map(|schema| self.schema(at, schema, depth + 1)).collect::<Result<Value, String>>()?
                }
                keyword if MAPS.contains(&keyword) && value.is_object() => {
                    let mut all = Map::new();
                    for (name, schema) in value.as_object().into_iter().flatten() {
                        if !self.is_excluded(at, schema) {
                            all.insert(name.clone(), self.schema(at, schema, depth + 1)?);
                        }
                    }
                    Value::Object(all)
                }
                _ => value.clone(),
            };
            out.insert(keyword.clone(), converted);
        }
        if let Some(example) = map.get("example").filter(|_| !map.contains_key("examples")) {
            out.insert("examples".to_owned(), json!([example]));
        }
        self.drop_excluded(at, map, &mut out);
        self.discriminator(at, map, &mut out, depth)?;
        Ok(nullable(map, out))
    }

    /// Returns whether a property is one that this side does not send.
    fn is_excluded(&self, at: &Document, schema: &Value) -> bool {
        let flag = self.side.excluded();
        let is_set = |schema: &Value| schema.get(flag) == Some(&Value::Bool(true));
        is_set(schema) || self.documents.resolve(at, schema).is_ok_and(|(_, target)| is_set(&target))
    }

    /// Removes the names of excluded properties from `required`.
    fn drop_excluded(&mut self, at: &Document, map: &Map<String, Value>, out: &mut Map<String, Value>) {
        let Some(properties) = map.get("properties").and_then(Value::as_object) else { return };
        let excluded: Vec<&String> =
            properties.iter().filter(|(_, schema)| self.is_excluded(at, schema)).map(|(name, _)| name).collect();
        if let Some(Value::Array(required)) = out.get_mut("required") {
            required.retain(|name| !excluded.iter().any(|other| *name == other.as_str()));
        }
    }

    /// Writes a `$ref` to a definition.
    fn reference(&mut self, at: &Document, value: &Value) -> Result<Value, String> {
        let text = value.as_str().ok_or("has a `$ref` that is not a string")?;
        let (document, pointer, _) = self.documents.target(at, text)?;
        let known = self.names.iter().find(|(path, other, _)| *path == document.path && *other == pointer);
        if let Some((_, _, name)) = known {
            return Ok(format!("#/$defs/{name}").into());
        }
        let last = pointer.rsplit('/').next().filter(|last| !last.is_empty()).map(str::to_owned);
        let stem = || document.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let last = last.unwrap_or_else(stem);
        let base: String = last.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).collect();
        let taken = |name: &str| self.names.iter().any(|(_, _, other)| other == name);
        let numbered = (2_usize..).map(|number| format!("{base}_{number}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(base.clone());
        self.names.push((document.path.clone(), pointer, name.clone()));
        Ok(format!("#/$defs/{name}").into())
    }

    /// Writes a discriminator as constants of the alternatives.
    fn discriminator(
        &mut self,
        at: &Document,
        map: &Map<String, Value>,
        out: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        let Some(property) = map.get("discriminator").and_then(|it| it["propertyName"].as_str().or(it.as_str())) else {
            return Ok(());
        };
        let mapping = map["discriminator"]["mapping"].as_object();
        for keyword in ["oneOf", "anyOf"] {
            let alternatives = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
            for (index, alternative) in alternatives.enumerate() {
                let Some(reference) = alternative.get("$ref").and_then(Value::as_str) else { continue };
                let last = reference.rsplit('/').next().unwrap_or_default();
                let named = mapping
                    .into_iter()
                    .flatten()
                    .filter(|(_, target)| target.as_str().is_some_and(|target| target == reference || target == last));
                let mut values: Vec<Value> = named.map(|(value, _)| value.as_str().into()).collect();
                if values.is_empty() {
                    values.push(last.into());
                }
                let (document, target) = self.documents.resolve(at, alternative)?;
                // The property distinguishes only alternatives that declare it.
                if target["properties"][property].is_object() && target.get("allOf").is_none() {
                    let mut copy = self.schema(&document, &target, depth + 1)?;
                    let constant =
                        if values.len() == 1 { json!({ "const": values[0] }) } else { json!({ "enum": values }) };
                    let described = target["properties"][property].get("description").cloned();
                    copy["properties"][property] = constant;
                    if let Some(description) = described {
                        copy["properties"][property]["description"] = description;
                    }
                    require(&mut copy, property);
                    out[keyword][index] = copy;
                }
            }
        }
        Ok(())
    }
}

fn require(schema: &mut Value, property: &str) {
    let Some(map) = schema.as_object_mut() else { return };
    let required = map.entry("required").or_insert_with(|| json!([]));
    if let Some(names) = required.as_array_mut().filter(|names| !names.iter().any(|name| name == property)) {
        names.push(property.into());
    }
}

/// Writes `nullable` of `OpenAPI` 3.0 and `x-nullable` of 2.0 as a type.
fn nullable(map: &Map<String, Value>, mut out: Map<String, Value>) -> Value {
    let is_set = |key: &str| map.get(key) == Some(&Value::Bool(true));
    out.shift_remove("nullable");
    if !is_set("nullable") && !is_set("x-nullable") {
        return Value::Object(out);
    }
    if let Some(Value::Array(choices)) = out.get_mut("enum")
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
    match out.get_mut("type") {
        Some(Value::Array(types)) if !types.iter().any(|ty| ty == "null") => types.push("null".into()),
        Some(Value::String(ty)) => {
            let types = json!([ty, "null"]);
            out.insert("type".to_owned(), types);
        }
        _ => {}
    }
    // Alternatives and references say their types themselves.
    let is_elsewhere = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| out.contains_key(*keyword));
    if !is_elsewhere {
        return Value::Object(out);
    }
    let mut texts = Map::new();
    for keyword in ["title", "description", "default", "examples", "deprecated"] {
        texts.extend(out.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
    }
    out.shift_remove("type");
    texts.insert("anyOf".to_owned(), json!([out, { "type": "null" }]));
    Value::Object(texts)
}
