//! Each rewriting of a schema, in the dialects that need it.

use serde_json::{Value, json};
use toolc_lower::dialects::{DIALECTS, find};
use toolc_lower::narrow::{Fallback, narrow};

use crate::check::Checked;
use crate::compile;
use crate::emit::emit;
use crate::lower::definition;
use crate::source::Sources;

const HOME: &str = "name = 's'\ndescription = 'Tools.'\n";
const FACTS: &str = "[facts.one]\ndefault = true\ndescription = 'One.'\n";

fn catalog(tools: &[(&str, &str)]) -> Checked {
    let settings = ("toolc.toml", "schemas.toolsets = true\n");
    let fixed = [("manifests/toolsets/s.toml", HOME), ("manifests/facts.toml", FACTS), settings];
    let mut files: Vec<_> = fixed.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    for (name, lines) in tools {
        let text = format!("name = '{name}'\ntoolset = 's'\ndescription = 'A tool.'\n{lines}\n");
        files.push((format!("manifests/tools/{name}.toml"), text));
    }
    let compilation = compile(&Sources::from_memory(files));
    compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

/// Returns the parameter `p` of these lines in a dialect, and its losses: the keyword and its fallback.
fn parameter(dialect: &str, lines: &str) -> (Value, Vec<(&'static str, Fallback)>) {
    let catalog = catalog(&[("t", lines)]);
    let manifest = &catalog.tools().next().unwrap().1.manifest;
    let dialect = find(dialect).unwrap();
    let narrowed = narrow(&manifest.params, &manifest.defs, dialect);
    let mut schema = narrowed.defs.document_in(&narrowed.schema, dialect.spelling).full_value();
    let losses = narrowed.losses.iter().map(|loss| (loss.keyword, loss.fallback)).collect();
    (schema["properties"]["p"].take(), losses)
}

#[track_caller]
fn assert_narrowed(dialect: &str, lines: &str, expected: Value, losses: &[(&'static str, Fallback)]) {
    let lines = if lines.contains("[params.p]") { lines.to_owned() } else { format!("[params.p]\n{lines}") };
    assert_eq!(parameter(dialect, &lines), (expected, losses.to_vec()));
}

const STRICT: &str = "openai-strict";
const ANTHROPIC: &str = "anthropic-strict";
const OPENAPI: &str = "gemini-openapi";
const PORTABLE: &str = "portable";

#[test]
fn optional_properties_become_required_and_nullable() {
    assert_narrowed(STRICT, "type = 'string'", json!({ "type": ["string", "null"] }), &[]);
    assert_narrowed(STRICT, "type = 'string'\nrequired = true", json!({ "type": "string" }), &[]);
    assert_narrowed(
        STRICT,
        "type = 'string'\nenum = ['a']",
        json!({ "type": ["string", "null"], "enum": ["a", null] }),
        &[],
    );
    assert_narrowed(STRICT, "const = 'a'", json!({ "type": ["string", "null"], "enum": ["a", null] }), &[]);
    let reference = "[params.p]\n'$ref' = '#/$defs/d'\n[schema.'$defs'.d]\ntype = 'integer'";
    assert_narrowed(STRICT, reference, json!({ "anyOf": [{ "$ref": "#/$defs/d" }, { "type": "null" }] }), &[]);
    assert_narrowed(ANTHROPIC, "type = 'string'", json!({ "type": "string" }), &[]);
}

#[test]
fn the_empty_string_of_an_enum_moves_to_the_description() {
    let in_words = [("enum", Fallback::Description)];
    let some = "type = 'string'\nrequired = true\nenum = ['', 'a', 'b']\ndescription = 'A mode.'";
    let described = "A mode. An empty string is allowed, too.";
    assert_narrowed(
        OPENAPI,
        some,
        json!({ "type": "STRING", "enum": ["a", "b"], "description": described }),
        &in_words,
    );
    assert_narrowed(
        PORTABLE,
        some,
        json!({ "type": "string", "enum": ["a", "b"], "description": described }),
        &in_words,
    );
    let only = "type = 'string'\nrequired = true\nenum = ['']";
    assert_narrowed(PORTABLE, only, json!({ "type": "string", "description": "Always \"\"." }), &in_words);
    // Other dialects accept it.
    assert_narrowed(
        ANTHROPIC,
        "type = 'string'\nrequired = true\nenum = ['', 'a']",
        json!({ "type": "string", "enum": ["", "a"] }),
        &[],
    );
}

#[test]
fn unsupported_keywords_move_to_the_description() {
    let bounds = "type = 'integer'\nrequired = true\nminimum = 1\nexclusiveMaximum = 9\ndefault = 3\nexamples = [3, 4]";
    let words = [("default", Fallback::Description), ("examples", Fallback::Description)];
    let sentences = "Default: 3. Examples: 3, 4.";
    assert_narrowed(
        STRICT,
        bounds,
        json!({ "type": "integer", "description": sentences, "minimum": 1, "exclusiveMaximum": 9 }),
        &words,
    );
    assert_narrowed(
        ANTHROPIC,
        bounds,
        json!({ "type": "integer", "description": format!("At least 1. Less than 9. {sentences}") }),
        &[("minimum", Fallback::Description), ("exclusiveMaximum", Fallback::Description), words[0], words[1]],
    );
    // Exclusive bounds of integers become inclusive.
    assert_narrowed(
        PORTABLE,
        bounds,
        json!({ "type": "integer", "description": sentences, "minimum": 1, "maximum": 8 }),
        &words,
    );
    assert_narrowed(
        OPENAPI,
        bounds,
        json!({ "type": "INTEGER", "description": "Examples: 3, 4.", "default": 3, "minimum": 1, "maximum": 8 }),
        &words[1..],
    );
    assert_narrowed(
        ANTHROPIC,
        "type = 'array'\nitems = { type = 'string', format = 'regex' }\nminItems = 2\nuniqueItems = true\ndescription = 'Words.'",
        json!({
            "type": "array",
            "description": "Words. At least 2 items. Items must be unique.",
            "minItems": 1,
            "items": { "type": "string", "description": "Format: regex." },
        }),
        &[
            ("format", Fallback::Description),
            ("minItems", Fallback::Description),
            ("uniqueItems", Fallback::Description),
        ],
    );
    assert_narrowed(
        PORTABLE,
        "type = 'string'\npattern = '\\d'",
        json!({ "type": "string", "pattern": "^.*[0-9].*$" }),
        &[],
    );
    assert_narrowed(
        PORTABLE,
        "type = 'string'\npattern = '\\bword'",
        json!({ "type": "string", "description": "Matches the regular expression \\bword" }),
        &[("pattern", Fallback::Description)],
    );
}

#[test]
fn open_objects_become_json_text_unless_strings_are_allowed_too() {
    let text = [("additionalProperties", Fallback::JsonText)];
    let free = "type = 'object'\nadditionalProperties = true";
    for dialect in [ANTHROPIC, PORTABLE] {
        assert_narrowed(
            dialect,
            free,
            json!({ "type": "string", "description": "Write a JSON object, as text." }),
            &text,
        );
    }
    let map = "type = 'object'\nadditionalProperties = { type = 'integer' }\nrequired = true\ndescription = 'Counts.'";
    let sentences = "Counts. Write a JSON object, as text, that matches this JSON Schema: \
        {\"type\":\"object\",\"properties\":{},\"additionalProperties\":{\"type\":\"integer\"}}";
    assert_narrowed(STRICT, map, json!({ "type": "string", "description": sentences }), &text);
    // A string is read as a string, so the object cannot be sent.
    assert_narrowed(
        ANTHROPIC,
        "anyOf = [{ type = 'string' }, { type = 'object', additionalProperties = true }, { type = 'boolean' }]",
        json!({ "anyOf": [{ "type": "string" }, { "type": "boolean" }] }),
        &[text[0], ("type", Fallback::Dropped)],
    );
}

#[test]
fn an_untyped_value_becomes_a_scalar() {
    assert_narrowed(
        ANTHROPIC,
        "description = 'It.'",
        json!({
            "description": "It.",
            "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "boolean" }, { "type": "null" }],
        }),
        &[("type", Fallback::Dropped)],
    );
    assert_narrowed(
        PORTABLE,
        "description = 'It.'",
        json!({ "anyOf": [{ "type": "string", "description": "It." }, { "type": "number" }, { "type": "boolean" }] }),
        &[("type", Fallback::Dropped), ("null", Fallback::Dropped)],
    );
}

#[test]
fn one_of_becomes_any_of_and_is_a_loss_unless_the_alternatives_are_exclusive() {
    let exclusive = "oneOf = [{ type = 'integer' }, { type = 'string' }]";
    assert_narrowed(ANTHROPIC, exclusive, json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }), &[]);
    assert_narrowed(
        ANTHROPIC,
        "oneOf = [{ type = 'integer' }, { type = 'number' }]",
        json!({
            "description": "Exactly one of the alternatives must match.",
            "anyOf": [{ "type": "integer" }, { "type": "number" }],
        }),
        &[("oneOf", Fallback::Description)],
    );
    let tagged =
        |tag: &str| format!("{{ type = 'object', properties = {{ k = {{ const = '{tag}', required = true }} }} }}");
    let (_, lost) = parameter(ANTHROPIC, &format!("[params.p]\noneOf = [{}, {}]", tagged("a"), tagged("b")));
    assert_eq!(lost, []);
}

#[test]
fn all_of_is_merged() {
    assert_narrowed(
        ANTHROPIC,
        "required = true\nallOf = [{ type = ['integer', 'string'], enum = [1, 2, 'a'] }, { type = 'number', enum = [2, 3] }]",
        json!({ "type": "integer", "enum": [2] }),
        &[],
    );
    assert_narrowed(
        PORTABLE,
        "allOf = [{ type = 'string', minLength = 1, maxLength = 9 }, { minLength = 3, maxLength = 20 }]",
        json!({ "type": "string", "minLength": 3, "maxLength": 9 }),
        &[],
    );
    let (joined, _) = parameter(
        ANTHROPIC,
        "[params.p]\ntype = 'object'\nproperties.a = { type = 'integer' }\n\
         allOf = [{ type = 'object', additionalProperties = true, properties.a = { required = true } }]",
    );
    assert_eq!(joined["required"], json!(["a"]));
    assert_eq!(joined["properties"]["a"], json!({ "type": "integer" }));
}

#[test]
fn siblings_of_a_union_are_merged_into_its_alternatives() {
    assert_narrowed(
        PORTABLE,
        "description = 'It.'\ntype = 'integer'\nanyOf = [{ minimum = 5 }, { maximum = 1 }, { type = 'string' }]",
        json!({ "anyOf": [{ "type": "integer", "description": "It.", "minimum": 5 }, { "type": "integer", "maximum": 1 }] }),
        &[],
    );
    let nullable = "anyOf = [{ type = 'string', minLength = 1 }, { type = 'null' }]\ndescription = 'It.'";
    assert_narrowed(
        OPENAPI,
        nullable,
        json!({ "type": "STRING", "nullable": true, "description": "It.", "minLength": 1 }),
        &[],
    );
    assert_narrowed(
        PORTABLE,
        nullable,
        json!({ "type": "string", "description": "It.", "minLength": 1 }),
        &[("null", Fallback::Dropped)],
    );
    assert_narrowed(
        OPENAPI,
        "type = ['string', 'array', 'null']\nitems = { type = 'integer' }\nmaxLength = 3",
        json!({ "anyOf": [
            { "type": "STRING", "nullable": true, "maxLength": 3 },
            { "type": "ARRAY", "items": { "type": "INTEGER" } },
        ] }),
        &[],
    );
}

#[test]
fn unsupported_enum_values_move_to_the_description_or_become_json_text() {
    assert_narrowed(
        OPENAPI,
        "type = 'integer'\nenum = [4, 2]",
        json!({ "type": "INTEGER", "description": "One of: 4, 2.", "minimum": 2, "maximum": 4 }),
        &[("enum", Fallback::Description)],
    );
    assert_narrowed(
        ANTHROPIC,
        "enum = [[1], [2]]",
        json!({ "type": "string", "description": "Write one of these values, as JSON text.", "enum": ["[1]", "[2]"] }),
        &[("enum", Fallback::JsonText)],
    );
}

#[test]
fn recursive_schemas_become_json_text_if_the_dialect_refuses_them() {
    let tree = "[params.p]\n'$ref' = '#/$defs/tree'\nrequired = true\n[schema.'$defs'.tree]\ntype = 'object'\n\
        properties.next = { '$ref' = '#/$defs/tree' }";
    assert_narrowed(STRICT, tree, json!({ "$ref": "#/$defs/tree" }), &[]);
    let (cut, lost) = parameter(PORTABLE, tree);
    assert_eq!((&cut["type"], &cut["properties"]["next"]["type"]), (&json!("object"), &json!("string")));
    assert!(cut["properties"]["next"]["description"].as_str().unwrap().contains(r##"{"$ref":"#/$defs/tree""##));
    assert_eq!(lost, [("$ref", Fallback::JsonText)]);
}

/// Each definition refers to the next one twice: inlined, they would be 2^40 schemas.
#[test]
fn exponential_growth_is_limited() {
    let mut lines = "[params.p]\n'$ref' = '#/$defs/d0'\n".to_owned();
    for def in 0..40 {
        let next = format!("{{ '$ref' = '#/$defs/d{}', description = 'On.' }}", def + 1);
        lines += &format!("[schema.'$defs'.d{def}]\ntype = 'object'\nproperties = {{ a = {next}, b = {next} }}\n");
    }
    lines += "[schema.'$defs'.d40]\ntype = 'integer'\n";
    for dialect in DIALECTS {
        let (whole, _) = parameter(dialect.name, &lines);
        assert!(whole.to_string().len() < 2_000_000, "{}", dialect.name);
    }
}

#[test]
fn the_root_becomes_a_plain_object() {
    let catalog = catalog(&[(
        "t",
        "example_in_words = true\n[params.a]\ntype = 'string'\n[schema]\nadditionalProperties = true\nexamples = [{ a = 'x', c = 1 }]\n\
         oneOf = [{ properties.a = { required = true }, additionalProperties = true },\n\
         { properties.b = { required = true }, additionalProperties = true }]\n\
         allOf = [{ properties.c = { type = 'integer', required = true }, additionalProperties = true }]",
    )]);
    let tool = catalog.tools().next().unwrap().1;
    let define = |name: &str| {
        let dialect = find(name).unwrap();
        definition(dialect, &catalog, tool).definition.unwrap().full_value()
    };
    let openai = &define("openai")["function"];
    let description = "A tool. Exactly one of these must be given: `a`; `b`. Example: {\"a\":\"x\",\"c\":1}.";
    assert_eq!(openai["description"], description);
    assert_eq!(openai["parameters"]["required"], json!(["c"]));
    assert!(openai["parameters"].get("oneOf").is_none() && openai["parameters"].get("allOf").is_none());
    assert_eq!(openai["parameters"]["additionalProperties"], true);
    let strict = &define("openai-strict")["function"];
    assert!(strict["description"].as_str().unwrap().ends_with("Example: {\"a\":\"x\",\"c\":1,\"b\":null}."));
    // The properties of the alternatives can still be sent.
    assert_eq!(strict["parameters"]["required"], json!(["a", "c", "b"]));
    assert!(define("mcp")["inputSchema"]["oneOf"].is_array());
}

#[test]
fn what_every_alternative_of_the_root_requires_is_required() {
    for (schema, required) in [
        (
            "oneOf = [{ properties.op = { const = 'x', required = true }, properties.b = { type = 'string' } },\n\
             { properties.op = { const = 'y', required = true } }]",
            json!(["op"]),
        ),
        (
            "anyOf = [{ properties.a = { required = true }, properties.b = { required = true }, additionalProperties = true },\n\
             { properties.a = { required = true }, additionalProperties = true }]",
            json!(["a"]),
        ),
        (
            "oneOf = [{ properties.op = { const = 'x', required = true } }, { properties.op = { const = 'y' } }]",
            json!(null),
        ),
    ] {
        let catalog =
            catalog(&[("t", &format!("[params.a]\ntype = 'string'\n[schema]\nadditionalProperties = true\n{schema}"))]);
        let tool = catalog.tools().next().unwrap().1;
        let openai = definition(find("openai").unwrap(), &catalog, tool).definition.unwrap().full_value();
        assert_eq!(openai["function"]["parameters"]["required"], required, "{schema}: {openai}");
    }
}

#[test]
fn a_tool_that_a_dialect_does_not_accept_is_not_written() {
    let catalog = catalog(&[
        ("odd", "[params.'ä']\ntype = 'string'\nrequired = true"),
        ("even", "[params.'ö']\ntype = 'string'"),
        ("asks", "[requires]\ntools = ['odd']"),
    ]);
    let outputs = emit(&catalog);
    let written = |path: &str| outputs.iter().find(|output| output.path == format!("generated/schemas/{path}.json"));
    for (dialect, is_written) in [("openai", true), ("mcp", true), ("anthropic", false), ("gemini-openapi", false)] {
        assert_eq!(written(&format!("{dialect}/tools/odd")).is_some(), is_written, "{dialect}");
        assert!(written(&format!("{dialect}/tools/asks")).is_some(), "{dialect}");
        let all: Value = serde_json::from_str(&written(&format!("{dialect}/toolsets/s")).unwrap().text).unwrap();
        assert_eq!(all.as_array().unwrap().len(), if is_written { 3 } else { 1 }, "{dialect}");
    }
    let tool = |name: &str| catalog.tools().find(|(_, tool)| tool.name() == name).unwrap().1;
    let gemini = find("gemini").unwrap();
    let lost =
        |name: &str| definition(gemini, &catalog, tool(name)).losses.into_iter().map(|loss| (loss.path, loss.keyword));
    assert_eq!(lost("odd").collect::<Vec<_>>(), [(".ä".to_owned(), "name")]);
    assert_eq!(lost("even").collect::<Vec<_>>(), [(".ö".to_owned(), "properties")]);
    assert!(
        definition(gemini, &catalog, tool("even"))
            .definition
            .unwrap()
            .full_value()
            .get("parametersJsonSchema")
            .is_none()
    );
}

#[test]
fn conditions_are_kept() {
    let catalog = catalog(&[(
        "t",
        "[params.a]\ntype = 'string'\nwhen = 'facts.one'\ndescription = 'A{% if facts.one %}, one{% endif %}.'\n\
         [params.b]\ntype = 'integer'\nenum = [1, { value = 2, when = 'facts.one' }]",
    )]);
    let tool = catalog.tools().next().unwrap().1;
    let define = |name: &str, atoms| {
        let dialect = find(name).unwrap();
        definition(dialect, &catalog, tool).definition.unwrap().value(atoms, &[])
    };
    let strict = |atoms| define("openai-strict", atoms)["function"]["parameters"].take();
    assert_eq!(strict(1)["required"], json!(["a", "b"]));
    assert_eq!(strict(1)["properties"]["a"]["description"], "A, one.");
    assert_eq!(strict(0)["required"], json!(["b"]));
    assert_eq!(strict(0)["properties"]["b"]["enum"], json!([1, null]));
    let description = |atoms| define("gemini-openapi", atoms)["parameters"]["properties"]["b"]["description"].take();
    assert_eq!((description(0), description(1)), (json!("One of | 1."), json!("One of | 1 | 2.")));
}
