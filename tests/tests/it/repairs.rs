//! What a host learns about the repairs of a call: from the response, in hooks, and from the counters of the registry.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolc::hooks::{CallInfo, Hook, HookAction};
use toolc::repair::{Repair, RepairRule};
use toolc::{CallResponse, Dialect, DynamicTool, Registry, ToolCall, ToolError, ToolOutput, Turn};

use super::calls::answer;

/// Returns a registry with a tool `echo`, which returns its arguments.
fn registry(schema: Value) -> Registry {
    let registry = Registry::new();
    let echo = DynamicTool::sync("echo", "Returns its arguments.", schema, |args, _| ToolOutput::json(&args));
    registry.add(echo.build().expect("the schema is supported")).expect("the name is free");
    registry
}

fn turn(registry: &Registry) -> Turn {
    registry.session().build().expect("all tools are granted").turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, arguments: &str) -> CallResponse {
    turn.call_blocking(&ToolCall::new("echo", arguments))
}

fn lines(repairs: &[Repair]) -> Vec<String> {
    repairs.iter().map(ToString::to_string).collect()
}

fn every_rule() -> Value {
    json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer"}, "unit": {"enum": ["metric", "imperial"]},
            "maybe": {"type": ["string", "null"]}, "text": {"type": "string"},
            "edits": {"type": "array", "items": {
                "type": "object", "properties": {"line": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
                "additionalProperties": false,
            }},
            "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "boolean"}}]},
        },
        "additionalProperties": false,
    })
}

#[test]
fn every_repair_is_listed_with_the_path_that_the_model_sent() {
    let turn = turn(&registry(every_rule()));
    let sent = json!({
        "LIMIT": "5", "unit": "METRIC", "maybe": "null", "text": true,
        "edits": ["{'Line': '7'}", {"tags": 1}], "either": "true",
    });
    let response = call(&turn, &sent.to_string());
    assert_eq!(
        serde_json::from_str::<Value>(&response.json).unwrap(),
        json!({
            "limit": 5, "unit": "metric", "maybe": null, "text": "true",
            "edits": [{"line": 7}, {"tags": ["1"]}], "either": [true],
        })
    );
    let mut sorted = lines(&response.repairs);
    sorted.sort();
    insta::assert_snapshot!(sorted.join("\n"), @r#"
    /LIMIT: "5" became 5 (number)
    /LIMIT: "LIMIT" became "limit" (parameter_name)
    /edits/0/Line: "7" became 7 (number)
    /edits/0/Line: "Line" became "line" (parameter_name)
    /edits/0: "{'Line': '7'}" became {"line":7} (almost_json)
    /edits/1/tags: 1 became "1" (string)
    /edits/1/tags: 1 became ["1"] (single_item)
    /either: "true" became [true] (single_item)
    /either: "true" became true (boolean)
    /maybe: "null" became null (null_word)
    /text: true became "true" (string)
    /unit: "METRIC" became "metric" (enum_word)
    "#);
    assert!(call(&turn, r#"{"limit": 5, "text": null}"#).repairs.is_empty(), "null for an absent parameter");
    let refused = call(&turn, r#"{"limit": "5", "unit": "other"}"#);
    assert!(refused.is_error() && refused.repairs.iter().next().is_none());
}

#[test]
fn repairs_of_the_arguments_as_a_whole_have_an_empty_path() {
    let turn = turn(&registry(every_rule()));
    let repairs = |sent: &str| {
        let response = call(&turn, sent);
        assert!(!response.is_error(), "{}", response.json);
        lines(&response.repairs)
    };
    assert_eq!(repairs(""), [r#"the arguments: "" became {} (empty_arguments)"#]);
    assert_eq!(repairs("null"), ["the arguments: null became {} (empty_arguments)"]);
    let fenced = repairs("```json\n{\"limit\": \"5\"}\n```");
    assert_eq!(fenced[0], r#"the arguments: "```json\n{\"limit\": \"5\"}\n```" became {"limit":5} (code_fence)"#);
    assert_eq!(fenced[1..], [r#"/limit: "5" became 5 (number)"#]);
    assert_eq!(repairs(r#"{"limit": 5,}"#)[0], r#"the arguments: "{\"limit\": 5,}" became {"limit":5} (almost_json)"#);
    let quoted = repairs(r#""{\"limit\": \"5\"}""#);
    assert_eq!(
        quoted,
        [r#"the arguments: "{\"limit\": \"5\"}" became {"limit":5} (json_text)"#, r#"/limit: "5" became 5 (number)"#]
    );
}

#[test]
fn long_values_are_cut_and_the_number_of_repairs_is_limited() {
    let turn = turn(&registry(json!({"type": "object", "properties": {
        "all": {"type": "array", "items": {"type": "string"}}, "other": {"type": "array"},
    }})));
    let response = call(&turn, &json!({"all": vec![1; 1_000]}).to_string());
    assert_eq!(response.repairs.len(), 100);
    let response = call(&turn, &json!({"other": "ü".repeat(10_000)}).to_string());
    let [Repair { from, to, .. }] = &*response.repairs else { panic!("{:?}", response.repairs) };
    assert!(from.ends_with("ü…") && from.len() < 210 && to.ends_with("ü…") && to.len() < 210, "{from} {to}");
}

#[test]
fn the_repairs_of_an_object_with_many_keys_are_found_in_linear_time() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let turn = turn(&registry(schema));
    let sent: serde_json::Map<String, Value> = (0..20_000).map(|key| (format!("key{key}"), json!(key))).collect();
    let begin = std::time::Instant::now();
    assert_eq!(call(&turn, &Value::from(sent).to_string()).repairs.len(), 100);
    // It took 39 s when each key was compared with all others, and takes 0.1 s.
    assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn secrets_are_not_in_repairs() {
    for sent in [
        json!({"command": "ls", "Password": "hunter2", "account": {"pin": "120000"}}),
        json!({"command": "ls", "password": 120_000, "account": "{'pin': '120000'}"}),
        json!(json!({"command": "ls", "account": {"pin": "120000"}}).to_string()),
    ] {
        let response = answer("shell", &sent.to_string());
        let text = lines(&response.repairs).join("\n");
        assert!(!response.is_error() && text.contains("[secret]"), "{} {text}", response.json);
        assert!(!text.contains("hunter2") && !text.contains("12000"), "{text}");
    }
}

/// A hook that records what it sees, and changes `limit` to a string.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Hook for Recorder {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.0.lock().unwrap().push(format!("before {} {:?}", call.sent(), lines(call.repairs())));
        let changes = json!({"limit": "6"});
        Ok(HookAction::Change(changes.as_object().cloned().unwrap_or_default()))
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        assert_eq!(**call.repairs(), *response.repairs);
        self.0.lock().unwrap().push(format!("after {} {}", call.sent(), response.repairs.len()));
        Ok(())
    }
}

#[test]
fn hooks_see_what_was_sent_and_what_was_repaired() {
    let (hook, registry) = (Arc::new(Recorder::default()), registry(every_rule()));
    let session = registry.session().hook(hook.clone()).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    let response = call(&turn, r#"{"text": 1}"#);
    assert!(response.json.contains(r#""limit":6"#), "{}", response.json);
    assert_eq!(lines(&response.repairs), [r#"/text: 1 became "1" (string)"#], "not what the hook changed");
    call(&turn, r#"{"limit": "x"}"#);
    assert_eq!(
        *hook.0.lock().unwrap(),
        [
            r#"before {"text": 1} ["/text: 1 became \"1\" (string)"]"#,
            r#"after {"text": 1} 1"#,
            r#"after {"limit": "x"} 0"#,
        ]
    );
    let counts = registry.repairs();
    assert_eq!(counts.len(), 1);
    assert_eq!((&*counts[0].tool, &*counts[0].parameter, counts[0].calls), ("echo", "text", 1));
}

#[test]
fn a_registry_counts_repaired_calls_by_tool_and_parameter() {
    let counts = |registry: &Registry| -> Vec<(String, u64)> {
        registry.repairs().into_iter().map(|count| (count.parameter, count.calls)).collect()
    };
    let registry_of_all = registry(every_rule());
    let turn_of_all = turn(&registry_of_all);
    for sent in
        ["{}", r#"{"limit": "5"}"#, r#"{"limit": "5", "edits": {"line": "1"}}"#, r#"{"limit": "x", "text": 1}"#, ""]
    {
        call(&turn_of_all, sent);
    }
    assert_eq!(counts(&registry_of_all), [(String::new(), 1), ("edits".to_owned(), 1), ("limit".to_owned(), 2)]);

    // Parameters beyond those that a mask can hold, and those of alternatives.
    let properties: serde_json::Map<String, Value> =
        (0..100).map(|index| (format!("p{index}"), json!({"type": "integer"}))).collect();
    let many = registry(json!({"type": "object", "properties": properties}));
    call(&turn(&many), r#"{"p1": "1", "p70": "1", "p99": "1", "p98": 1}"#);
    assert_eq!(counts(&many), [("p1".to_owned(), 1), ("p70".to_owned(), 1), ("p99".to_owned(), 1)]);
    let union = registry(json!({"type": "object", "anyOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]},
    ]}));
    call(&turn(&union), r#"{"b": "1"}"#);
    assert_eq!(counts(&union), [("b".to_owned(), 1)]);
}

#[test]
fn errors_name_places_in_what_the_model_sent() {
    let turn = turn(&registry(json!({
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "pairs": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "todos": {"type": "array", "items": {"type": "object", "properties": {
                "id": {"type": "integer"}, "labels": {"type": "array", "items": {"type": "integer"}},
            }, "additionalProperties": false}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
            "limit": {"type": "integer", "maximum": 10},
        },
        "additionalProperties": false,
    })));
    let problems = |sent: &str| {
        let error: Value = serde_json::from_str(&call(&turn, sent).json).unwrap();
        let all = error["problems"].as_array().unwrap_or_else(|| panic!("{error}"));
        let line = |problem: &Value| {
            format!(
                "{}: {}, {}",
                problem["path"].as_str().unwrap(),
                problem["expected"].as_str().unwrap(),
                problem["got"].as_str().unwrap()
            )
        };
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    for (sent, expected) in [
        (r#"{"tags": {"0": "x"}}"#, "/tags: array of string with at most 3 items, object"),
        (r#"{"tags": ["a", {}]}"#, "/tags/1: string, object"),
        (r#"{"pairs": "a"}"#, "/pairs: array of string with at least 2 items, \"a\""),
        (r#"{"grid": "x"}"#, "/grid: array of array of integer, \"x\""),
        (r#"{"grid": [1, "x"]}"#, "/grid/1: array of integer, \"x\""),
        (r#"{"todos": {"id": []}}"#, "/todos/id: integer, array"),
        (r#"{"todos": "{\"id\": 1, \"labels\": \"x\"}"}"#, "/todos/labels: array of integer, \"x\""),
        (r#"{"todos": ["{'id': 'x'}"]}"#, "/todos/0/id: integer, \"x\""),
        (r#"{"todos": "[{\"id\": [1]}]"}"#, "/todos/0/id: integer, array"),
        (r#"{"either": "x"}"#, "/either: integer or array of integer, \"x\""),
        (r#"{"LIMIT": 11}"#, "/LIMIT: integer at most 10, 11"),
        (
            r#""{\"Limit\": 11, \"tags\": {}}""#,
            "/tags: array of string with at most 3 items, object\n/Limit: integer at most 10, 11",
        ),
        ("```\n{\"todos\": {\"ID\": {}}}\n```", "/todos/ID: integer, object"),
    ] {
        assert_eq!(problems(sent), expected, "{sent}");
    }
}

#[test]
fn rules_have_unique_ids() {
    let mut ids: Vec<&str> = RepairRule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RepairRule::ALL.len());
}
