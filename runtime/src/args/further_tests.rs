//! The keywords of schemas that manifests do not have: what a server gets, and the errors for a model.

use serde_json::{Value, json};

use super::tests::value;
use super::*;

/// Returns the arguments that a handler gets for the parameter `v`, or the problems.
fn read(schema: &Value, sent: &Value) -> Result<Value, Vec<Problem>> {
    let root = json!({"type": "object", "properties": {"v": schema}, "$defs": {
        "loop": {"properties": {"next": {"$ref": "#/$defs/loop"}, "n": {"type": "integer"}}},
    }});
    value(&json!({ "v": sent }).to_string(), &root)
        .map(|mut arguments| arguments["v"].take())
        .map_err(|error| error.problems().to_vec())
}

#[test]
fn numbers_below_every_keyword_are_spelled_as_integers() {
    let n = || json!({"type": "integer"});
    let object = || json!({"properties": {"n": n()}});
    for (schema, sent, expected) in [
        (json!({"prefixItems": [n()]}), json!([5.0]), "[5]"),
        (json!({"prefixItems": [n()], "items": {"type": "number"}}), json!([1.0, 2.0]), "[1,2.0]"),
        (json!({"prefixItems": [{}], "items": n()}), json!([1.0, 2.0]), "[1.0,2]"),
        (json!({"prefixItems": [{}], "items": object()}), json!([1.0, {"n": 2.0}]), r#"[1.0,{"n":2}]"#),
        (json!({"items": [n(), {"type": "number"}], "additionalItems": n()}), json!([1.0, 2.0, 3.0]), "[1,2.0,3]"),
        (json!({"type": "array", "prefixItems": [n()], "unevaluatedItems": n()}), json!([1.0, 2.0]), "[1,2]"),
        (json!({"contains": n()}), json!([1.5, 2.0]), "[1.5,2]"),
        (json!({"contains": object()}), json!([{"n": 1.0}]), r#"[{"n":1}]"#),
        (json!({"patternProperties": {"^x-": n()}}), json!({"x-a": 1.0, "y": 2.0}), r#"{"x-a":1,"y":2.0}"#),
        // The engine cannot hold this pattern.
        (json!({"patternProperties": {"^(?!y)": n()}}), json!({"x": 1e3}), r#"{"x":1000}"#),
        (
            json!({"patternProperties": {"^x": {}}, "additionalProperties": n()}),
            json!({"x": 1.0, "y": 2.0}),
            r#"{"x":1.0,"y":2}"#,
        ),
        (
            json!({"properties": {"a": {}}, "unevaluatedProperties": n()}),
            json!({"a": 1.0, "b": 2.0}),
            r#"{"a":1.0,"b":2}"#,
        ),
        (
            json!({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": n()}),
            json!({"a": 1.0, "b": 2.0}),
            r#"{"a":1.0,"b":2}"#,
        ),
        (json!({"if": {"required": ["n"]}, "then": object()}), json!({"n": 1.0}), r#"{"n":1}"#),
        (json!({"if": {"required": ["m"]}, "else": object()}), json!({"n": 1.0}), r#"{"n":1}"#),
        (json!({"if": {"required": ["m"]}, "then": object()}), json!({"n": 1.0}), r#"{"n":1.0}"#),
        // Whether this `if` holds is for the server to judge.
        (json!({"if": {"$dynamicRef": "#x"}, "then": object()}), json!({"n": 1.0}), r#"{"n":1}"#),
        (json!({"dependentSchemas": {"n": object()}}), json!({"n": 1.0}), r#"{"n":1}"#),
        (json!({"dependencies": {"m": object()}}), json!({"m": "", "n": 1.0}), r#"{"m":"","n":1}"#),
        (json!({"dependentSchemas": {"m": object()}}), json!({"n": 1.0}), r#"{"n":1.0}"#),
        (json!({"not": {"type": "integer"}}), json!(1.5), "1.5"),
        (
            json!({"$ref": "#/$defs/loop", "patternProperties": {"^m": n()}}),
            json!({"m": 1.0, "n": 2.0}),
            r#"{"m":1,"n":2}"#,
        ),
        // Alternatives without a type.
        (json!({"anyOf": [object(), {"required": ["m"]}]}), json!({"n": 1.0}), r#"{"n":1}"#),
        (json!({"oneOf": [{"required": ["m"]}, {"anyOf": [object(), {}]}]}), json!({"n": 1.0}), r#"{"n":1}"#),
        (
            json!({"anyOf": [{"$ref": "#/$defs/loop"}, {}]}),
            json!({"n": 1.5, "next": {"n": 1.0}}),
            r#"{"n":1.5,"next":{"n":1}}"#,
        ),
        (json!({"then": object()}), json!({"n": 1.0}), r#"{"n":1.0}"#),
    ] {
        assert_eq!(read(&schema, &sent).map(|value| value.to_string()), Ok(expected.to_owned()), "{schema} {sent}");
    }
}

#[test]
fn values_below_a_keyword_that_is_checked_are_repaired() {
    let n = || json!({"type": "integer"});
    for (schema, sent, expected) in [
        (json!({"type": "array", "prefixItems": [n(), {"type": "boolean"}]}), json!(["5", "true"]), json!([5, true])),
        (json!({"type": "array", "prefixItems": [n()]}), json!("['5']"), json!([5])),
        (
            json!({"type": "object", "patternProperties": {"^x": n()}}),
            json!(r#"{"x": "5", "y": "6"}"#),
            json!({"x": 5, "y": "6"}),
        ),
        (
            json!({"properties": {"kind": {"type": "string"}}, "if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {"n": n()}}}),
            json!({"kind": "a", "n": "5"}),
            json!({"kind": "a", "n": 5}),
        ),
        (
            json!({"dependentSchemas": {"a": {"properties": {"n": n()}}}}),
            json!({"a": 1, "n": "5"}),
            json!({"a": 1, "n": 5}),
        ),
        // Null for an optional parameter is its absence.
        (json!({"prefixItems": [{"type": "object", "properties": {"n": n()}}]}), json!([{"n": null}]), json!([{}])),
        (json!({"patternProperties": {"^x": {"properties": {"n": n()}}}}), json!({"x": {"n": null}}), json!({"x": {}})),
        // An `if` that only the server can judge repairs nothing.
        (json!({"if": {"x-when": 1}, "then": {"properties": {"n": n()}}}), json!({"n": "5"}), json!({"n": "5"})),
    ] {
        assert_eq!(read(&schema, &sent), Ok(expected), "{schema} {sent}");
    }
}

#[test]
fn a_wrong_value_below_a_keyword_is_reported_with_its_place() {
    let n = || json!({"type": "integer"});
    for (schema, sent, path, expected, got) in [
        (json!({"type": "array", "prefixItems": [n(), n()]}), json!([1, "x"]), "/v/1", "integer", r#""x""#),
        (
            json!({"type": "array", "prefixItems": [n()], "items": false}),
            json!([1, 2]),
            "/v",
            "array with at most 1 item",
            "2 items",
        ),
        (
            json!({"type": "array", "prefixItems": [n()], "items": {"type": "string"}}),
            json!([1, {}]),
            "/v/1",
            "string",
            "object",
        ),
        (json!({"patternProperties": {"^x": n()}}), json!({"xa": "b"}), "/v/xa", "integer", r#""b""#),
        (
            json!({"properties": {"a": {}}, "patternProperties": {"^x-": {}}, "additionalProperties": false}),
            json!({"y": 1}),
            "/v/y",
            r#"no argument of this name (the known ones are "a", what matches ^x-)"#,
            "1",
        ),
        (
            json!({"patternProperties": {"^x": {}}, "additionalProperties": n()}),
            json!({"y": "z"}),
            "/v/y",
            "integer",
            r#""z""#,
        ),
        (
            json!({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}),
            json!({"a": 1, "b": 1}),
            "/v/b",
            r#"no argument of this name (the known ones are "a")"#,
            "1",
        ),
        (
            json!({"propertyNames": {"enum": ["a", "b"]}}),
            json!({"c": 1}),
            "/v/c",
            r#"a key that is one of "a", "b""#,
            r#""c""#,
        ),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "/v/b",
            r#"a value (required together with "a")"#,
            "nothing",
        ),
        (
            json!({"dependentSchemas": {"a": {"required": ["b"]}}}),
            json!({"a": 1}),
            "/v/b",
            "another value (required)",
            "nothing",
        ),
        (
            json!({"if": {"properties": {"kind": {"const": "url"}}}, "then": {"required": ["url"], "properties": {"url": {"type": "string"}}}}),
            json!({"kind": "url"}),
            "/v/url",
            "string (required)",
            "nothing",
        ),
        (json!({"if": {"type": "integer"}, "else": {"type": "string"}}), json!([]), "/v", "string", "array"),
        (
            json!({"not": {"required": ["a", "b"]}}),
            json!({"a": 1, "b": 2}),
            "/v",
            r#"a value for which this schema is not valid: {"required":["a","b"]}"#,
            "object",
        ),
        (
            json!({"contains": {"const": 1}}),
            json!([2]),
            "/v",
            r#"an array in which this schema is valid for at least 1 of the items: {"const":1}"#,
            "0 such items",
        ),
        (
            json!({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}),
            json!([1, 1]),
            "/v",
            r#"an array in which this schema is valid for 0 to 1 of the items: {"const":1}"#,
            "2 such items",
        ),
    ] {
        let problem = Problem { path: path.to_owned(), expected: expected.to_owned(), got: got.to_owned() };
        assert_eq!(read(&schema, &sent), Err(vec![problem]), "{schema} {sent}");
    }
}

#[test]
fn what_only_the_server_can_judge_is_passed_through() {
    let sent = json!({"a": 1, "b": [2], "c": "x"});
    for schema in [
        // A part of these schemas is not enforced, so that their prohibition is not enforced either.
        json!({"not": {"required": ["a"], "x-rule": 1}}),
        json!({"not": {"properties": {"a": {"type": "count"}}}}),
        json!({"not": {"$ref": "https://example.com/s"}}),
        json!({"not": {"properties": {"c": {"pattern": "^(?=x)"}}}}),
        json!({"not": {"properties": {"c": {"format": "color"}}}}),
        json!({"not": {"$ref": "#/$defs/loop"}}),
        json!({"if": {"x-rule": 1}, "then": false, "else": false}),
        json!({"properties": {"b": {"contains": {"x-rule": 1}, "maxContains": 0}}}),
        json!({"oneOf": [{"x-rule": 1}, {"required": ["a"]}]}),
        json!({"oneOf": [{"not": {"x-rule": 1}}, {"required": ["a"]}]}),
        json!({"patternProperties": {"^(?!a)": {"type": "null"}}, "additionalProperties": false}),
        json!({"anyOf": [{"additionalProperties": {}}], "unevaluatedProperties": false}),
        json!({"$ref": "https://example.com/s", "unevaluatedProperties": false}),
        // Keywords of the wrong form.
        json!({"prefixItems": 5, "patternProperties": [], "dependentRequired": {"a": 5}, "dependentSchemas": [], "if": 5}),
        json!({"not": 5, "contains": "x", "propertyNames": null, "unevaluatedProperties": "no"}),
    ] {
        assert_eq!(read(&schema, &sent), Ok(sent.clone()), "{schema}");
    }
}

#[test]
fn a_schema_that_applies_itself_ends() {
    for root in [
        json!({"if": {"required": ["a"]}, "then": {"$ref": "#"}}),
        json!({"dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"}}),
        json!({"not": {"$ref": "#"}}),
        json!({"propertyNames": {"$ref": "#"}}),
        json!({"unevaluatedProperties": {"$ref": "#"}, "allOf": [{"$ref": "#"}]}),
        json!({"contains": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}]}),
        json!({"patternProperties": {"": {"$ref": "#"}}}),
    ] {
        let table = Table::from_schema(&root).unwrap();
        let mut arguments = json!({"a": {"a": [{"a": 1}]}});
        repair(&mut arguments, &table);
        assert_eq!(arguments, json!({"a": {"a": [{"a": 1}]}}), "{root}");
        let _ = validate(&arguments, &table);
    }
}
