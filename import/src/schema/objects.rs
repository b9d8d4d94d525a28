//! The keywords of arrays and objects.

use serde_json::{Map, Value, json};

use super::{Converter, Table};
use crate::report::Effect;

/// Patterns of names that match every name.
const ANY_NAME: [&str; 5] = ["", ".*", "^.*$", "^(.*)$", "^.*"];

impl Converter {
    pub(super) fn items(&mut self, map: &Map<String, Value>, out: &mut Table) {
        if !allows(map, "array") {
            return;
        }
        let items = map.get("items");
        let Some(Value::Array(first)) = map.get("prefixItems") else {
            match items {
                Some(Value::Bool(false)) => limit(out, "maxItems", 0),
                Some(schema @ Value::Object(_)) => {
                    let converted = self.at(&["items"], |this| this.schema(schema));
                    out.insert("items".to_owned(), Value::Object(converted));
                }
                _ if is_only(map, "array") => drop(out.insert("items".to_owned(), json!({}))),
                _ => {}
            }
            return;
        };
        let done = "written as `items`: each item may be any of them, in any order";
        self.note("prefixItems", &map["prefixItems"], done, Effect::Wider);
        let mut all = Vec::new();
        for (index, schema) in first.iter().enumerate() {
            let converted = self.at(&["prefixItems", &index.to_string()], |this| this.any(schema));
            all.extend(converted.map(Value::Object));
        }
        match items {
            Some(Value::Bool(false)) => limit(out, "maxItems", first.len() as u64),
            Some(schema @ Value::Object(map)) if !map.is_empty() => {
                all.push(Value::Object(self.at(&["items"], |this| this.schema(schema))));
            }
            _ => all.clear(),
        }
        let mut distinct: Vec<Value> = Vec::new();
        for schema in all {
            if !distinct.contains(&schema) {
                distinct.push(schema);
            }
        }
        let items = match distinct.len() {
            0 => json!({}),
            1 => distinct.remove(0),
            _ => json!({ "anyOf": distinct }),
        };
        out.insert("items".to_owned(), items);
    }

    pub(super) fn object(&mut self, map: &Map<String, Value>, out: &mut Table) {
        if !allows(map, "object") {
            return;
        }
        let properties = self.properties(map);
        let has_properties = !properties.is_empty();
        if has_properties {
            out.insert("properties".to_owned(), Value::Object(properties));
        }
        let is_object = has_properties || has_type(map, "object");
        match self.further(map) {
            Some(Further::Any) if self.style.closed && has_properties && !map.contains_key("additionalProperties") => {
                if is_in_place(&self.pointer) {
                    out.insert("additionalProperties".to_owned(), true.into());
                } else {
                    let done = "refused: `--closed`";
                    self.note("additionalProperties", &json!(true), done, Effect::Narrower);
                }
            }
            Some(Further::Any) if is_object => drop(out.insert("additionalProperties".to_owned(), true.into())),
            Some(Further::Any) => {}
            Some(Further::Schema(schema)) => drop(out.insert("additionalProperties".to_owned(), Value::Object(schema))),
            // The default of a schema that is recognised as that of an object.
            None if is_object => {}
            None => limit(out, "maxProperties", 0),
        }
    }

    /// Converts the declared and the required properties.
    fn properties(&mut self, map: &Map<String, Value>) -> Table {
        let required: Vec<&str> =
            map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties = Table::new();
        for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let converted = self.at(&["properties", name], |this| this.any(schema));
            let Some(mut table) = converted else {
                let effect =
                    if map.get("additionalProperties") == Some(&json!(false)) { Effect::Same } else { Effect::Wider };
                self.note(&format!("properties/{name}"), schema, "left out: no value is accepted", effect);
                continue;
            };
            if required.contains(&name.as_str()) {
                table.insert("required".to_owned(), true.into());
            }
            properties.insert(name.clone(), Value::Object(table));
        }
        for name in required {
            if !properties.contains_key(name) {
                properties.insert(name.to_owned(), json!({ "required": true }));
            }
        }
        properties
    }

    /// Returns what further properties an object may have; `None` if it may have none.
    fn further(&mut self, map: &Map<String, Value>) -> Option<Further> {
        if let Some(names) = map.get("propertyNames").filter(|names| !is_any_name(names)) {
            self.note("propertyNames", names, "left out: the names are not checked", Effect::Wider);
        }
        let patterns = map.get("patternProperties").and_then(Value::as_object).filter(|patterns| !patterns.is_empty());
        let further = map.get("additionalProperties");
        let Some(patterns) = patterns else {
            return match further {
                Some(Value::Bool(false)) => None,
                Some(schema @ Value::Object(inner)) if !inner.is_empty() => {
                    Some(Further::Schema(self.at(&["additionalProperties"], |this| this.schema(schema))))
                }
                Some(_) => Some(Further::Any),
                None => self.unevaluated(map),
            };
        };
        let is_exact = patterns.len() == 1
            && patterns.keys().all(|pattern| ANY_NAME.contains(&pattern.as_str()))
            && !map.get("properties").is_some_and(|properties| *properties != json!({}));
        if !is_exact {
            let done = "written as `additionalProperties`: the names are not checked";
            self.note("patternProperties", &map["patternProperties"], done, Effect::Wider);
        }
        let mut all = Vec::new();
        for (pattern, schema) in patterns {
            all.extend(self.at(&["patternProperties", pattern], |this| this.any(schema)));
        }
        match further {
            Some(Value::Bool(false)) => {}
            _ if is_exact => {}
            Some(schema @ Value::Object(inner)) if !inner.is_empty() => {
                all.push(self.at(&["additionalProperties"], |this| this.schema(schema)));
            }
            _ => return Some(Further::Any),
        }
        match all.len() {
            0 => None,
            1 => Some(Further::Schema(all.remove(0))),
            _ => {
                let all: Value = all.into_iter().map(Value::Object).collect();
                Some(Further::Schema([("anyOf".to_owned(), all)].into_iter().collect()))
            }
        }
    }

    /// Reads `unevaluatedProperties` of an object without `additionalProperties`.
    fn unevaluated(&mut self, map: &Map<String, Value>) -> Option<Further> {
        let Some(further) = map.get("unevaluatedProperties").filter(|further| **further != json!(true)) else {
            return Some(Further::Any);
        };
        let is_alone =
            ["$ref", "anyOf", "oneOf", "allOf", "if", "dependentSchemas"].iter().all(|it| !map.contains_key(*it));
        match further {
            Value::Bool(false) if is_alone => None,
            schema @ Value::Object(_) if is_alone => {
                Some(Further::Schema(self.at(&["unevaluatedProperties"], |this| this.schema(schema))))
            }
            further => {
                let done = "left out: further properties are not checked";
                self.note("unevaluatedProperties", further, done, Effect::Wider);
                Some(Further::Any)
            }
        }
    }
}

/// What further properties an object may have.
enum Further {
    Any,
    Schema(Table),
}

/// Returns whether a schema is an alternative or a part of another for the same value.
fn is_in_place(pointer: &str) -> bool {
    let mut steps = pointer.rsplit('/');
    let is_index = steps.next().is_some_and(|last| last.parse::<usize>().is_ok());
    is_index && steps.next().is_some_and(|keyword| ["anyOf", "oneOf", "allOf"].contains(&keyword))
}

/// Sets an upper limit, if there is no lower one.
fn limit(out: &mut Table, keyword: &str, count: u64) {
    let known = out.get(keyword).and_then(Value::as_u64);
    out.insert(keyword.to_owned(), known.map_or(count, |known| known.min(count)).into());
}

/// Returns whether a schema names a type.
fn has_type(map: &Map<String, Value>, name: &str) -> bool {
    match map.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|other| other == name),
        _ => false,
    }
}

/// Returns whether a schema accepts values of a type.
fn allows(map: &Map<String, Value>, name: &str) -> bool {
    !map.contains_key("type") || has_type(map, name)
}

/// Returns whether values of a type are the only ones that a schema accepts.
fn is_only(map: &Map<String, Value>, name: &str) -> bool {
    map.get("type").is_some_and(|types| types.as_str() == Some(name))
}

/// Returns whether a schema of names accepts every name.
fn is_any_name(names: &Value) -> bool {
    match names {
        Value::Bool(is_any) => *is_any,
        Value::Object(map) => map.iter().all(|(keyword, value)| match keyword.as_str() {
            "type" => value == "string",
            "title" | "description" => true,
            "pattern" => value.as_str().is_some_and(|pattern| ANY_NAME.contains(&pattern)),
            _ => false,
        }),
        _ => true,
    }
}
