use serde_json::{Value, json};

use super::declaration;

/// Returns the declaration of a tool `f` with these parameters.
fn of(parameters: &Value) -> String {
    declaration(&json!({"name": "f", "description": "Does.", "parameters": parameters}).to_string()).unwrap()
}

/// Returns the type of a parameter `x` with this schema.
fn ty(schema: Value) -> String {
    let text = of(&json!({"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": false}));
    let (_, rest) = text.split_once("function f(args: ").unwrap();
    rest.split_once("): Promise<unknown>;").unwrap().0.to_owned()
}

#[test]
fn a_declaration_has_comments_and_types() {
    let definition = json!({
        "name": "read-file",
        "description": "Reads a file.\nMind the end: */ is none.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where.", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "default": 10},
                "mode": {"enum": ["a", "b\"", 3, null]},
                "tree": {"$ref": "#/$defs/node"},
            },
            "required": ["path"],
            "additionalProperties": false,
            "$defs": {"node": {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}},
        },
        "returns": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false},
    });
    let expected = r#"declare namespace tools {
  /**
   * Reads a file.
   * Mind the end: *\/ is none.
   */
  function read_file(args: {
    /** Where. At least 1 character. */
    path: string;
    /** An integer. At least 1. Default: 10. */
    limit?: number;
    mode?: "a" | "b\"" | 3 | null;
    tree?: read_file$node;
  }): Promise<{ text: string; }>;
  type read_file$node = { below?: read_file$node[]; [key: string]: unknown; };
}
"#;
    let sorted: Value = serde_json::from_str(&definition.to_string()).unwrap();
    let text = declaration(&sorted.to_string()).unwrap();
    if serde_json::to_string(&json!({"b": 1, "a": 1})).unwrap().starts_with(r#"{"b""#) {
        assert_eq!(text, expected);
    } else {
        assert_eq!(text.len(), expected.len(), "{text}");
    }
}

#[test]
fn schemas_become_types() {
    for (schema, expected) in [
        (json!({}), "{ x: unknown; }"),
        (json!(false), "{ x: never; }"),
        (json!({"type": ["string", "null"]}), "{ x: string | null; }"),
        (json!({"type": "object"}), "{ x: { [key: string]: unknown; }; }"),
        (json!({"type": "object", "additionalProperties": false}), "{ x: { [key: string]: never; }; }"),
        (json!({"type": "object", "additionalProperties": {"type": "number"}}), "{ x: { [key: string]: number; }; }"),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}),
            "{ x: { a?: string; [key: string]: number | string | undefined; }; }",
        ),
        (json!({"type": "array", "items": {"type": ["number", "boolean"]}}), "{ x: (number | boolean)[]; }"),
        (json!({"type": "array"}), "{ x: unknown[]; }"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false, "minItems": 1}),
            "/** At least 1 item. */",
        ),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "{ x: string | null; }"),
        (json!({"type": "string", "anyOf": [{"const": "a"}, {"type": "null"}]}), "{ x: \"a\"; }"),
        (json!({"const": {"a": [1, "b"]}}), "{ x: { a: [1, \"b\"]; }; }"),
        (json!({"type": "integer", "enum": [1, 1.5, "x"]}), "{ x: 1; }"),
        (json!({"type": "string", "enum": []}), "{ x: never; }"),
        (json!({"$ref": "https://example.com/x.json"}), "{ x: unknown; }"),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            "{ x: { a?: string; b: unknown; [key: string]: unknown; }; }",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "additionalProperties": false, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            "{ x: { a?: string; b?: string; } & ({ a: unknown; } | { b: unknown; }); }",
        ),
        (
            json!({"allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}},
                {"type": "object", "properties": {"b": {"type": "string"}}},
            ]}),
            "{",
        ),
    ] {
        let text = ty(schema.clone());
        assert!(text == expected || text.contains(expected), "{schema}\n{text}\n{expected}");
    }
}

#[test]
fn recursion_and_hostile_references_have_an_end() {
    let schema = json!({"type": "object", "properties": {
        "a": {"$ref": "#/$defs/loop"}, "b": {"$ref": "#"}, "c": {"$ref": "#/$defs/a~1b%20c"}, "d": {"$ref": "#/nowhere"},
    }, "$defs": {
        "loop": {"anyOf": [{"$ref": "#/$defs/pool"}, {"type": "string"}]},
        "pool": {"allOf": [{"$ref": "#/$defs/loop"}]},
        "a/b c": {"type": "array", "items": {"$ref": "#/$defs/a~1b c"}},
    }});
    let text = of(&schema);
    for line in ["a?: unknown;", "b?: f$Args;", "c?: f$a_b_c", "d?: unknown", "type f$a_b_c = f$a_b_c[];"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
