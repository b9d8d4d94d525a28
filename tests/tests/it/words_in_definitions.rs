//! What a definition states in words: examples, and what a text tool accepts.

use serde_json::{Value, json};
use toolc::FactValue;
use toolc_codegen::catalog::FactId;
use toolc_codegen::source::Sources;
use toolc_codegen::{compile, emit, lower};

const ADMIN: &str = "[facts.admin]\ndefault = false\ndescription = \"Whether the user is an administrator.\"\n";
const HEAD: &str = "name = \"t\"\ntoolset = \"s\"\ndescription = \"Find it.\"\nexample_in_words = true\n";

/// Returns the definition of a tool with these keys in a dialect, in a turn with this value of the fact `admin`.
fn definition(dialect: &str, keys: &str, admin: bool) -> Value {
    let files = [
        ("toolc.toml", format!("dialects = [\"{dialect}\"]\n")),
        ("manifests/facts.toml", ADMIN.to_owned()),
        ("manifests/toolsets/s.toml", "name = \"s\"\ndescription = \"Tools.\"\n".to_owned()),
        ("manifests/tools/t.toml", format!("{HEAD}{keys}")),
    ];
    let compiled = compile(&Sources::from_memory(files.map(|(path, text)| (path.to_owned(), text))));
    let catalog = compiled.catalog.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let turn = emit::Turn { facts: vec![(FactId(0), FactValue::Boolean(admin))], available: None };
    let lowered = lower::lower(&catalog);
    let drafts = emit::portable_drafts(&lowered, &turn);
    let path = format!("generated/schemas/{dialect}/tools/t.json");
    let draft = drafts.iter().find(|draft| draft.path == path).expect("the definition");
    serde_json::from_str(&draft.parts.iter().map(emit::Part::text).collect::<String>()).expect("JSON")
}

fn description(definition: &Value) -> &str {
    let places = ["/description", "/function/description", "/custom/description"];
    places.iter().find_map(|place| definition.pointer(place)?.as_str()).expect("a description")
}

const OPTIONAL: &str = r#"
[schema]
examples = [{ q = "a", list = [{ n = 1 }] }]
[params]
q = { type = "string", required = true }
limit = { type = "integer" }
audit = { type = "boolean", when = "facts.admin" }
list.type = "array"
list.items.type = "object"
list.items.properties.n = { type = "integer", required = true }
list.items.properties.secret = { type = "boolean", when = "facts.admin" }
"#;

#[test]
fn an_example_in_words_has_no_parameter_that_the_turn_lacks() {
    let definition = definition("openai-strict", OPTIONAL, false);
    let (_, example) = description(&definition).split_once("Example: ").expect("an example");
    let example: Value = serde_json::from_str(example.trim_end_matches('.')).expect("JSON");
    assert_eq!(example, json!({ "q": "a", "list": [{ "n": 1 }], "limit": null }));
}

const CONDITIONAL: &str = r#"
[schema]
examples = [{ audit = true }]
[params]
audit = { type = "boolean", when = "facts.admin" }
"#;

#[test]
fn an_example_that_the_turn_lacks_leaves_no_space() {
    for (admin, expected) in [(false, "Find it."), (true, "Find it. Example: {\"audit\":true}.")] {
        assert_eq!(description(&definition("mcp", CONDITIONAL, admin)), expected);
    }
}

const TEXT: &str = r#"
[text_input]
syntax = "regex"
definition = '[0-9]+( \* [0-9]+)*'
[schema]
examples = [{ n = "5 * 3" }]
[params.n]
type = "string"
description = "A product."
required = true
minLength = 3
"#;

#[test]
fn a_text_tool_states_what_its_text_must_be_and_shows_a_text() {
    let as_text = definition("openai-responses", TEXT, false);
    assert_eq!(as_text["type"], "custom");
    assert_eq!(description(&as_text), "Find it. A product. At least 3 characters. Example: 5 * 3");
    let as_function = definition("mcp", TEXT, false);
    assert_eq!(description(&as_function), "Find it. Example: {\"n\":\"5 * 3\"}.");
    assert_eq!(as_function["inputSchema"]["properties"]["n"]["pattern"], "^(?:[0-9]+( \\* [0-9]+)*)$");
}
