use serde_json::{Value, json};

use super::declaration;

/// Returns the declaration of a tool `f` with these parameters.
fn of(parameters: &Value) -> String {
    declaration(&json!({"name": "f", "description": "Does.", "parameters": parameters}).to_string()).unwrap()
}

/// Returns the type of a parameter `x` with this schema.
fn ty(schema: &Value) -> String {
    let text =
        of(&json!({"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": false}));
    let (_, rest) = text.split_once("function f(args: ").unwrap();
    rest.split_once("): Promise<unknown>;").unwrap().0.to_owned()
}

#[test]
fn a_declaration_has_comments_and_types() {
    let definition = json!({
        "name": "read-file",
        "description": "Reads a file.\nMind the end: */ is not one.",
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
   * Mind the end: *\/ is not one.
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
        (json!({"type": "string", "nullable": true}), "{ x: string | null; }"),
        (json!({"type": "string", "enum": ["a"], "nullable": true}), "{ x: \"a\" | null; }"),
        (json!({"allOf": [{"type": "string", "nullable": true}, {"type": "string"}]}), "{ x: string; }"),
        (json!({"type": "string", "enum": ["a"], "nullable": true, "description": "D."}), "/** D. */"),
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
        let text = ty(&schema);
        assert!(text == expected || text.contains(expected), "{schema}\n{text}\n{expected}");
    }
}

#[test]
fn recursive_and_invalid_references_terminate() {
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

/// Returns what is left of a declaration without comments and string literals. Panics if one of them does not end.
fn code(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").expect("the comment ends").1;
        } else if let Some(mut string) = rest.strip_prefix('"') {
            while !string.starts_with('"') {
                assert!(!string.starts_with('\n'), "a line ends in a string: {text}");
                string =
                    &string[if string.starts_with('\\') { 2 } else { string.chars().next().unwrap().len_utf8() }..];
            }
            rest = &string[1..];
            out.push('s');
        } else {
            out.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    out
}

/// Texts from pieces that end comments and literals, in every place of a definition that holds a text.
#[test]
fn no_text_becomes_code() {
    const PIECES: &[&str] = &[
        "*/",
        "/*",
        "//",
        "*",
        "/",
        "\\",
        "\"",
        "'",
        "`",
        "\n",
        "\r",
        "\u{2028}",
        "\u{85}",
        "\0",
        "\u{202e}",
        "@ts-ignore",
        "EVIL",
        " ",
        "é",
        "}",
        "): EVIL; //",
    ];
    let mut state = 7_u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % end
    };
    let mut longest = 0;
    for _ in 0..3_000 {
        let mut text = || -> String { (0..below(7)).map(|_| PIECES[below(PIECES.len())]).collect() };
        let definition = json!({"name": text(), "description": text(), "parameters": {
            "description": text(), "type": "object", "required": [text()],
            "properties": {text(): {"description": text(), "enum": [text(), {text(): text()}], "default": text(), "examples": [text()]}},
            "additionalProperties": {"anyOf": [{"type": "string", "pattern": text(), "format": text()}, {"$ref": format!("#/$defs/{}", text())}]},
            "not": {"const": text()},
            "$defs": {text(): {"type": "array", "prefixItems": [{"const": text()}], "description": text()}},
        }, "returns": {"type": "string", "description": text()}});
        let Some(declaration) = declaration(&definition.to_string()) else { continue };
        let code = code(&declaration);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_$ \n{}()[]<>:;,|&?.=".contains(letter);
        let names = ["function EVIL", "type EVIL", "$EVIL", "_EVIL", "EVIL_", "EVILEVIL"];
        let rest = names.iter().fold(code.clone(), |code, name| code.replace(name, ""));
        assert!(code.chars().all(is_plain), "{declaration}\n{code}");
        assert!(!rest.contains(" EVIL;") && !rest.contains(": EVIL"), "{declaration}\n{code}");
        assert_eq!(code.matches('{').count(), code.matches('}').count(), "{declaration}");
        assert_eq!(code.matches("declare ").count(), 1, "{declaration}");
        longest = longest.max(declaration.len());
    }
    assert!(longest > 300);
}

#[test]
fn the_declaration_of_any_schema_is_bounded() {
    let deep = (0..60).fold(json!({"type": "string"}), |schema, _| json!({"type": "array", "items": schema}));
    let wide: serde_json::Map<String, Value> = (0..20_000)
        .map(|number| (format!("p{number}"), json!({"$ref": format!("#/$defs/d{}", number % 97)})))
        .collect();
    let doubling: serde_json::Map<String, Value> = (0..60)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            (format!("d{number}"), json!({"allOf": [next, next], "anyOf": [next, next]}))
        })
        .collect();
    let nested = (0..60).fold(json!({"type": "string"}), |schema, level| {
        json!({"type": "object", "properties": {format!("p{level}"): schema}, "additionalProperties": {"type": "number"}})
    });
    let inherited = (0..60).fold(json!({"type": "string"}), |schema, _| {
        json!({"type": "object", "properties": {"constructor": schema}, "additionalProperties": {"enum": [1, 2]}})
    });
    let names: Vec<String> = (0..5_000).map(|number| format!("p{number}")).collect();
    let values: Vec<usize> = (0..1_000).collect();
    for schema in [
        json!({"type": "object", "properties": {"x": deep}}),
        nested,
        inherited,
        json!({"type": "object", "required": names, "additionalProperties": {"enum": values}}),
        json!({"type": "object", "properties": wide, "$defs": doubling}),
        json!({"$ref": "#"}),
        json!({"allOf": "x", "anyOf": {}, "properties": [], "required": {}, "items": 1, "enum": {}, "type": {}, "$ref": 1}),
        json!(null),
        json!([1]),
    ] {
        let length = of(&schema).len();
        assert!(length < 20_000 + 16 * schema.to_string().len(), "{length}");
    }
    assert_eq!(declaration("{"), None);
    assert_eq!(declaration("[]"), None);
}

#[test]
fn a_definition_that_refers_to_its_document_is_not_shared_between_arguments_and_result() {
    let defs = json!({"n": {"type": "object", "properties": {"whole": {"$ref": "#"}}, "additionalProperties": false}});
    let root = |name: &str| json!({"type": "object", "properties": {name: {"$ref": "#/$defs/n"}}, "additionalProperties": false, "$defs": defs});
    let definition = json!({"name": "f", "description": "Does.", "parameters": root("a"), "returns": root("r")});
    let text = declaration(&definition.to_string()).unwrap();
    for line in
        ["f(args: { a?: f$n; }): Promise<{ r?: f$n_2; }>", "f$n_2 = { whole?: f$Result; }", "f$Result = { r?: f$n_2; }"]
    {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
