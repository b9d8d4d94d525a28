//! Tables from JSON Schemas: every keyword, unusual schemas, and the alternatives that repair selects.

use serde_json::{Value, json};

use super::tests::value;
use super::*;
use crate::data::table::SchemaError;

#[test]
fn every_keyword_is_enforced() {
    for (schema, good, bad) in [
        (
            json!({"type": "integer", "minimum": 9_007_199_254_740_993_i64}),
            json!(9_007_199_254_740_993_i64),
            json!(9_007_199_254_740_992_i64),
        ),
        (json!({"maximum": 1.5}), json!(1.5), json!(2)),
        (
            json!({"maximum": 9_007_199_254_740_992.0}),
            json!(9_007_199_254_740_992_i64),
            json!(9_007_199_254_740_993_i64),
        ),
        (json!({"exclusiveMinimum": 1}), json!(1.1), json!(1.0)),
        (json!({"exclusiveMaximum": 1}), json!(0), json!(1)),
        (json!({"multipleOf": 3}), json!(9.0), json!(10)),
        (json!({"multipleOf": 7}), json!(7.0 * 2_f64.powi(70)), json!(1e300)),
        (json!({"multipleOf": 7}), json!(7.0), json!(7.5)),
        (json!({"multipleOf": 0.1}), json!(0.3), json!(0.35)),
        (json!({"minLength": 2}), json!("éé"), json!("é")),
        (json!({"maxLength": 2}), json!("éé"), json!("eee")),
        (json!({"minItems": 1}), json!([1]), json!([])),
        (json!({"maxItems": 1}), json!([1]), json!([1, 2])),
        (
            json!({"uniqueItems": true}),
            json!([1, "1", [1], {"a": 1}]),
            json!([{"a": 1, "b": [1]}, {"b": [1.0], "a": 1}]),
        ),
        (json!({"minProperties": 1}), json!({"a": 1}), json!({})),
        (json!({"maxProperties": 1}), json!({"a": 1}), json!({"a": 1, "b": 2})),
        (json!({"enum": [1, "a", [1, {"b": null}], null]}), json!([1.0, {"b": null}]), json!([1])),
        (json!({"const": 2}), json!(2.0), json!(3)),
        (json!({"type": ["string", "null"]}), json!(null), json!([])),
        (json!({"type": "integer", "nullable": true}), json!(null), json!([])),
        (json!({"properties": {"a": true}, "additionalProperties": false}), json!({"a": 1}), json!({"b": 1})),
        (
            json!({"properties": {"a": true}, "additionalProperties": {"type": "array", "maxItems": 0}}),
            json!({"a": 1, "b": []}),
            json!({"b": 1}),
        ),
        (json!({"required": ["a"]}), json!({"a": null}), json!({})),
        (json!({"properties": {"a": false}}), json!({}), json!({"a": 1})),
        (json!({"items": {"type": "object"}}), json!([{}]), json!([1])),
        (json!({"anyOf": [{"minimum": 5}, {"maximum": 1}]}), json!(6), json!(3)),
        (json!({"oneOf": [{"minimum": 5}, {"maximum": 6}]}), json!(7), json!(5)),
        (json!({"allOf": [{"minimum": 5}, {"maximum": 6}]}), json!(5), json!(7)),
        (json!({"anyOf": [{"minimum": 1}], "oneOf": [{"maximum": 3}], "$ref": "#/$defs/even"}), json!(2), json!(3)),
        (json!({"$ref": "#/$defs/tree"}), json!({"kids": [{"kids": []}]}), json!({"kids": [{"kids": [1]}]})),
        (json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}), json!(["a"]), json!({})),
    ] {
        let tree =
            json!({"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/%24defs/tree"}}}});
        let root =
            json!({"properties": {"v": schema}, "required": ["v"], "$defs": {"even": {"multipleOf": 2}, "tree": tree}});
        let table = Table::from_schema(&root).unwrap();
        assert_eq!(validate(&json!({ "v": good }), &table), [], "{root}");
        let problems = validate(&json!({ "v": bad }), &table);
        assert!(!problems.is_empty() && problems.iter().all(|p| p.path.starts_with("/v")), "{root}: {problems:?}");
    }
}

#[test]
fn unusual_schemas_become_tables() {
    for schema in [
        json!(true),
        json!({}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"properties": {"x": {"$ref": "https://example.com/x"}, "y": {"$ref": "#/nowhere%"}, "z": {"$ref": 5}}}),
        json!({"properties": {"x": {"type": 5, "enum": [1]}, "y": {"type": ["integer", "list"]}, "z": null}}),
        json!({"properties": [], "required": 5, "items": [], "anyOf": {}, "enum": 3, "minimum": "x", "minLength": -1}),
    ] {
        let table = Table::from_schema(&schema).unwrap();
        let mut args = json!({"x": 1, "y": "2", "z": "3"});
        repair(&mut args, &table);
        assert_eq!(args, json!({"x": 1, "y": "2", "z": "3"}), "{schema}");
        assert_eq!(validate(&args, &table), [], "{schema}");
    }
    let wide: serde_json::Map<_, _> = (0..70_000).map(|i| (i.to_string(), json!({}))).collect();
    assert_eq!(Table::from_schema(&json!({ "properties": wide })).unwrap_err(), SchemaError::TooLarge);
    assert_eq!(Table::from_schema(&json!([])).unwrap_err(), SchemaError::NotASchema);
    // Built and dropped iteratively, because serde_json serializes and drops values recursively.
    let wrap = |key: &str, value| Value::Object([(key.to_owned(), value)].into_iter().collect());
    let mut deep = (0..5_000).fold(json!({}), |inner, _| wrap("properties", wrap("p", inner)));
    assert!(Table::from_schema(&deep).is_ok());
    while let Some(inner) = deep.pointer_mut("/properties/p").map(Value::take) {
        deep = inner;
    }
}

#[test]
fn repair_selects_alternatives_as_documented() {
    let alternatives = |any_of: Value| json!({"properties": {"v": {"anyOf": any_of}}});
    let repaired = |schema: &Value, value: Value| {
        let mut args = json!({ "v": value });
        repair(&mut args, &Table::from_schema(schema).unwrap());
        args["v"].take()
    };
    let schema = alternatives(json!([{"type": "integer"}, {"type": "string"}]));
    assert_eq!(repaired(&schema, json!("007")), json!("007"));
    let schema = alternatives(json!([{"type": "string", "enum": ["auto"]}, {"type": "integer"}]));
    assert_eq!(repaired(&schema, json!("5")), json!(5));
    assert_eq!(repaired(&schema, json!("off")), json!("off"));
    let schema = alternatives(json!([{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]));
    assert_eq!(repaired(&schema, json!("5")), json!(5));
    let n = |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, "n": {"type": "integer"}}, "required": ["kind"]});
    let schema = alternatives(json!([n("a"), n("b")]));
    assert_eq!(repaired(&schema, json!("{'kind': 'b', 'n': '5'}")), json!({"kind": "b", "n": 5}));
    let schema = alternatives(json!([{"type": "integer"}, {}]));
    assert_eq!(repaired(&schema, json!("5")), json!("5"));
    let schema =
        json!({"properties": {"v": {"$ref": "#/$defs/i", "nullable": true}}, "$defs": {"i": {"type": "integer"}}});
    assert_eq!(repaired(&schema, json!("5")), json!(5));
    assert_eq!(repaired(&schema, json!("NULL")), json!(null));
    // A value of an allowed type is not repaired, even if another allowed type could contain it.
    let schema = alternatives(json!([{"type": ["array", "object"], "required": ["a"]}, {"type": "null"}]));
    assert_eq!(repaired(&schema, json!({"b": 1})), json!({"b": 1}));
    assert_eq!(repaired(&schema, json!(1)), json!([1]));
    let schema = json!({"properties": {"v": {"enum": ["2.5", 5.0]}}});
    assert_eq!(repaired(&schema, json!(2.5)), json!(2.5));
    // Sibling keywords apply to the value that an alternative parses from a string.
    let schema = json!({"properties": {"v": {
        "oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}],
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    }}});
    assert_eq!(repaired(&schema, json!(r#"{"a": "5"}"#)), json!({"a": 5}));
    // The string `null`, if another keyword forbids null.
    let schema = json!({"properties": {"v": {"type": ["string", "null"], "anyOf": [{"type": ["string", "boolean"]}]}}});
    assert_eq!(repaired(&schema, json!("null")), json!("null"));
}

#[test]
fn a_wrong_tag_of_an_alternative_is_reported() {
    let object = |kind: Value, more: &str| json!({"type": "object", "properties": {"kind": kind, more: {"type": "string"}}, "required": ["kind", more]});
    let all = [object(json!({"const": "a"}), "x"), object(json!({"enum": ["b", "c"]}), "y"), json!({"type": "null"})];
    let table = Table::from_schema(&json!({"properties": {"v": {"oneOf": all}}})).unwrap();
    for (sent, path, got) in [
        (json!({"kind": "d", "x": "x"}), "/v/kind", r#""d""#),
        (json!({"kind": 5}), "/v/kind", "5"),
        (json!({"x": "x"}), "/v/kind", "nothing"),
        (json!({"kind": "b"}), "/v/y", "nothing"),
        (json!([]), "/v", "array"),
    ] {
        let problems = validate(&json!({ "v": sent }), &table);
        assert_eq!((&*problems[0].path, &*problems[0].got), (path, got), "{problems:?}");
        if path == "/v/kind" {
            assert!(problems[0].expected.starts_with(r#"one of "a", "b", "c""#), "{problems:?}");
        }
    }
}

#[test]
fn a_recursive_schema_only_requires_an_object_where_it_says_so() {
    for (schema, sent) in [
        (json!({"properties": {"x": {"$ref": "#"}}}), json!({"x": 5})),
        (
            json!({"$ref": "#/$defs/n", "$defs": {"n": {
                "type": ["object", "null"],
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
            }}}),
            json!({"kids": [null, {"kids": [null]}]}),
        ),
    ] {
        let table = Table::from_schema(&schema).unwrap();
        assert_eq!(validate(&sent, &table), [], "{schema}");
        assert!(!validate(&json!(5), &table).is_empty(), "arguments are an object");
    }
    let table = Table::from_schema(&json!({"type": "object", "properties": {"x": {"$ref": "#"}}})).unwrap();
    assert_eq!(validate(&json!({"x": 5}), &table)[0].path, "/x");
}

#[test]
fn errors_only_mention_what_is_wrong() {
    for (schema, got, expected) in [
        (
            json!({"maxLength": 0, "anyOf": [{"minimum": 3}, {"minimum": 4}]}),
            json!(2),
            "number at least 3 or number at least 4",
        ),
        (json!({"type": "number", "minimum": 1e300, "maximum": 1e301}), json!(2), "number between 1e300 and 1e301"),
        (
            json!({"exclusiveMinimum": 2.5e-9, "maximum": 1e9}),
            json!(0),
            "number at most 1000000000 and greater than 2.5e-9",
        ),
    ] {
        let table = Table::from_schema(&json!({"properties": {"v": schema}})).unwrap();
        assert_eq!(validate(&json!({ "v": got }), &table)[0].expected, expected);
    }
}

#[test]
fn a_value_is_repaired_toward_the_merge_of_its_schemas() {
    let integer = || json!({"type": "integer"});
    let object = |key: &str| json!({"type": "object", "properties": {key: integer()}});
    let definitions = json!({"A": object("n"), "M": {"type": "string", "enum": ["fast", "slow"]}, "S": {"allOf": [{"$ref": "#/$defs/S"}]}});
    for (schema, sent, expected) in [
        // The references of older pydantic.
        (json!({"allOf": [{"$ref": "#/$defs/A"}], "default": {}}), json!({"n": "5"}), json!({"n": 5})),
        (json!({"allOf": [{"$ref": "#/$defs/A"}]}), json!(r#"{"n": "5"}"#), json!({"n": 5})),
        (json!({"allOf": [{"$ref": "#/$defs/M"}], "default": "fast"}), json!("Fast"), json!("fast")),
        (
            json!({"anyOf": [{"allOf": [{"$ref": "#/$defs/A"}]}, {"type": "null"}]}),
            json!(r#"{"n":5}"#),
            json!({"n": 5}),
        ),
        (json!({"anyOf": [{"allOf": [{"$ref": "#/$defs/A"}]}, {"type": "null"}]}), json!("null"), json!(null)),
        (json!({"type": "array", "items": {"allOf": [integer()]}}), json!(["1", 2]), json!([1, 2])),
        // Intersections of objects.
        (json!({"allOf": [object("a"), object("b")]}), json!({"a": "1", "b": "2"}), json!({"a": 1, "b": 2})),
        (json!({"allOf": [object("a"), object("b")]}), json!(r#"{"a": "1", "b": 2}"#), json!({"a": 1, "b": 2})),
        (
            json!({"properties": {"c": integer()}, "allOf": [object("a")]}),
            json!(r#"{"a":"1","c":"3"}"#),
            json!({"a": 1, "c": 3}),
        ),
        (
            json!({"allOf": [{"properties": {"a": integer()}}, {"type": "object"}]}),
            json!(r#"{"a":"1"}"#),
            json!({"a": 1}),
        ),
        (
            json!({"allOf": [{"allOf": [object("a")]}, {"allOf": [object("b")]}]}),
            json!({"a": "1", "b": "2"}),
            json!({"a": 1, "b": 2}),
        ),
        // Types in common, and none.
        (json!({"allOf": [{"type": ["integer", "string"]}, integer()]}), json!("5"), json!(5)),
        (json!({"allOf": [integer(), {"minimum": 1}]}), json!("5"), json!(5)),
        (json!({"allOf": [{"type": ["integer", "null"]}, {"type": ["string", "null"]}]}), json!("null"), json!(null)),
    ] {
        let root = json!({"type": "object", "properties": {"p": schema.clone()}, "$defs": definitions});
        assert_eq!(value(&json!({"p": sent}).to_string(), &root).unwrap(), json!({"p": expected}), "{schema} {sent}");
        // At the root, an object is repaired in the same way.
        if sent.is_object() {
            let mut root = schema.clone();
            root["$defs"] = definitions.clone();
            assert_eq!(value(&sent.to_string(), &root).unwrap(), expected, "{schema} {sent}");
        }
    }
    for (schema, sent) in [
        (json!({"allOf": [integer(), {"type": "string"}]}), json!("5")),
        (json!({"allOf": [{"type": "array"}, {"type": "string"}]}), json!("5")),
        (json!({"allOf": [integer(), {"minimum": 9}]}), json!("5")),
        (json!({"$ref": "#/$defs/S", "allOf": [integer()]}), json!("x")),
    ] {
        let root = json!({"type": "object", "properties": {"p": schema.clone()}, "$defs": definitions});
        assert!(value(&json!({"p": sent}).to_string(), &root).is_err(), "{schema} {sent}");
    }
}
