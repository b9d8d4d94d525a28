//! The outcomes of calls.

use super::*;

#[test]
fn every_outcome_of_a_handler_is_one_json_text() {
    for tool in ["run_now", "run_later"] {
        assert!(echo(tool, &json!({})).starts_with("Args { outcome: Echo"), "{tool}");
        let failed = error(tool, r#"{"outcome":"fail"}"#);
        assert_eq!(failed, json!({ "error": "asked to fail", "kind": "failed" }), "{tool}");
        let refused = error(tool, r#"{"outcome":"refuse"}"#);
        assert_eq!(refused, json!({ "error": "asked to \"refuse\"", "kind": "refused" }), "{tool}");
        let panicked = error(tool, r#"{"outcome":"panic"}"#);
        assert_eq!(panicked["kind"], "panicked", "{tool}");
        assert!(panicked["error"].as_str().is_some_and(|text| text.contains("asked to panic")), "{panicked}");
        assert_eq!(panicked.as_object().map(serde_json::Map::len), Some(2), "{panicked}");
        // The turn survives it.
        assert!(echo(tool, &json!({})).starts_with("Args"), "{tool}");
    }
    assert_eq!(echo("run_later", &json!({ "pauses": 3 })), "Args { outcome: Echo, pauses: 3 }");
    let panicked_at_once = error("run_later", r#"{"outcome":"panic","pauses":0}"#);
    assert_eq!(panicked_at_once["kind"], "panicked");
}

#[test]
fn a_handler_reads_the_id_and_task_of_its_call() {
    for tool in ["no_parameters", "wait"] {
        let task = Task::new("task_1");
        let call = ToolCall::new(tool, "{}").with_id("call_1").with_task(&task);
        let answer = pollster::block_on(turn("all").call(&call));
        let expected = format!(r#""(Args, \"{tool}\", \"call_1\", \"task_1\")""#);
        assert_eq!((answer.json, answer.error), (expected, None));
    }
}

#[test]
fn a_tool_that_a_turn_does_not_list_cannot_be_called() {
    let answer = pollster::block_on(turn("later").call(&ToolCall::new("run_now", "{}")));
    assert!(answer.is_error());
    assert_eq!(
        serde_json::from_str::<Value>(&answer.json).expect("an error is JSON"),
        json!({ "error": "unknown tool `run_now`: the available tools are run_later, wait", "kind": "unknown_tool" })
    );
    assert!(!pollster::block_on(turn("later").call(&ToolCall::new("run_later", "{}"))).is_error());
}

#[test]
fn a_call_of_an_unknown_tool_names_the_nearest_ones() {
    let text = |tool: &str| error(tool, "{}")["error"].as_str().expect("text").to_owned();
    assert_eq!(text("odd_name"), "unknown tool `odd_name`: did you mean `Odd-Names`?");
    assert_eq!(text("every_defualt"), "unknown tool `every_defualt`: did you mean `every_default`?");
    let few = pollster::block_on(turn("lib").call(&ToolCall::new("browser", "{}"))).json;
    assert!(few.contains("the available tools are Odd-Names, no_parameters, run_now\""), "{few}");
    assert_eq!(error("browser", "not even JSON")["kind"], "unknown_tool");
    assert_eq!(
        serde_json::from_str::<Value>(&pollster::block_on(turn("nothing").call(&ToolCall::new("wait", "{}"))).json)
            .expect("JSON"),
        json!({ "error": "unknown tool `wait`: no tool is available", "kind": "unknown_tool" })
    );
    assert_eq!(turn("nothing").definitions(), "[]");
}

#[test]
fn one_toolset_can_be_registered_alone() {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::later::provider(Echo)).expect("the names are unique");
    let session = registry.session().enable(["everything"]).build().expect("the toolset is known");
    assert_eq!(session.turn_blocking(Dialect::OpenAi).tools().collect::<Vec<_>>(), ["run_later", "wait"]);
    registry.add(toolc_tests::golden::lib_::provider(Echo)).expect("the names are still unique");
    assert_eq!(session.turn_blocking(Dialect::OpenAi).tools().count(), 5);
    assert!(registry.add(toolc_tests::golden::shared_provider(Echo)).is_err(), "its tools are there already");
}

/// A turn of these toolsets with these facts.

#[test]
fn results_are_serialized_by_their_declared_types() {
    let result = |tool: &str, arguments: &Value| {
        let CallResponse { json, error, .. } = answer(tool, &arguments.to_string());
        assert!(error.is_none(), "{json}");
        json
    };
    let tree =
        json!({ "label": "root", "children": [{ "label": "leaf" }], "next": { "label": "next", "children": [] } });
    let all = json!({ "tree": tree, "node": "any" });
    insta::assert_snapshot!(result("return_all", &all));
    let (text, node) = (result("return_all", &all), result("return_all", &json!({ "tree": tree, "node": tree })));
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/projects/golden/generated/catalog.json");
    let catalog = std::fs::read_to_string(catalog).expect("failed to read");
    let catalog: Value = serde_json::from_str(&catalog).expect("the catalog is JSON");
    let schema = |tool: &str| {
        let tools = catalog["tools"].as_array().expect("an array");
        tools.iter().find(|one| one["name"] == tool).expect("the tool is there")["returns"].clone()
    };
    for (tool, text) in [
        ("return_all", text),
        ("return_all", node),
        ("return_bare", result("return_bare", &json!({}))),
        ("return_def", result("return_def", &json!({}))),
        ("return_list", result("return_list", &json!({}))),
        ("return_maybe", result("return_maybe", &json!({ "found": true }))),
        ("return_maybe", result("return_maybe", &json!({ "found": false }))),
        ("return_sort", result("return_sort", &json!({ "as": 1 }))),
        ("return_sort", result("return_sort", &json!({ "as": "1" }))),
        ("return_word", result("return_word", &json!({}))),
    ] {
        let validator = jsonschema::draft202012::new(&schema(tool)).expect("a schema");
        let value: Value = serde_json::from_str(&text).expect("a result is JSON");
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{tool}: {text}: {errors:?}");
    }
    assert_eq!(result("return_def", &json!({})), r#"{"path":"a","more":{"path":"b"}}"#);
    assert_eq!(result("return_list", &json!({})), r#"[{"id":1},{"id":2}]"#);
    assert_eq!(result("return_maybe", &json!({ "found": false })), "null");
    assert_eq!(result("return_sort", &json!({ "as": "x" })), "\"x\"");
    assert_eq!(result("return_word", &json!({})), "\"no\"");
    assert_eq!(result("return_bare", &json!({})), "[1,2]");
    assert_eq!(error("return_sort", r#"{"as": ""}"#), json!({ "error": "asked to fail", "kind": "failed" }));
}
