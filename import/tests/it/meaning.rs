//! An imported tool means the same: its source and its manifest accept the same values, except what the report says.

use serde_json::{Value, json};
use toolc::args;
use toolc::schema::Table;
use toolc_test_support::instances::{Random, mutated, value};

use crate::project::Folder;

/// The verdicts about generated values.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) values: usize,
    pub(crate) accepted: usize,
    /// Values that the source accepts, and the compiled schema refuses.
    pub(crate) refused: Vec<String>,
    /// Values that the source refuses, and the compiled schema accepts.
    pub(crate) admitted: Vec<String>,
    /// Values that the source accepts, and the reader of arguments refuses.
    pub(crate) unread: Vec<String>,
}

/// Compares a source with what it became, on values that both describe.
pub(crate) fn compare(source: &Value, compiled: &Value, count: usize, seed: u64, is_read: bool) -> Verdicts {
    let mut source = source.clone();
    if let Some(map) = source.as_object_mut() {
        map.shift_remove("$schema");
    }
    let validator = |schema: &Value| jsonschema::draft202012::new(schema);
    let mut found = Verdicts::default();
    let after = validator(compiled).unwrap_or_else(|why| panic!("{compiled}: {why}"));
    // Some servers list what is not a schema.
    let Ok(before) = validator(&source) else { return found };
    let table = Table::from_schema(compiled).ok().filter(|_| is_read);
    let mut random = Random(seed | 1);
    for index in 0..count {
        let schema = if index % 4 == 0 { compiled } else { &source };
        let mut instance = value(schema, schema, &mut random, 0);
        for _ in 0..random.below(3) {
            instance = mutated(&instance, &mut random);
        }
        if is_read && !instance.is_object() {
            continue;
        }
        found.values += 1;
        let (was, is) = (before.is_valid(&instance), after.is_valid(&instance));
        found.accepted += usize::from(was);
        match (was, is) {
            (true, false) => found.refused.push(instance.to_string()),
            (false, true) => found.admitted.push(instance.to_string()),
            (true, true) => {
                let problems = table.as_ref().map(|table| args::validate(&instance, table)).unwrap_or_default();
                if let Some(problem) = problems.first() {
                    found.unread.push(format!("{instance}: {}: expected {}", problem.path, problem.expected));
                }
            }
            (false, false) => {}
        }
    }
    found
}

/// Imports a schema. Returns what it became, and the effects of the report.
fn imported(schema: &Value) -> (Value, Vec<String>) {
    let folder = Folder::new();
    let (report, _) = folder
        .import(&json!([{ "name": "t", "description": "A tool.", "inputSchema": schema }]), &["--json"])
        .expect("it is imported");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    let effects = report["changes"].as_array().into_iter().flatten().filter_map(|change| change["effect"].as_str());
    // The reader of arguments enforces some formats, which JSON Schema leaves open.
    let is_format = |effect: &str| effect == "narrower" && schema.to_string().contains("format");
    let effects = effects.filter(|effect| *effect != "same" && !is_format(effect)).map(str::to_owned).collect();
    assert!(folder.path("manifests/tools/t.toml").exists(), "{schema}: {report:#}");
    (folder.schema("t").0, effects)
}

/// Schemas with every keyword that manifests have.
fn exact() -> Vec<Value> {
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let param = |schema: Value| object(json!({ "p": schema }));
    vec![
        json!({ "type": "object" }),
        json!({ "type": "object", "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": {} }, "required": ["a", "b"] }),
        json!({ "type": "object", "properties": { "a": {} }, "required": ["a"], "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "integer" } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "definitions": { "x": { "type": "string" } }, "properties": { "a": { "$ref": "#/definitions/x" } } }),
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        json!({ "type": "object", "properties": { "a": {}, "b": {} }, "oneOf": [{ "required": ["a"] }, { "required": ["b"] }], "minProperties": 1, "maxProperties": 2 }),
        json!({ "type": "object", "properties": { "tree": { "$ref": "#" }, "n": { "type": "integer" } } }),
        json!({ "type": "object", "properties": { "l": { "$ref": "#/$defs/n%20o~1de" } }, "$defs": { "n o/de": { "type": "object", "properties": { "next": { "$ref": "#/$defs/n%20o~1de" } } } } }),
        json!({ "$ref": "#/$defs/args", "$defs": { "args": { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] } } }),
        object(
            json!({ "$odd": { "type": "string" }, "a.b": { "type": "integer" }, "with space": {}, "type": { "type": "null" }, "required": { "type": "boolean" } }),
        ),
        param(json!({ "type": "string", "minLength": 1, "maxLength": 4 })),
        param(json!({ "type": "string", "pattern": "^[a-z]+$" })),
        param(json!({ "type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 2 })),
        param(json!({ "type": "number", "exclusiveMinimum": 0.5, "maximum": 1e6 })),
        param(
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3, "uniqueItems": true }),
        ),
        param(json!({ "type": "array" })),
        param(
            json!({ "type": "array", "items": { "type": "array", "items": { "type": "array", "items": { "type": "integer" } } } }),
        ),
        param(json!({ "type": "array", "items": false })),
        param(json!({ "type": ["string", "null"], "default": null })),
        param(json!({ "type": "string", "default": null })),
        param(json!({ "type": "string", "nullable": true })),
        param(json!({ "enum": ["a", 1, null, true, { "k": [null] }, [1]] })),
        param(json!({ "type": "string", "enum": ["a", "a", "b", 3] })),
        param(json!({ "const": { "a": null } })),
        param(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null, "title": "T" })),
        param(json!({ "oneOf": [{ "type": "integer", "minimum": 3 }, { "type": "integer", "maximum": 5 }] })),
        param(
            json!({ "allOf": [{ "type": "object", "properties": { "a": { "type": "string" } } }, { "required": ["a"] }] }),
        ),
        param(json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })),
        param(json!({ "type": "object" })),
        param(json!({ "type": "object", "additionalProperties": false })),
        param(json!({ "additionalProperties": false })),
        param(
            json!({ "type": "object", "patternProperties": { ".*": { "type": "integer" } }, "additionalProperties": false }),
        ),
        param(
            json!({ "type": "object", "propertyNames": { "type": "string" }, "additionalProperties": { "type": "string" } }),
        ),
        param(json!({ "type": "object", "properties": { "k": { "type": "string" } }, "unevaluatedProperties": false })),
        param(json!({ "properties": { "k": { "type": "string" } } })),
        param(json!({})),
        param(json!(true)),
        param(json!({ "type": "string", "format": "uri" })),
        param(json!({ "type": "string", "format": "made-up", "default": "x" })),
        param(json!({ "type": "string", "format": "uri", "default": "" })),
        param(json!({ "type": "integer", "default": "7" })),
        param(json!({ "type": "string", "examples": ["a", 3], "description": "A {{template}} {% if %}." })),
        param(json!({ "type": "STRING" })),
    ]
}

#[test]
fn every_keyword_of_manifests_keeps_its_meaning() {
    for (index, schema) in exact().into_iter().enumerate() {
        let (compiled, effects) = imported(&schema);
        assert_eq!(effects, Vec::<String>::new(), "{schema}");
        let mut source = schema.clone();
        // What the source says in the words of older drafts or of OpenAPI.
        if let Some(p) = source.pointer_mut("/properties/p").and_then(Value::as_object_mut) {
            if p.get("type") == Some(&json!("STRING")) {
                p.insert("type".to_owned(), json!("string"));
            }
            if p.shift_remove("nullable").is_some() {
                p.insert("type".to_owned(), json!(["string", "null"]));
            }
        }
        let found = compare(&source, &compiled, 400, index as u64 + 77, true);
        assert!(found.values > 200 && found.accepted > 20, "{schema}: {found:?}");
        assert!(found.refused.is_empty() && found.admitted.is_empty(), "{schema} became {compiled}: {found:?}");
        assert!(found.unread.is_empty() || schema.to_string().contains("format"), "{schema}: {found:?}");
    }
}

#[test]
fn what_manifests_cannot_say_is_reported_and_refuses_nothing_valid() {
    let param = |schema: Value| json!({ "type": "object", "properties": { "p": schema } });
    for (index, schema) in [
        param(json!({ "type": "string", "not": { "const": "x" } })),
        param(json!({ "type": "object", "if": { "required": ["a"] }, "then": { "required": ["b"] } })),
        param(json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false })),
        param(json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "boolean" } })),
        param(json!({ "type": "array", "items": [{ "type": "string" }, { "type": "integer" }] })),
        param(json!({ "type": "array", "items": {}, "contains": { "const": 1 }, "minContains": 2 })),
        param(json!({ "type": "object", "patternProperties": { "^a": { "type": "integer" }, "^b": { "type": "string" } }, "additionalProperties": false })),
        param(json!({ "type": "object", "propertyNames": { "pattern": "^[a-z]$" } })),
        param(json!({ "type": "object", "properties": { "a": {} }, "dependentRequired": { "a": ["b"] } })),
        param(json!({ "oneOf": [{ "type": "string", "not": { "const": "a" } }, { "type": "string", "maxLength": 1 }] })),
        param(json!({ "allOf": [{ "properties": { "a": {} } }], "unevaluatedProperties": false })),
        param(json!({ "type": "string", "pattern": "^(?!a).*$" })),
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": false } }),
    ]
    .into_iter()
    .enumerate()
    {
        let (compiled, effects) = imported(&schema);
        assert!(effects.contains(&"wider".to_owned()), "{schema}: {effects:?}");
        let mut source = schema.clone();
        // Draft 2020-12 has another keyword for the tuples of older drafts.
        if let Some(p) = source.pointer_mut("/properties/p").and_then(Value::as_object_mut).filter(|p| p.get("items").is_some_and(Value::is_array)) {
            let tuple = p.shift_remove("items").unwrap_or_default();
            p.insert("prefixItems".to_owned(), tuple);
        }
        let found = compare(&source, &compiled, 400, index as u64 + 5, true);
        assert!(found.values > 200, "{schema}: {found:?}");
        assert!(found.refused.is_empty() && found.unread.is_empty(), "{schema} became {compiled}: {found:?}");
    }
}

#[test]
fn closed_objects_are_narrower_and_the_report_says_so() {
    let folder = Folder::new();
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" }, "map": { "type": "object" } } });
    let list = json!([{ "name": "t", "description": "A tool.", "inputSchema": schema }]);
    let (report, _) = folder.import(&list, &["--closed"]).expect("it is imported");
    assert!(report.contains("narrower: /inputSchema/additionalProperties"), "{report}");
    let (compiled, _) = folder.schema("t");
    assert_eq!(compiled["additionalProperties"], false);
    assert_eq!(compiled["properties"]["map"]["additionalProperties"], true);
}

#[test]
fn a_result_has_the_schema_of_the_source() {
    let folder = Folder::new();
    let definition = |ty: &str| json!({ "item": { "type": ty } });
    let list = json!([{
        "name": "t", "description": "A tool.",
        "inputSchema": { "type": "object", "properties": { "a": { "$ref": "#/$defs/item" } }, "$defs": definition("string") },
        "outputSchema": { "type": "object", "properties": { "b": { "$ref": "#/$defs/item" } }, "required": ["b"], "$defs": definition("integer") },
    }]);
    folder.import(&list, &[]).expect("it is imported");
    let (arguments, returns) = folder.schema("t");
    let returns = returns.expect("it has a result");
    for (source, compiled, is_read) in
        [(&list[0]["inputSchema"], &arguments, true), (&list[0]["outputSchema"], &returns, false)]
    {
        let found = compare(source, compiled, 300, 3, is_read);
        assert!(
            found.values > 100 && found.refused.is_empty() && found.admitted.is_empty(),
            "{source}, {compiled}: {found:?}"
        );
    }
}
