//! Tool search, through the calls of a model.

mod several_calls;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::call::ToolCall;
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Callers, Parallel};
use crate::data::dialect::Dialect;
use crate::data::segment::Segment;
use crate::fakes::wait;
use crate::provider::dynamic::{DynamicTool, DynamicTools};
use crate::registry::Registry;
use crate::render::search_tools::ToolSearch;
use crate::result::error::ToolError;
use crate::result::output::ToolOutput;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

/// Returns a tool that returns its name and arguments.
fn tool(name: &str, description: &str) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer", "description": "Which one."}},
        "required": ["id"],
        "additionalProperties": false,
    });
    DynamicTool::sync(name.to_owned(), description.to_owned(), schema, |args, call| {
        Ok(ToolOutput::text(format!("{} {args}", call.tool())))
    })
}

fn registry() -> Registry {
    let tools = DynamicTools::new()
        .tool(tool("show_invoice", "Show one invoice of a customer, with all of its lines.").toolset("billing"))
        .tool(tool("send_mail", "Send a message to a person.").toolset("mail"))
        .tool(tool("zoom", "Look closer at a picture.").toolset("pictures").defer(false))
        .tool(tool("ask", "Ask the user a question.").toolset("talk").defer(false));
    let registry = Registry::new();
    registry.add(tools.build().unwrap()).unwrap();
    registry
}

fn turn(session: SessionBuilder) -> Turn {
    session.build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn searched(registry: &Registry) -> Turn {
    turn(registry.session().tool_search(ToolSearch::with_threshold(0)))
}

fn shown(turn: &Turn) -> Vec<String> {
    let definitions: Vec<Value> = serde_json::from_str(turn.definitions()).unwrap();
    definitions.iter().map(|definition| definition["function"]["name"].as_str().unwrap().to_owned()).collect()
}

fn call(turn: &Turn, name: &str, arguments: &Value) -> CallResponse {
    wait(turn.call(&ToolCall::new(name, &arguments.to_string()).with_id("7")))
}

/// Returns the arguments of `tool_call` for one call.
fn one(name: &str, arguments: &Value) -> Value {
    json!({"calls": [{"name": name, "arguments": arguments}]})
}

/// Calls a tool, and returns the JSON of the response.
fn call_json(turn: &Turn, name: &str, arguments: &Value) -> Value {
    serde_json::from_str(&call(turn, name, arguments).json).unwrap()
}

#[test]
fn three_tools_replace_all_deferrable_ones() {
    let turn = searched(&registry());
    assert_eq!(shown(&turn), ["ask", "tool_call", "tool_describe", "tool_search", "zoom"]);
    assert_eq!(turn.tools().collect::<Vec<_>>(), ["ask", "send_mail", "show_invoice", "zoom"]);
    assert_eq!(turn.deferred().collect::<Vec<_>>(), ["send_mail", "show_invoice"]);
    let listed = r"billing:\n- show_invoice: Show one invoice of a customer, with all of its lines.\nmail:\n- send_mail: Send a message";
    assert!(turn.definitions().contains(listed), "{}", turn.definitions());
}

#[test]
fn nothing_is_deferred_below_the_threshold_or_without_deferrable_tools() {
    let registry = registry();
    let tokens = turn(registry.session()).estimated_tokens();
    for search in [ToolSearch::default(), ToolSearch::with_threshold(tokens), ToolSearch::for_context(10 * tokens)] {
        let turn = turn(registry.session().tool_search(search));
        assert_eq!(shown(&turn), ["ask", "send_mail", "show_invoice", "zoom"]);
        assert_eq!(turn.deferred().count(), 0);
        assert!(call(&turn, "tool_search", &json!({"queries": ["mail"]})).is_error());
        assert!(call(&turn, "tool_call", &one("send_mail", &json!({"id": 1}))).is_error());
    }
    let not_deferrable =
        turn(registry.session().enable(["talk", "pictures"]).tool_search(ToolSearch::with_threshold(0)));
    assert_eq!(shown(&not_deferrable), ["ask", "zoom"]);
}

#[test]
fn a_model_can_find_describe_and_call_a_deferred_tool() {
    let turn = searched(&registry());
    let found = call_json(&turn, "tool_search", &json!({"queries": "the lines of an invoice", "limit": "1"}));
    let description = "Show one invoice of a customer, with all of its lines.";
    let tools = json!([{"name": "show_invoice", "description": description}]);
    assert_eq!(found, json!({"results": [{"query": "the lines of an invoice", "tools": tools}]}));
    let described = call_json(&turn, "tool_describe", &json!({"names": "show_invoice"}));
    assert_eq!(described["tools"][0]["function"]["parameters"]["required"], json!(["id"]));
    let answer = call_json(&turn, "tool_call", &one("show_invoice", &json!({"id": "5"})));
    assert_eq!(answer, "show_invoice {\"id\":5}");
}

#[test]
fn a_bridged_call_is_handled_as_a_call_of_the_inner_tool() {
    /// A hook that records calls.
    struct Recorder(Arc<Mutex<Vec<String>>>);
    impl Hook for Recorder {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.0.lock().unwrap().push(format!("{} {} {}", call.tool(), call.id(), call.arguments()));
            Ok(HookAction::Continue)
        }
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let search = ToolSearch::with_threshold(0);
    let turn = turn(registry().session().tool_search(search).hook(Arc::new(Recorder(Arc::clone(&seen)))));
    let arguments = one("send_mail", &json!("{\"id\": 3}"));
    assert_eq!(call_json(&turn, "tool_call", &arguments), "send_mail {\"id\":3}");
    assert_eq!(*seen.lock().unwrap(), [r#"send_mail 7 {"id":3}"#]);

    let wrong = call_json(&turn, "tool_call", &one("send_mail", &json!({"id": [], "di": 1})));
    assert_eq!(wrong["kind"], "invalid_arguments");
    let problems = wrong["problems"].as_array().unwrap().iter();
    let mut paths: Vec<&str> = problems.filter_map(|problem| problem["path"].as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/di", "/id"], "the paths are those of the tool's own arguments");
}

#[test]
fn bridged_calls_in_a_batch_run_like_direct_calls() {
    let registry = Registry::new();
    let slow = |name: &'static str| tool(name, "").parallel(Parallel::Always);
    registry.add(DynamicTools::new().tools([slow("a"), slow("b")]).build().unwrap()).unwrap();
    let turn = searched(&registry);
    let calls = [
        ToolCall::new("tool_call", r#"{"calls": [{"name": "a", "arguments": {"id": 1}}]}"#).with_id("1"),
        ToolCall::new("b", r#"{"id": 2}"#).with_id("2"),
        ToolCall::new("tool_call", r#"{"calls": [{"name": "c", "arguments": {}}]}"#).with_id("3"),
        ToolCall::new("tool_search", r#"{"queries": ["b"]}"#).with_id("4"),
    ];
    let answers = wait(turn.batch(&calls));
    let ids: Vec<(&str, &str)> = answers.iter().map(|completed| (completed.call.name(), completed.call.id())).collect();
    assert_eq!(ids, [("tool_call", "1"), ("b", "2"), ("tool_call", "3"), ("tool_search", "4")]);
    assert_eq!(answers[0].response.json, r#""a {\"id\":1}""#);
    assert_eq!(answers[1].response.json, r#""b {\"id\":2}""#, "a tool that was found may be called by its name, too");
    assert!(answers[2].response.json.contains("unknown tool `c`"), "{}", answers[2].response.json);
    assert!(answers[3].response.json.contains(r#""name":"b""#), "{}", answers[3].response.json);
}

#[test]
fn invalid_inner_calls_are_reported() {
    let turn = searched(&registry());
    let response = |arguments: &Value| call(&turn, "tool_call", arguments).json;
    let nested = response(&one("tool_call", &one("zoom", &json!({"id": 1}))));
    assert!(nested.contains("must be called directly"), "{nested}");
    assert!(response(&one("send_mial", &json!({}))).contains("did you mean `send_mail`"));
    assert!(response(&one("send_mail", &json!([1]))).contains("error"));
    for (arguments, path) in [
        (json!({"calls": [{"name": 3, "arguments": {"id": 1}}]}), "unknown tool `3`"),
        (json!({"calls": [{"tool": "send_mail"}]}), "/tool"),
        (json!({"tool": "send_mail"}), "/tool"),
        (json!({"calls": []}), "/calls"),
        (json!({"calls": 3}), "expected object"),
        (json!({"calls": vec![json!({"name": "zoom", "arguments": {}}); 11]}), "1 to 10 items"),
    ] {
        let json = response(&arguments);
        assert!(json.contains("error") && json.contains(path), "{arguments}: {json}");
    }
    for broken in ["", "{", "{\"calls\": [{\"name\": \"send_mail\", \"arguments\": {\"id\": 1}"] {
        let answer = wait(turn.call(&ToolCall::new("tool_call", broken)));
        assert!(answer.is_error() && answer.json.contains("malformed_arguments"), "{broken}: {}", answer.json);
    }
    let described = call(&turn, "tool_describe", &json!({"names": ["send_mial"]})).json;
    assert!(described.contains("send_mail") && described.contains("unknown_tool"), "{described}");
    let some = call_json(&turn, "tool_describe", &json!({"names": ["zoom", "nothing"]}));
    let reason = "unknown tool `nothing`: search for it with `tool_search`";
    assert_eq!(some["not_described"], json!([reason]));
}

#[test]
fn tools_that_are_not_granted_are_neither_found_nor_called() {
    let turn = turn(registry().session().enable(["mail"]).tool_search(ToolSearch::with_threshold(0)));
    let found = call_json(&turn, "tool_search", &json!({"queries": ["show an invoice"]}));
    assert_eq!(found["results"][0]["tools"], json!([]));
    assert_eq!(found["toolsets"], json!({"mail": 1}));
    let refused = call(&turn, "tool_call", &one("show_invoice", &json!({"id": 1})));
    assert!(refused.json.contains("unknown_tool"), "{}", refused.json);
    assert!(call(&turn, "tool_describe", &json!({"names": ["show_invoice"]})).is_error());
}

#[test]
fn search_finds_added_tools_and_no_removed_ones() {
    let registry = registry();
    let session = registry.session().tool_search(ToolSearch::with_threshold(0)).build().unwrap();
    let find = |query: &str| {
        let turn = session.turn_blocking(Dialect::OpenAi);
        turn.search(query, 3).iter().map(|found| found.tool.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(find("volcano"), [] as [&str; 0]);
    let id = registry.add(tool("watch_volcanoes", "What the mountains do.").build().unwrap()).unwrap();
    assert_eq!(find("volcano"), ["watch_volcanoes"]);
    let other = tool("watch_volcanoes", "A film about the sea.");
    let over = registry.add_overriding(other.build().unwrap()).unwrap();
    assert_eq!(find("mountains"), [] as [&str; 0]);
    assert_eq!(find("film"), ["watch_volcanoes"]);
    assert!(registry.remove(over));
    assert_eq!(find("mountains"), ["watch_volcanoes"]);
    assert!(registry.remove(id));
    assert_eq!(find("volcano"), [] as [&str; 0]);
}

#[test]
fn tools_of_large_and_small_providers_are_found() {
    let registry = registry();
    let many = (0..100).map(|n| tool(&format!("tool_{n}"), &format!("Does thing number{n}.")));
    registry.add(DynamicTools::new().tools(many).build().unwrap()).unwrap();
    let turn = searched(&registry);
    let found = turn.search("number57 invoice", 10);
    assert_eq!(found.iter().map(|found| found.tool).collect::<Vec<_>>(), ["show_invoice", "tool_57"]);
    assert!(found.iter().all(|found| found.score > 0.0));
    assert_eq!(turn.search("thing", 1_000).len(), 100);
    assert_eq!(turn.search("thing", 0).len(), 0);
    let results = &call_json(&turn, "tool_search", &json!({"queries": ["thing"]}))["results"];
    assert_eq!(results[0]["tools"].as_array().unwrap().len(), 5);
}

#[test]
fn a_deferred_tool_satisfies_conditions() {
    use crate::data::segment::{Atom, Condition, Op};
    let mut fake = crate::fakes::tool("hint", "talk", &[]);
    fake.behaviour.defer = false;
    fake.atoms = vec![Atom::Tool("send_mail".into())];
    let segments = vec![
        Segment::Text("{\"function\":{\"name\":\"hint\",\"description\":\"".into()),
        Segment::When { condition: Condition(vec![Op::Atom(0)]), segments: 1 },
        Segment::Text("There is mail.".into()),
        Segment::Text("\"}}".into()),
    ];
    let registry = registry();
    registry.add(Box::new(crate::fakes::Fake::new([fake]).defined("hint", Some(segments)))).unwrap();
    let turn = searched(&registry);
    assert!(turn.definitions().contains("There is mail."), "{}", turn.definitions());
    assert!(turn.deferred().any(|name| name == "send_mail"));
}

#[test]
fn misplaced_secrets_are_not_in_the_error() {
    let turn = searched(&registry());
    for arguments in [
        json!({"calls": [{"name": "send_mail", "id": "hunter2"}]}),
        json!({"calls": [{"name": "send_mail", "arguments": {"id": 1}, "pin": "hunter2"}]}),
        json!({"calls": [{"name": "send_mail", "arguments": ["hunter2"]}]}),
        json!({"calls": ["hunter2"]}),
        json!({"calls": {"pin": "hunter2"}}),
        json!({"call": [{"name": "send_mail", "arguments": {"pin": "hunter2"}}]}),
        json!({"name": "send_mail", "arguments": ["hunter2"]}),
        json!({"calls": vec![json!({"name": "send_mail", "arguments": {"pin": "hunter2"}}); 11]}),
    ] {
        let answer = call(&turn, "tool_call", &arguments);
        assert!(answer.is_error() && !answer.json.contains("hunter2"), "{}", answer.json);
    }
}

#[test]
fn a_wrong_number_of_calls_is_reported_as_such() {
    let turn = searched(&registry());
    let many = json!({"calls": vec![json!({"name": "zoom", "arguments": {"id": 1}}); 11]});
    for (calls, got) in [(json!({"calls": []}), "0 items"), (json!({"calls": "[]"}), "0 items"), (many, "11 items")] {
        let error = call_json(&turn, "tool_call", &calls);
        let text = format!("invalid arguments: /calls: expected an array of 1 to 10 items, got {got}");
        assert_eq!((&error["error"], &error["kind"]), (&json!(text), &json!("invalid_arguments")));
    }
}

#[test]
fn a_text_call_of_tool_call_runs_the_calls_in_the_text() {
    let turn = searched(&registry());
    let call = |text: &str| turn.call_blocking(&ToolCall::text("tool_call", text)).json;
    assert_eq!(call(r#"{"calls":[{"name":"zoom","arguments":{"id":1}}]}"#), r#""zoom {\"id\":1}""#);
    let error = call("zoom");
    assert!(error.contains("invalid_arguments") || error.contains("malformed_arguments"), "{error}");
    assert!(!error.contains("directly"), "{error}");
}

#[test]
fn a_tool_is_described_once_for_all_spellings_of_its_name() {
    let turn = searched(&registry());
    let names = json!({"names": ["zoom", "functions.zoom", "Zoom", "send_mail", "zoom"]});
    let described = call_json(&turn, "tool_describe", &names);
    let names = described["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["zoom", "send_mail"]);
}

#[test]
fn tools_that_code_may_call_are_defined_where_code_sees_definitions() {
    let registry = Registry::new();
    for (name, callers) in [("by_both", Callers::BOTH), ("by_code", Callers::CODE), ("by_model", Callers::MODEL)] {
        registry.add(tool(name, "Does it.").callers(callers).build().unwrap()).unwrap();
    }
    let session = registry.session().tool_search(ToolSearch::with_threshold(0)).build().unwrap();
    for dialect in [Dialect::Anthropic, Dialect::OpenAiResponses] {
        let turn = session.turn_blocking(dialect);
        assert_eq!(turn.deferred().collect::<Vec<_>>(), ["by_model"], "{dialect:?}");
        assert!(turn.definitions().contains("by_code") && turn.definitions().contains("allowed_callers"));
        assert!(!turn.definitions().contains("by_code:"), "tool_call cannot call it");
    }
    // Other dialects show neither callers nor tools for code alone.
    let turn = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(turn.deferred().collect::<Vec<_>>(), ["by_both", "by_model"]);
}

#[test]
fn unknown_names_are_explained() {
    let answer = call(&searched(&registry()), "tool_describe", &json!({"names": ["send_mial", "xyz", "tool_call"]}));
    let error: Value = serde_json::from_str(&answer.json).unwrap();
    let each = [
        "unknown tool `send_mial`: did you mean `send_mail`?",
        "unknown tool `xyz`: search for it with `tool_search`",
        "`tool_call` is already defined in the list of tools",
    ];
    assert_eq!(error["error"], each.join("; "));
}

#[test]
fn a_deferred_tool_is_explained_and_a_hidden_one_not_described() {
    let mut hidden = crate::fakes::tool("show_map", "maps", &[]);
    hidden.requires = vec![crate::data::requirement::Requirement::Env(vec!["MAP_KEY".into()])];
    let registry = registry();
    registry.add(Box::new(crate::fakes::Fake::new([hidden]))).unwrap();
    let turn = searched(&registry);
    let why = turn.why("send_mail").unwrap();
    assert!(why.is_deferred && why.to_string().contains("tool search finds it"), "{why}");
    let answer = call(&turn, "tool_describe", &json!({"names": ["show_map"]}));
    assert!(answer.json.contains("not available now") && answer.json.contains("MAP_KEY"), "{}", answer.json);
}

#[test]
fn a_query_has_its_own_results_and_a_tool_is_described_once() {
    let turn = searched(&registry());
    let queries = json!(["invoices of a customer", "lines of an invoice", "quantum", "send mial"]);
    let found = call_json(&turn, "tool_search", &json!({ "queries": queries }));
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|result| result["query"].clone()).collect::<Value>(), queries);
    let description = "Show one invoice of a customer, with all of its lines.";
    assert_eq!(results[0]["tools"], json!([{"name": "show_invoice", "description": description}]));
    assert_eq!(results[1]["tools"], json!([{"name": "show_invoice"}]));
    assert_eq!(results[2]["tools"], json!([]));
    assert_eq!(results[2].get("did_you_mean"), None);
    assert_eq!(results[3]["tools"][0]["name"], "send_mail", "the other word matches");
    assert_eq!(found["toolsets"], json!({"billing": 1, "mail": 1, "pictures": 1, "talk": 1}));
    let near = call_json(&turn, "tool_search", &json!({"queries": ["shwo_invoise"]}));
    assert_eq!(near["results"][0]["did_you_mean"], json!(["show_invoice"]));
    let none = call_json(&turn, "tool_search", &json!({"queries": ["mail"]}));
    assert_eq!((none.get("toolsets"), none.get("note")), (None, None));
}

#[test]
fn queries_are_limited_in_number_and_length() {
    let turn = searched(&registry());
    for queries in [json!([]), json!(vec!["a"; 6]), json!(["x".repeat(201)]), json!([{}])] {
        let answer = call(&turn, "tool_search", &json!({ "queries": queries }));
        assert!(answer.json.contains("invalid_arguments"), "{}", answer.json);
    }
}

#[test]
fn a_wrong_direct_call_of_a_deferred_tool_gets_its_parameters() {
    let turn = searched(&registry());
    for (name, arguments) in
        [("send_mail", json!({"to": "ada"})), ("tool_call", one("send_mail", &json!({"to": "ada"})))]
    {
        let error = call_json(&turn, name, &arguments);
        assert!(error["error"].as_str().unwrap().contains("`tool_describe` returns its definition"), "{error}");
        assert_eq!(error["kind"], "invalid_arguments");
        assert_eq!(error["parameters"]["properties"]["id"]["description"], "Which one.");
    }
    let shown = call_json(&turn, "zoom", &json!({"to": "ada"}));
    assert_eq!(shown.get("parameters"), None, "the model has its definition");
    assert_eq!(call_json(&turn, "send_mail", &json!({"id": 1})), "send_mail {\"id\":1}", "a valid call runs");
}

#[test]
fn the_parameters_in_an_error_are_those_of_each_dialect_and_small() {
    let many: serde_json::Map<String, Value> =
        (0..200).map(|at| (format!("parameter_{at}"), json!({"type": "string"}))).collect();
    let large = json!({"type": "object", "properties": many, "required": ["parameter_0"]});
    let registry = registry();
    let large = DynamicTool::sync("large", "", large, |_: Value, _| Ok(ToolOutput::text("")));
    registry.add(large.build().unwrap()).unwrap();
    let session = registry.session().tool_search(ToolSearch::with_threshold(0)).build().unwrap();
    for &dialect in Dialect::ALL {
        let turn = session.turn_blocking(dialect);
        let Some(deferred) = turn.deferred().find(|name| *name == "send_mail") else { continue };
        let error = call_json(&turn, deferred, &json!({}));
        assert_eq!(error["parameters"]["required"], json!(["id"]), "{dialect:?}");
        let error = call_json(&turn, "large", &json!({}));
        assert_eq!(error.get("parameters"), None);
        assert!(error["error"].as_str().unwrap().contains("`tool_describe`"), "{error}");
    }
}

#[test]
fn the_names_of_the_three_tools_are_corrected_too() {
    let turn = searched(&registry());
    for name in ["functions.tool_call", "Tool-Call", "default_api.tool_call"] {
        assert_eq!(
            call_json(&turn, name, &one("functions.Send_Mail", &json!({"id": 1}))),
            "send_mail {\"id\":1}",
            "{name}"
        );
        let both = json!({"calls": [
            {"name": "Send-Mail", "arguments": {"id": 1}},
            {"name": "functions.tool_search", "arguments": {"queries": "mail"}},
            {"name": "functions.tool_call", "arguments": {"name": "zoom", "arguments": {"id": 1}}},
        ]});
        let results = call_json(&turn, name, &both);
        assert_eq!(results["results"][0], json!({"name": "Send-Mail", "result": "send_mail {\"id\":1}"}));
        assert_eq!(results["results"][1]["result"]["results"][0]["tools"][0]["name"], "send_mail");
        assert_eq!(results["results"][2]["result"]["kind"], "invalid_arguments", "{results}");
    }
    assert!(call(&turn, "functions.tool_search", &json!({"queries": "mail"})).json.contains("send_mail"));
    let described = call_json(&turn, "tool-describe", &json!({"names": ["Send-Mail", "functions.tool_call"]}));
    assert_eq!(described["tools"][0]["function"]["name"], "send_mail");
    assert_eq!(described["not_described"], json!(["`tool_call` is already defined in the list of tools"]));
    let without = self::turn(registry().session());
    assert!(call(&without, "functions.tool_call", &one("send_mail", &json!({"id": 1}))).json.contains("unknown_tool"));
}

#[test]
fn equal_turns_list_the_deferred_tools_in_the_same_bytes() {
    let first = searched(&registry());
    let other = Registry::new();
    let tools = DynamicTools::new()
        .tool(tool("ask", "Ask the user a question.").toolset("talk").defer(false))
        .tool(tool("zoom", "Look closer at a picture.").toolset("pictures").defer(false))
        .tool(tool("send_mail", "Send a message to a person.").toolset("mail"))
        .tool(tool("show_invoice", "Show one invoice of a customer, with all of its lines.").toolset("billing"));
    other.add(tools.build().unwrap()).unwrap();
    assert_eq!(searched(&other).definitions(), first.definitions());
    let short = turn(registry().session().tool_search(ToolSearch::with_threshold(0).with_listing(10)));
    assert!(short.definitions().contains(r"billing: show_invoice\nmail: send_mail"), "{}", short.definitions());
}
