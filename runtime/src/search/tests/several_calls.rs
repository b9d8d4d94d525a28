//! Several calls in one call of `tool_call`.

use super::*;
use crate::result::error::ErrorKind;
use crate::result::limit::ResultLimits;

/// Returns the results of several calls, each with its name.
fn call_together(turn: &Turn, calls: &Value) -> Vec<(String, Value)> {
    let output = call_json(turn, "tool_call", &json!({ "calls": calls }));
    let results = output["results"].as_array().unwrap_or_else(|| panic!("{output}")).iter();
    results.map(|result| (result["name"].as_str().unwrap().to_owned(), result["result"].clone())).collect()
}

#[test]
fn several_calls_are_answered_in_order_each_on_its_own() {
    let turn = searched(&registry());
    let calls = json!([
        {"name": "send_mail", "arguments": {"id": 1}},
        {"name": "send_mail", "arguments": {"id": "x"}},
        {"name": "nothing", "arguments": {}},
        {"nam": "zoom"},
        {"name": "tool_call", "arguments": {"name": "zoom", "arguments": {"id": 1}}},
        {"name": "zoom", "arguments": {"id": "2"}},
    ]);
    for calls in [calls.clone(), Value::from(calls.to_string())] {
        let results = call_together(&turn, &calls);
        let names: Vec<&str> = results.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["send_mail", "send_mail", "nothing", "tool_call", "tool_call", "zoom"]);
        assert_eq!(results[0].1, "send_mail {\"id\":1}");
        let kinds: Vec<&Value> = results[1..5].iter().map(|(_, result)| &result["kind"]).collect();
        assert_eq!(kinds, ["invalid_arguments", "unknown_tool", "invalid_arguments", "invalid_arguments"]);
        assert_eq!(results[5].1, "zoom {\"id\":2}");
    }
    let response =
        call(&turn, "tool_call", &json!({"calls": [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]}));
    assert_eq!(response.error, Some(ErrorKind::UnknownTool), "all of them failed");
    let response = call(
        &turn,
        "tool_call",
        &json!({"calls": [{"name": "a", "arguments": {}}, {"name": "zoom", "arguments": {"id": 1}}]}),
    );
    assert_eq!(response.error, None);
}

#[test]
fn several_calls_have_their_own_hooks_and_repairs() {
    /// A hook that blocks calls with an odd number, and records all responses.
    struct EvenOnly(Arc<Mutex<Vec<String>>>);
    impl Hook for EvenOnly {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            let is_even = call.arguments()["id"].as_i64().unwrap_or_default() % 2 == 0;
            Ok(if is_even { HookAction::Continue } else { HookAction::Block("it is odd".to_owned()) })
        }

        fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
            self.0.lock().unwrap().push(format!("{} {} {}", call.tool(), call.id(), response.is_error()));
            Ok(())
        }
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let search = ToolSearch::with_threshold(0);
    let turn = turn(registry().session().tool_search(search).hook(Arc::new(EvenOnly(Arc::clone(&seen)))));
    let calls = json!({"calls": [
        {"name": "send_mail", "arguments": {"id": "2"}},
        {"name": "show_invoice", "arguments": {"id": 3}},
        {"name": "show_invoice", "arguments": {"id": "04"}},
    ]});
    let response = call(&turn, "tool_call", &calls);
    let json: Value = serde_json::from_str(&response.json).unwrap();
    assert_eq!(json["results"][1]["result"]["kind"], "blocked");
    assert_eq!(json["results"][2]["result"], "show_invoice {\"id\":4}");
    let paths: Vec<&str> = response.repairs.iter().map(|repair| &*repair.path).collect();
    assert_eq!(paths, ["/calls/0/arguments/id", "/calls/2/arguments/id"]);
    assert_eq!(*seen.lock().unwrap(), ["send_mail 7 false", "show_invoice 7 true", "show_invoice 7 false"]);
}

#[test]
fn several_calls_overlap_as_their_tools_allow_and_share_the_limit_of_a_turn() {
    let running = Arc::new(Mutex::new((0, 0)));
    let named = |name: &'static str, parallel: Parallel| {
        let running = Arc::clone(&running);
        DynamicTool::future(name, "", json!({"type": "object"}), move |_: Value, _| {
            let running = Arc::clone(&running);
            Box::pin(async move {
                {
                    let mut running = running.lock().unwrap();
                    running.0 += 1;
                    running.1 = running.1.max(running.0);
                }
                let mut polls = 0;
                std::future::poll_fn(|context| {
                    polls += 1;
                    context.waker().wake_by_ref();
                    if polls > 3 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
                })
                .await;
                running.lock().unwrap().0 -= 1;
                Ok(ToolOutput::text("x".repeat(3_000)))
            })
        })
        .parallel(parallel)
    };
    let registry = Registry::new();
    let tools = [named("together", Parallel::Always), named("alone", Parallel::Never)];
    registry.add(DynamicTools::new().tools(tools).build().unwrap()).unwrap();
    let limits = ResultLimits::default().with_per_call(4_000).with_per_turn(5_000);
    let turn = turn(registry.session().tool_search(ToolSearch::with_threshold(0)).result_limits(limits));
    for (name, most) in [("together", 2), ("alone", 1)] {
        running.lock().unwrap().1 = 0;
        let calls = json!([{"name": name, "arguments": {}}, {"name": name, "arguments": {}}]);
        let results = call_together(&turn, &calls);
        assert_eq!(running.lock().unwrap().1, most, "{name}");
        assert!(results.iter().any(|(_, result)| result["truncated"] == true), "{results:?}");
    }
}

#[test]
fn the_images_of_several_calls_are_counted_and_limited() {
    use crate::result::image::Image;
    let image = || Image::new("image/gif", *b"GIF89a").unwrap();
    let draw = move |_: Value, _: &crate::call::Call<'_>| {
        (0..12).try_fold(ToolOutput::text("drawn"), |output, _| output.with_image(image()))
    };
    let registry = registry();
    registry.add(DynamicTool::sync("draw", "", json!({"type": "object"}), draw).build().unwrap()).unwrap();
    let turn = searched(&registry);
    let calls = [("draw", json!({})), ("zoom", json!({"id": 1})), ("draw", json!({}))];
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    let response = call(&turn, "tool_call", &json!({ "calls": calls }));
    assert_eq!(response.images.len(), 20);
    let json: Value = serde_json::from_str(&response.json).unwrap();
    assert_eq!(json["results"][0], json!({"name": "draw", "result": "drawn", "images": 12}));
    assert_eq!(json["results"][1].get("images"), None);
    assert_eq!(json["results"][2], json!({"name": "draw", "result": "drawn", "images": 8, "images_left_out": 4}));
}

#[test]
fn a_call_without_the_array_around_it_is_one_call() {
    let turn = searched(&registry());
    for arguments in [
        json!({"name": "send_mail", "arguments": {"id": 1}}),
        json!({"calls": {"name": "send_mail", "arguments": {"id": 1}}}),
        json!({"calls": "{\"name\": \"send_mail\", \"arguments\": {\"id\": 1}}"}),
        json!({"Calls": [{"Name": "send_mail", "Arguments": {"id": 1}}]}),
    ] {
        assert_eq!(call_json(&turn, "tool_call", &arguments), "send_mail {\"id\":1}", "{arguments}");
    }
    let python = ToolCall::new("tool_call", "{'calls': [{'name': 'send_mail', 'arguments': {'id': 1}}]}");
    assert_eq!(wait(turn.call(&python)).json, r#""send_mail {\"id\":1}""#);
}
