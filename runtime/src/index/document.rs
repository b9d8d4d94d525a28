//! The searchable text of a tool.

use serde_json::Value;

/// The maximum depth of a schema that is indexed: deeper levels do not describe the tool's purpose.
const DEEPEST: usize = 8;

/// Returns the description, and from the schema of the arguments the names and descriptions of properties.
pub fn document(description: &str, parameters: &Value) -> String {
    let mut text = description.to_owned();
    properties(parameters, DEEPEST, &mut text);
    text
}

fn schema(schema: &Value, left: usize, out: &mut String) {
    if let Some(description) = schema["description"].as_str() {
        add(description, out);
    }
    properties(schema, left, out);
}

fn properties(parent: &Value, left: usize, out: &mut String) {
    let Some(left) = left.checked_sub(1) else { return };
    for (name, property) in parent["properties"].as_object().into_iter().flatten() {
        add(name, out);
        schema(property, left, out);
    }
    for word in ["items", "additionalProperties"] {
        schema(&parent[word], left, out);
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        for alternative in parent[word].as_array().into_iter().flatten() {
            schema(alternative, left, out);
        }
    }
}

fn add(text: &str, out: &mut String) {
    out.push('\n');
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_descriptions_at_any_depth_are_in_it_and_nothing_else() {
        let parameters = json!({
            "type": "object",
            "properties": {
                "description": { "type": "string", "description": "The invoice's number." },
                "lines": { "type": "array", "items": { "anyOf": [
                    { "type": "null" },
                    { "type": "object", "properties": { "price": { "type": "number", "default": 3 } } },
                ] } },
            },
            "required": ["lines"],
        });
        let text = document("Make an invoice.", &parameters);
        assert_eq!(text, "Make an invoice.\ndescription\nThe invoice's number.\nlines\nprice");
    }

    #[test]
    fn what_is_no_schema_says_nothing() {
        for value in [json!(null), json!([1]), json!({"properties": {"a": true}, "items": 3, "anyOf": {}})] {
            let text = document("", &value);
            assert!(text.is_empty() || text == "\na", "{text}");
        }
    }

    #[test]
    fn deep_schemas_end() {
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({ "properties": { "a": deep } });
        }
        assert_eq!(document("", &deep), "\na".repeat(DEEPEST));
    }
}
