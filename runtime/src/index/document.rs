//! The searchable text of a tool.

use serde_json::Value;

/// The maximum depth of the schemas that are indexed. Deeper levels rarely say anything about the purpose of a tool.
const MAX_DEPTH: usize = 8;

/// Returns the searchable text of a tool: a line with its description, and a line for each name and description of a property in
/// `parameters`, the JSON Schema of its arguments.
pub fn document(description: &str, parameters: &Value) -> String {
    let mut text = description.to_owned();
    properties(parameters, MAX_DEPTH, &mut text);
    text
}

/// Appends the description of a schema, and its properties.
fn schema(schema: &Value, depth: usize, out: &mut String) {
    if let Some(description) = schema["description"].as_str() {
        push_line(description, out);
    }
    properties(schema, depth, out);
}

/// Appends the properties of a schema, down to `depth` levels.
fn properties(parent: &Value, depth: usize, out: &mut String) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for (name, property) in parent["properties"].as_object().into_iter().flatten() {
        push_line(name, out);
        schema(property, depth, out);
    }
    for inner in ["items", "additionalProperties"].iter().filter_map(|keyword| parent.get(keyword)) {
        schema(inner, depth, out);
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for alternative in parent[keyword].as_array().into_iter().flatten() {
            schema(alternative, depth, out);
        }
    }
}

fn push_line(text: &str, out: &mut String) {
    out.push('\n');
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_has_the_names_and_descriptions_of_all_properties() {
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
    fn invalid_schemas_add_no_text() {
        for value in [json!(null), json!([1]), json!({"properties": {"a": true}, "items": 3, "anyOf": {}})] {
            let text = document("", &value);
            assert!(text.is_empty() || text == "\na", "{text}");
        }
    }

    #[test]
    fn deep_schemas_are_truncated() {
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({ "properties": { "a": deep } });
        }
        assert_eq!(document("", &deep), "\na".repeat(MAX_DEPTH));
    }
}
