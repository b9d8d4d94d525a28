use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jsonschema::draft202012::meta;
use serde_json::{Map, json};
use toolc::schema::FunctionDefinition;
use toolc::{Registry, ToolCall, ToolOutput, Turn};
use toolc_lower::dialects::Dialect as Record;

use super::*;

/// A line of a file in `tests/schemas`.
struct Case {
    name: String,
    value: Value,
}

impl Case {
    /// Returns the cases of all files.
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
        let mut cases = Vec::new();
        for file in ["root-combinators", "parameter-names", "local-servers", "older-drafts", "public-issues"] {
            let text = fs::read_to_string(folder.join(file).with_extension("jsonl")).expect("the file can be read");
            for line in text.lines() {
                let value: Value = serde_json::from_str(line).expect("a line is JSON");
                cases.push(Self { name: format!("{file}: {}", value["case"]), value });
            }
        }
        assert!(cases.len() >= 185, "{}", cases.len());
        cases
    }

    /// Returns a tool of run time with the schema of the case, as the provider of a server makes it.
    fn registry(&self) -> Registry {
        let mut schema = self.value["schema"].clone();
        let ty = schema.as_object_mut().expect("an object").entry("type").or_insert_with(|| "object".into());
        if ty.is_array() {
            *ty = "object".into();
        }
        mend(&mut schema).unwrap_or_else(|problem| panic!("{}: {problem}", self.name));
        let function = FunctionDefinition::new("t", "Does.", schema.clone()).expect("the definition is valid");
        let tool = function.sync(|arguments, _| ToolOutput::json(&arguments));
        let registry = Registry::new();
        let tool = tool.lowered(move |dialect| lower(dialect, "Does.", &schema));
        registry.add(tool.build().expect("the tool is valid")).expect("the name is free");
        registry
    }

    fn turn(&self, dialect: Dialect) -> Turn {
        self.registry().session().build().expect("the tool can be enabled").turn_blocking(dialect)
    }

    /// Returns the definition in a dialect, and its schema, if it has one.
    fn definition(&self, dialect: Dialect) -> (Value, Option<Value>) {
        let definitions: Value = serde_json::from_str(self.turn(dialect).definitions()).expect("JSON");
        let definition = definitions[0].clone();
        assert!(definition.is_object(), "{}: `{}` does not show it", self.name, dialect.name());
        let function = if definition["function"].is_object() { &definition["function"] } else { &definition };
        let keys = ["parameters", "input_schema", "parametersJsonSchema", "inputSchema"];
        let schema = keys.iter().find_map(|key| function.get(*key)).cloned();
        (function.clone(), schema)
    }
}

/// Returns the dialects whose definitions are JSON.
fn json_dialects() -> impl Iterator<Item = (Dialect, &'static Record)> {
    let all = Dialect::ALL.iter().copied().filter(|dialect| dialect.is_json());
    all.map(|dialect| (dialect, dialects::find(dialect.name()).expect("each dialect has a record")))
}

/// What a dialect refuses of a schema.
struct Refusals<'s> {
    record: &'static Record,
    root: &'s Value,
    found: Vec<String>,
}

impl Refusals<'_> {
    fn root(&mut self) {
        let record = self.record.lenient.unwrap_or(self.record);
        let Some(root) = self.root.as_object() else { return self.found.push("not an object".to_owned()) };
        if !root["type"].as_str().is_some_and(|ty| ty.eq_ignore_ascii_case("object")) {
            self.found.push("the root is not an object".to_owned());
        }
        let is_elsewhere = ["$ref", "anyOf", "oneOf", "allOf"].iter().any(|keyword| root.contains_key(*keyword));
        if !is_elsewhere && !root.get("properties").is_some_and(Value::is_object) {
            self.found.push("no `properties` at the root".to_owned());
        }
        if let Some(refused) = record.tool.root_keywords() {
            let conditions = ["$ref", "if", "then", "else", "dependentSchemas", "not"];
            let is_refused =
                |keyword: &&String| refused.value.contains(&keyword.as_str()) || conditions.contains(&keyword.as_str());
            self.found.extend(root.keys().filter(is_refused).map(|keyword| format!("`{keyword}` at the root")));
        }
        self.schema(self.root.clone(), 0);
    }

    /// `level` is the number of values that contain that of the schema.
    fn schema(&mut self, schema: Value, level: usize) {
        let Value::Object(map) = schema else { return };
        let record = self.record.lenient.unwrap_or(self.record);
        let types: Vec<String> = match &map.get("type") {
            Some(Value::String(ty)) => vec![ty.to_lowercase()],
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if types.iter().any(|ty| ty == "array") && !map.contains_key("items") {
            self.found.push("an array without items".to_owned());
        }
        self.details(&map, record, level);
        if map.get("enum").is_some_and(|values| values.as_array().is_none_or(Vec::is_empty)) {
            self.found.push("an empty enum".to_owned());
        }
        let names = if level == 0 { record.tool.parameter_name() } else { record.tool.nested_name() };
        let properties = map.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for name in properties.keys().filter(|name| names.is_some_and(|names| !names.value.accepts(name))) {
            self.found.push(format!("the name `{name}`"));
        }
        if map.contains_key("properties") || level == 0 {
            let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
            let undeclared = required.filter(|name| !properties.contains_key(name.as_str().unwrap_or_default()));
            self.found.extend(undeclared.map(|name| format!("{name} is required and not declared")));
        }
        if let Some(target) = map.get("$ref").and_then(Value::as_str)
            && target != "#"
            && target.strip_prefix("#/$defs/").and_then(|name| self.root["$defs"].get(name)).is_none()
        {
            self.found.push(format!("`{target}` leads to no definition"));
        }
        if !record.accepts_any_schema() {
            self.subset(&map, record);
        }
        for schema in properties.into_iter().map(|(_, schema)| schema) {
            self.schema(schema, level + 1);
        }
        for keyword in ["items", "additionalProperties", "anyOf", "oneOf", "allOf", "$defs"] {
            match map.get(keyword).cloned() {
                Some(Value::Array(schemas)) => schemas.into_iter().for_each(|schema| self.schema(schema, level)),
                Some(Value::Object(defs)) if keyword == "$defs" => {
                    defs.into_iter().for_each(|(_, schema)| self.schema(schema, 1));
                }
                Some(schema) => self.schema(schema, level + 1),
                None => {}
            }
        }
    }

    /// Adds what a dialect refuses of keywords that it accepts.
    fn details(&mut self, map: &Map<String, Value>, record: &Record, level: usize) {
        if record.name.starts_with("openai")
            && let Some(pattern) = map.get("pattern").and_then(Value::as_str)
            && ["\\p{", "(?=", "(?!", "(?<", "(?P", "=["].iter().any(|part| pattern.contains(part))
        {
            self.found.push(format!("`{pattern}` is not a regular expression"));
        }
        if record.name.starts_with("gemini") && map.contains_key("$ref") {
            let others =
                map.keys().filter(|word| !["$ref", "$defs", "description", "default"].contains(&word.as_str()));
            self.found.extend(others.map(|word| format!("`{word}` next to `$ref`")));
        }
        if record.name == "portable" && level > 1 && map.contains_key("pattern") {
            self.found.push("a pattern below a parameter".to_owned());
        }
        let is_other = map.get("type").and_then(Value::as_str).is_some_and(|ty| !ty.eq_ignore_ascii_case("object"));
        if is_other && (map.contains_key("properties") || map.contains_key("required")) {
            self.found.push("properties of what is not an object".to_owned());
        }
        let has_type = ["type", "anyOf"].iter().filter(|word| map.contains_key(**word)).count();
        if record.name == "portable" && has_type != 1 {
            self.found.push("a type next to `anyOf`, or neither".to_owned());
        }
    }

    /// Adds what a dialect refuses that accepts a subset of JSON Schema.
    fn subset(&mut self, map: &Map<String, Value>, record: &Record) {
        let structure = ["type", "description", "properties", "required", "items", "nullable"];
        let keywords = record.schema.keywords().map(|limit| limit.value).unwrap_or_default();
        let is_unknown = |word: &&String| !structure.contains(&word.as_str()) && !keywords.contains(&word.as_str());
        self.found.extend(map.keys().filter(is_unknown).map(|word| format!("the keyword `{word}`")));
        if let Some(Value::Array(values)) = map.get("enum")
            && record.schema.enums().is_some_and(|enums| enums.value == dialects::Enums::Strings)
            && !map.contains_key("nullable")
        {
            let is_refused = |value: &&Value| value.as_str().is_none_or(str::is_empty);
            self.found.extend(values.iter().filter(is_refused).map(|value| format!("the value {value}")));
        }
        if let Some(max) = record.schema.max_repetitions().map(|max| max.value) {
            let counts = ["minLength", "maxLength", "minItems", "maxItems"].iter().filter_map(|word| map.get(*word));
            let long = counts.filter(|count| count.as_u64().is_none_or(|count| count > max));
            self.found.extend(long.map(|count| format!("the length {count}")));
        }
        if let Some(pattern) = map.get("pattern").and_then(Value::as_str)
            && record.schema.non_grammar_patterns().is_some()
            && !(pattern.starts_with('^') && pattern.ends_with('$') && !pattern.contains("(?"))
        {
            self.found.push(format!("the pattern {pattern}"));
        }
    }
}

#[test]
fn every_dialect_accepts_what_is_shown_of_a_schema() {
    for case in Case::all() {
        for (dialect, record) in json_dialects() {
            let (definition, schema) = case.definition(dialect);
            let Some(schema) = schema else {
                assert!(dialect.name().starts_with("gemini"), "{}: `{}` has no schema", case.name, record.name);
                continue;
            };
            let mut refusals = Refusals { record, root: &schema, found: Vec::new() };
            refusals.root();
            assert_eq!(refusals.found, [""; 0], "{}, `{}`: {definition}", case.name, record.name);
            if dialect != Dialect::GeminiOpenApi {
                assert!(meta::is_valid(&schema), "{}, `{}`: {definition}", case.name, record.name);
            }
        }
    }
}

#[test]
fn what_a_dialect_refuses_is_stated_in_words() {
    for case in Case::all() {
        for dialect in [Dialect::OpenAi, Dialect::OpenAiResponses, Dialect::Anthropic] {
            let Some(words) = case.value["words"].as_str() else { continue };
            let (definition, _) = case.definition(dialect);
            let refuses = case.value["schema"].as_object().into_iter().flat_map(Map::keys).any(|keyword| {
                ["anyOf", "oneOf", "allOf", "if", "dependencies", "dependentSchemas"].contains(&keyword.as_str())
            });
            if refuses || dialect != Dialect::Anthropic {
                assert!(
                    definition["description"].as_str().unwrap_or_default().contains(words),
                    "{}: {definition}",
                    case.name
                );
            }
        }
        for (dialect, _) in json_dialects() {
            let Some(part) = case.value[dialect.name()].as_str() else { continue };
            let (definition, _) = case.definition(dialect);
            assert!(definition.to_string().contains(part), "{}: {definition}", case.name);
        }
    }
}

#[test]
fn what_openai_does_not_read_as_a_pattern_is_in_words() {
    let special = "^(?=.*[0-9])\\\\p{L}+$";
    let schema = |property: Value| json!({ "type": "object", "properties": { "a": property }, "$defs": { "D": { "type": "string", "pattern": special } } });
    for property in [
        json!({ "type": "string", "pattern": special }),
        json!({ "type": "array", "items": { "type": "string", "pattern": special } }),
        json!({ "anyOf": [{ "type": "string", "pattern": special }, { "type": "null" }] }),
        json!({ "$ref": "#/$defs/D" }),
        json!({ "type": "object", "patternProperties": { special: { "type": "string" } } }),
        json!({ "type": "string", "not": { "pattern": special } }),
        json!({ "type": "object", "additionalProperties": { "type": "string", "pattern": special } }),
    ] {
        let case = Case { name: property.to_string(), value: json!({ "schema": schema(property) }) };
        for dialect in [Dialect::OpenAi, Dialect::OpenAiResponses] {
            let (definition, schema) = case.definition(dialect);
            let parameter = schema.as_ref().expect("it has parameters");
            let is_in_words = |value: &Value| value.to_string().contains("(?=");
            assert!(is_in_words(&definition), "{}: {definition}", case.name);
            assert!(!keywords_contain(parameter, special), "{}: {definition}", case.name);
        }
        let (_, schema) = case.definition(Dialect::Anthropic);
        assert!(keywords_contain(&schema.expect("it has parameters"), special), "{}", case.name);
    }
}

/// Returns whether a keyword other than `description` has this value, or this key.
fn keywords_contain(schema: &Value, text: &str) -> bool {
    match schema {
        Value::Object(map) => map.iter().any(|(key, value)| {
            key == text || (key != "description" && (value == text || keywords_contain(value, text)))
        }),
        Value::Array(values) => values.iter().any(|value| keywords_contain(value, text)),
        _ => false,
    }
}

#[test]
fn gemini_gets_no_keywords_next_to_a_reference_besides_its_description() {
    let defs = json!({
        "Word": { "type": "string", "minLength": 2 },
        "Pair": { "type": "object", "properties": { "first": { "$ref": "#/$defs/Word", "title": "First" } } },
        "Tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Tree", "title": "Next" }, "word": { "type": "string" } } },
    });
    for (property, parts) in [
        (json!({ "$ref": "#/$defs/Word", "description": "A word.", "default": "ab" }), vec!["\"$ref\"", "A word."]),
        (json!({ "$ref": "#/$defs/Word", "title": "Name" }), vec!["\"minLength\":2", "\"title\":\"Name\""]),
        (json!({ "$ref": "#/$defs/Word", "maxLength": 5 }), vec!["\"minLength\":2", "\"maxLength\":5"]),
        (json!({ "$ref": "#/$defs/Word", "examples": ["ab"] }), vec!["\"minLength\":2"]),
        (json!({ "$ref": "#/$defs/Pair", "type": "object" }), vec!["\"first\"", "\"minLength\":2"]),
        (json!({ "$ref": "#/$defs/Tree", "title": "All" }), vec!["\"word\"", "\"next\"", "#/$defs/Tree"]),
        (json!({ "type": "array", "items": { "$ref": "#/$defs/Tree", "nullable": true } }), vec!["\"word\""]),
        (json!({ "not": { "$ref": "#/$defs/Word", "title": "Name" } }), vec!["Must also match this JSON Schema"]),
    ] {
        let schema = json!({ "type": "object", "properties": { "p": property }, "$defs": defs });
        let case = Case { name: property.to_string(), value: json!({ "schema": schema }) };
        for dialect in [Dialect::Gemini, Dialect::GeminiInteractions] {
            let (definition, schema) = case.definition(dialect);
            let schema = schema.expect("it has a parameter");
            let record = dialects::find(dialect.name()).expect("the dialect has a record");
            let mut refusals = Refusals { record, root: &schema, found: Vec::new() };
            refusals.root();
            assert_eq!(refusals.found, [""; 0], "{}: {definition}", case.name);
            for part in &parts {
                assert!(definition.to_string().contains(part), "{}, {part}: {definition}", case.name);
            }
        }
    }
}

#[test]
fn arguments_reach_a_server_under_the_names_of_its_schema() {
    for case in Case::all() {
        for dialect in [Dialect::OpenAi, Dialect::Gemini, Dialect::Portable] {
            let response = case.turn(dialect).call_blocking(&ToolCall::new("t", &case.value["sent"].to_string()));
            let got: Value = serde_json::from_str(&response.json).expect("a response is JSON");
            assert_eq!(got, case.value["got"], "{}", case.name);
        }
    }
}

#[test]
fn a_name_that_a_dialect_shows_is_no_repair_and_errors_have_it() {
    let schema = json!({ "type": "object", "properties": { "$top": { "type": "integer" } }, "required": ["$top"] });
    let case = Case { name: "a name".to_owned(), value: json!({ "schema": schema }) };
    let turn = case.turn(Dialect::Gemini);
    let response = turn.call_blocking(&ToolCall::new("t", r#"{"top": 3}"#));
    assert!(response.json == r#"{"$top":3}"# && response.repairs.is_empty(), "{response:?}");
    let repaired = turn.call_blocking(&ToolCall::new("t", r#"{"top": "3"}"#));
    let repairs: Vec<String> = repaired.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(repairs, [r#"/top: "3" became 3 (number)"#]);
    let refused = turn.call_blocking(&ToolCall::new("t", r#"{"top": "x"}"#));
    assert!(refused.json.contains("/top: expected integer"), "{}", refused.json);
}

/// A subset has no schema without values.
#[test]
fn what_no_value_fits_is_left_out_of_a_subset() {
    let one = |property: Value| {
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": property }, "$defs": {
            "never": false, "not": { "not": {} }, "word": { "type": "string" }, "again": { "$ref": "#/$defs/never" } } })
    };
    for never in [
        json!(false),
        json!({ "not": {} }),
        json!({ "not": true }),
        json!({ "not": {}, "description": "Unused." }),
        json!({ "$ref": "#/$defs/never" }),
        json!({ "$ref": "#/$defs/not" }),
        json!({ "$ref": "#/$defs/again" }),
        json!({ "allOf": [{ "type": "string" }, false] }),
        json!({ "anyOf": [false, { "not": {} }] }),
        json!({ "oneOf": [{ "$ref": "#/$defs/never" }] }),
        json!({ "type": "string", "allOf": [{ "$ref": "#/$defs/never" }] }),
    ] {
        let case = Case { name: never.to_string(), value: json!({ "schema": one(never) }) };
        let (_, schema) = case.definition(Dialect::Portable);
        let schema = schema.expect("it has a parameter");
        assert!(
            schema["properties"]["a"].is_object() && schema["properties"].get("b").is_none(),
            "{}: {schema}",
            case.name
        );
    }
    for (some, expected) in [
        (json!({ "type": "string" }), json!({ "type": "string" })),
        (json!({ "anyOf": [false, { "type": "string" }] }), json!({ "type": "string" })),
        (json!({ "oneOf": [{ "$ref": "#/$defs/never" }, { "type": "integer" }] }), json!({ "type": "integer" })),
        (json!({ "$ref": "#/$defs/word" }), json!({ "type": "string" })),
        (json!({ "type": "string", "not": { "const": "" } }), json!("type")),
        (json!({ "type": "array", "items": false }), json!("maxItems")),
        (json!({ "type": "array", "items": { "not": {} } }), json!("maxItems")),
        (json!({ "type": "object", "properties": { "c": false, "d": { "type": "string" } } }), json!("\"d\"")),
        (json!({ "type": "object", "additionalProperties": false }), json!("object")),
    ] {
        let case = Case { name: some.to_string(), value: json!({ "schema": one(some) }) };
        let (_, schema) = case.definition(Dialect::Portable);
        let got = schema.expect("it has a parameter")["properties"]["b"].clone();
        match &expected {
            Value::String(part) => assert!(got.to_string().contains(part.as_str()), "{}: {got}", case.name),
            expected => assert_eq!(got["type"], expected["type"], "{}: {got}", case.name),
        }
        assert!(!got.to_string().contains("\"c\""), "{got}");
    }
    // What must be sent and cannot be is not left out: the tool cannot be called.
    let required = json!({ "type": "object", "properties": { "b": false }, "required": ["b"] });
    let case = Case { name: "required".to_owned(), value: json!({ "schema": required }) };
    assert!(case.definition(Dialect::Portable).1.expect("a parameter")["properties"]["b"].is_object());
}

#[test]
fn a_reference_that_leads_nowhere_is_a_finding_and_the_tool_is_open() {
    let loops = json!({ "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" }, "C": { "allOf": [{ "$ref": "#/$defs/C" }] } });
    for (root, part) in [
        (json!({ "$ref": "#/$defs/A" }), "leads back to itself"),
        (json!({ "$ref": "#" }), "leads back to itself"),
        (json!({ "$ref": "#/$defs/C" }), "leads back to itself"),
        (json!({ "$ref": "#/$defs/A", "title": "All", "description": "Everything." }), "leads back to itself"),
        (json!({ "allOf": [{ "$ref": "#/$defs/A" }] }), "leads back to itself"),
        (json!({ "$ref": "#/$defs/missing" }), "which the schema does not have"),
        (json!({ "$ref": 5 }), "has a `$ref` that is not a string"),
        (json!({ "$ref": null }), "has a `$ref` that is not a string"),
        (json!({ "$ref": ["#/$defs/A"] }), "has a `$ref` that is not a string"),
        (json!({ "$ref": { "a": 1 } }), "has a `$ref` that is not a string"),
        (json!({ "properties": { "p": { "$ref": 5 } } }), "has a `$ref` that is not a string"),
        (json!({ "properties": { "p": { "$ref": "#/$defs/A" } } }), "leads back to itself"),
    ] {
        let mut schema = root.clone();
        schema["type"] = "object".into();
        schema["$defs"] = loops.clone();
        let mut mended = schema.clone();
        let mends = mend(&mut mended).expect("the schema can be used");
        assert!(mends.iter().any(|mend| mend.contains(part)), "{root}: {mends:?}");
        assert!(!mends.iter().any(|mend| mend.contains("`5`")), "{root}: {mends:?}");
        let case = Case { name: root.to_string(), value: json!({ "schema": schema }) };
        for dialect in [Dialect::OpenAi, Dialect::Gemini, Dialect::Portable] {
            let response = case.turn(dialect).call_blocking(&ToolCall::new("t", r#"{"any":1}"#));
            assert_eq!(response.json, r#"{"any":1}"#, "{root}");
        }
    }
    for root in [
        json!({ "properties": { "p": { "$ref": "#" } } }),
        json!({ "$ref": "#/$defs/D" }),
        json!({ "properties": { "p": { "$ref": "#/$defs/tree" } } }),
        json!({ "properties": { "$ref": { "type": "string" } } }),
    ] {
        let mut schema = root.clone();
        schema["type"] = "object".into();
        schema["$defs"] = json!({ "D": { "type": "object", "properties": {} }, "tree": { "items": { "$ref": "#/$defs/tree" }, "type": "array" } });
        let mends = mend(&mut schema).expect("the schema can be used");
        assert_eq!(mends, [""; 0], "{root}");
    }
}

#[test]
fn a_tool_is_lowered_once_for_each_dialect() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let function = FunctionDefinition::new("t", "Does.", schema.clone()).expect("the definition is valid");
    let tool = function.sync(|_, _| Ok(ToolOutput::text(""))).lowered(move |dialect| {
        counted.fetch_add(1, Ordering::Relaxed);
        lower(dialect, "Does.", &schema)
    });
    let registry = Registry::new();
    registry.add(tool.build().expect("the tool is valid")).expect("the name is free");
    for _ in 0..3 {
        let session = registry.session().build().expect("the tool can be enabled");
        for dialect in [Dialect::OpenAi, Dialect::Portable] {
            assert!(session.turn_blocking(dialect).definitions().contains("\"a\""));
        }
    }
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn hostile_schemas_end_soon() {
    let mut wide = Map::new();
    for index in 0..2_000 {
        wide.insert(format!("$p{index}"), json!({ "$ref": "#/$defs/A" }));
    }
    let pattern = format!("^{}$", "(a{9}".repeat(500) + &")".repeat(500));
    let loops = json!({ "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }], "allOf": [{ "$ref": "#/$defs/B" }] },
        "B": { "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "object", "properties": { "x.y": { "$ref": "#/$defs/A" } } }] } });
    for schema in [
        json!({ "type": "object", "properties": wide, "$defs": loops }),
        json!({ "type": "object", "anyOf": [{ "$ref": "#/$defs/A" }], "$defs": loops }),
        json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": pattern } } }),
        json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "^(((((" } } }),
        json!({ "type": "object", "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
    ] {
        let case = Case { name: "hostile".to_owned(), value: json!({ "schema": schema }) };
        let begun = Instant::now();
        for (dialect, _) in json_dialects() {
            let _ = case.definition(dialect);
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_pattern_that_only_the_server_can_check_is_named_once() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "pattern": "^(?!x)" },
        "b": { "type": "array", "items": { "type": "string", "pattern": "^(?!x)" } },
        "c": { "type": "string", "pattern": "^https:" },
    } });
    assert_eq!(unenforced(&schema), ["its pattern `^(?!x)` is left to the server, because it has a look-around"]);
}
