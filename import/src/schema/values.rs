//! The values and texts of a schema.

use serde_json::{Map, Value, json};

use super::{Converter, Table};
use crate::report::Effect;

/// The maximum number of characters of the keywords that a description states.
const MAX_STATED: usize = 400;

impl Converter {
    /// Converts the keywords that have single values and texts.
    pub(super) fn values(&mut self, map: &Map<String, Value>, out: &mut Table) {
        for keyword in ["title", "description"] {
            if let Some(Value::String(text)) = map.get(keyword).filter(|text| **text != json!("")) {
                let text = if keyword == "description" { template(text) } else { text.clone() };
                out.insert(keyword.to_owned(), text.into());
            }
        }
        if map.get("deprecated") == Some(&Value::Bool(true)) {
            out.insert("deprecated".to_owned(), true.into());
        }
        if let Some(Value::Array(choices)) = map.get("enum") {
            let (fitting, others): (Vec<&Value>, Vec<&Value>) =
                choices.iter().partition(|choice| has_type(choice, map.get("type")));
            let kept = if fitting.is_empty() { &others } else { &fitting };
            if !fitting.is_empty() && !others.is_empty() {
                self.note("enum", &json!(others), "left out: these values have another type", Effect::Same);
            }
            out.insert("enum".to_owned(), kept.iter().map(|choice| data(choice)).collect());
        }
        for keyword in ["const", "default"] {
            if let Some(value) = map.get(keyword) {
                out.insert(keyword.to_owned(), data(value));
            }
        }
        let mut examples: Vec<Value> =
            map.get("examples").and_then(Value::as_array).into_iter().flatten().map(data).collect();
        match map.get("example") {
            Some(example) if examples.is_empty() => {
                self.note("example", example, "written as `examples`", Effect::Same);
                examples.push(data(example));
            }
            Some(example) => self.note("example", example, "left out: there are `examples`", Effect::Same),
            None => {}
        }
        if !examples.is_empty() {
            out.insert("examples".to_owned(), examples.into());
        }
    }
}

/// Returns whether a value has one of the types of a schema. Unknown types are those of other notations, and are converted elsewhere.
fn has_type(value: &Value, types: Option<&Value>) -> bool {
    let is_of = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match types {
        Some(Value::String(name)) => is_of(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    }
}

/// Returns a value as manifests write it.
pub fn data(value: &Value) -> Value {
    if is_plain(value) { value.clone() } else { json!({ "json": value.to_string() }) }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Object(_) => false,
        Value::Number(number) => number.is_i64() || number.is_f64(),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Bool(_) | Value::String(_) => true,
    }
}

/// The signs of templates.
const SIGNS: [&str; 6] = ["{{", "}}", "{%", "%}", "{#", "#}"];

/// Returns a text as a template that stands for it.
pub fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((at, sign)) = SIGNS.iter().filter_map(|sign| Some((rest.find(sign)?, *sign))).min() {
        // A brace before the tag would be a part of its sign.
        let before = &rest[..at];
        let plain = before.trim_end_matches('{');
        out += &format!("{plain}{{{{ '{}{sign}' }}}}", &before[plain.len()..]);
        rest = &rest[at + sign.len()..];
    }
    out + rest
}

/// States keywords that manifests do not have in the description.
pub(super) fn state(out: &mut Table, lost: &Map<String, Value>) {
    let text = Value::Object(lost.clone()).to_string();
    if text.chars().count() > MAX_STATED {
        return;
    }
    let text = template(&format!("The value must also match the JSON Schema {text}"));
    let before = out.get("description").and_then(Value::as_str);
    let text = before.map_or_else(|| text.clone(), |before| format!("{before}\n{text}"));
    out.insert("description".to_owned(), text.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_a_text_are_no_template() {
        assert_eq!(template("a {b} {"), "a {b} {");
        assert_eq!(template("{{x}} {% y %}"), "{{ '{{' }}x{{ '}}' }} {{ '{%' }} y {{ '%}' }}");
        assert_eq!(template("{{{"), "{{ '{{' }}{");
        assert_eq!(template("{{%"), "{{ '{{' }}%");
        assert_eq!(template("{}}}"), "{{ '{}}' }}}");
    }

    #[test]
    fn what_toml_cannot_write_is_json() {
        assert_eq!(data(&json!(null)), json!({ "json": "null" }));
        assert_eq!(data(&json!(u64::MAX)), json!({ "json": "18446744073709551615" }));
        assert_eq!(data(&json!([1, "a", [true]])), json!([1, "a", [true]]));
        assert_eq!(data(&json!([1, null])), json!({ "json": "[1,null]" }));
        assert_eq!(data(&json!({ "a": 1 })), json!({ "json": "{\"a\":1}" }));
    }
}
