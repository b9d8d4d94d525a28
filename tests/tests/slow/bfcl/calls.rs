//! Calls of the leaderboard: arguments of accepted values, and the same as some models send them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Returns the arguments of an accepted call with the function of this definition. A parameter has its accepted value at `choice`,
/// or its last one.
pub(super) fn arguments(definition: &Value, accepted: &Value, choice: usize) -> Value {
    object(&definition["parameters"], accepted, choice)
}

/// Returns the number of different choices.
pub(super) fn choices(accepted: &Value) -> usize {
    let numbers = accepted.as_object().into_iter().flatten().map(|(_, values)| present(values).len());
    numbers.max().unwrap_or(1).max(1)
}

/// Returns the accepted values of a parameter. The empty text stands for its absence.
fn present(values: &Value) -> Vec<&Value> {
    values.as_array().into_iter().flatten().filter(|value| *value != "").collect()
}

fn object(schema: &Value, accepted: &Value, choice: usize) -> Value {
    let mut out = Map::new();
    for (name, values) in accepted.as_object().into_iter().flatten() {
        let present = present(values);
        if let Some(value) = present.get(choice).or(present.last()) {
            out.insert(name.clone(), value_of(&schema["properties"][name], value, choice));
        } else if schema["required"].as_array().is_some_and(|names| names.contains(&json!(name))) {
            out.insert(name.clone(), json!(""));
        }
    }
    out.into()
}

/// Returns a value in which accepted values of properties are chosen.
fn value_of(schema: &Value, value: &Value, choice: usize) -> Value {
    match (schema["type"].as_str(), value) {
        (Some("dict" | "HashMap"), Value::Object(_)) => object(schema, value, choice),
        (Some("array" | "tuple" | "Array" | "ArrayList"), Value::Array(items)) => {
            items.iter().map(|item| value_of(&schema["items"], item, choice)).collect()
        }
        _ => value.clone(),
    }
}

/// How a model sends values that are not texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// Each argument is the JSON text of its value.
    JsonTexts,
    /// Numbers, booleans and null are texts, also within arrays and objects.
    TextScalars,
}

impl Form {
    /// Returns arguments in this form.
    pub(super) fn of(self, arguments: &Value) -> Value {
        let each = |(name, value): (&String, &Value)| (name.clone(), self.value(value));
        arguments.as_object().into_iter().flatten().map(each).collect::<Map<_, _>>().into()
    }

    fn value(self, value: &Value) -> Value {
        match (self, value) {
            (_, Value::String(_)) => value.clone(),
            (Self::TextScalars, Value::Array(items)) => items.iter().map(|item| self.value(item)).collect(),
            (Self::TextScalars, Value::Object(_)) => self.of(value),
            _ => json!(value.to_string()),
        }
    }
}

/// Returns why a handler gets another value than the `expected` one, of this schema. `None` if it is the same.
///
/// # Panics
/// If there is another reason than that the schema allows the text, too.
pub(super) fn difference(schema: &Value, expected: &Value, got: &Value) -> Option<&'static str> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            let names: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
            let property = |name: &String| {
                let [expected, got] = [expected, got].map(|map| map.get(name).unwrap_or(&Value::Null));
                difference(&schema["properties"][name], expected, got)
            };
            names.into_iter().find_map(property)
        }
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => {
            expected.iter().zip(got).find_map(|(expected, got)| difference(&schema["items"], expected, got))
        }
        (expected, got) if expected == got => None,
        (Value::Number(expected), Value::Number(got)) if expected.as_f64() == got.as_f64() => None,
        (Value::Null, Value::String(text)) if text == "null" && schema["type"] == "string" => {
            Some("stays the text `null`, which is a string")
        }
        (expected, Value::String(text)) if schema["type"].is_null() && json_of(text).as_ref() == Some(expected) => {
            Some("stays a text, because there is no type")
        }
        _ => panic!("expected {expected}, got {got}, for {schema}"),
    }
}

fn json_of(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
