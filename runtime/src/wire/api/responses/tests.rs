use serde_json::{Value, json};

use super::*;
use crate::call::origin::Caller;
use crate::call::response::CallResponse;
use crate::result::error::ToolError;
use crate::result::output::ToolOutput;
use crate::wire::Api;

fn parse(items: &str) -> Result<ModelResponse, WireError> {
    Api::Responses.parse(&format!(r#"{{"output":[{items}],"status":"completed"}}"#))
}

/// Returns the results of the calls, each of which returned `json`.
fn answered(response: &ModelResponse, json: &str) -> Vec<Value> {
    let mut result = CallResponse::from(Ok(ToolOutput::text("")));
    json.clone_into(&mut result.json);
    let completed = response.calls().into_iter().map(|call| CompletedCall { call, response: result.clone() });
    let results = Api::Responses.results(&completed.collect::<Vec<_>>());
    results.iter().map(|result| serde_json::from_str(result.get()).unwrap()).collect()
}

#[test]
fn a_tool_search_of_the_host_is_a_call_whose_result_has_definitions() {
    let item = |execution: &str| {
        format!(r#"{{"type":"tool_search_call","execution":"{execution}","call_id":"c1","arguments":{{"q":"a"}}}}"#)
    };
    let server = parse(&item("server")).unwrap();
    assert_eq!((server.messages().len(), server.calls().len()), (1, 0));
    let client = parse(&item("client")).unwrap();
    let calls = client.calls();
    assert_eq!((calls[0].name(), calls[0].arguments(), calls[0].id()), ("tool_search", r#"{"q":"a"}"#, "c1"));
    let definition = json!({ "type": "function", "name": "f", "parameters": {} });
    let output = |status: &str, tools: &[Value]| json!({ "type": "tool_search_output", "call_id": "c1", "execution": "client", "status": status, "tools": tools });
    for found in [json!([definition]), json!({ "tools": [definition, { "name": "g" }] })] {
        assert_eq!(answered(&client, &found.to_string()), [output("completed", std::slice::from_ref(&definition))]);
    }
    assert_eq!(answered(&client, "not JSON"), [output("completed", &[])]);
    let failed = CompletedCall { call: calls[0], response: CallResponse::from(Err(ToolError::new("no"))) };
    let failed: Value = serde_json::from_str(Api::Responses.results(&[failed])[0].get()).unwrap();
    assert_eq!(failed, output("incomplete", &[]));
}

#[test]
fn the_origin_of_a_call_is_kept_for_its_result() {
    let response = parse(
        r#"{"type":"function_call","call_id":"c1","name":"f","namespace":"crm","arguments":"","async":true,
            "caller":{"type":"program","caller_id":"p1"}},
           {"type":"custom_tool_call","call_id":"c2","name":"g","input":"","caller":{"type":"direct"},"async":false}"#,
    );
    let response = response.unwrap();
    let calls = response.calls();
    let origin = calls[0].origin();
    assert_eq!((&*origin.namespace, origin.is_async, origin.kind), ("crm", true, CallKind::Function));
    assert_eq!((calls[0].caller(), calls[0].name()), (Caller::Program { id: "p1" }, "f"));
    assert_eq!(calls[1].origin(), &CallOrigin::of(CallKind::Text));
    assert_eq!((calls[1].caller(), calls[1].arguments()), (Caller::Model, ""));
    let caller = json!({ "type": "program", "caller_id": "p1" });
    assert_eq!(
        answered(&response, "1"),
        [
            json!({ "type": "function_call_output", "call_id": "c1", "caller": caller, "output": "1" }),
            json!({ "type": "custom_tool_call_output", "call_id": "c2", "output": "1" }),
        ]
    );
}

#[test]
fn an_unknown_item_is_kept_unless_it_looks_like_a_call() {
    let item = r#"{"type" : "hologram_call", "x":1.0}"#;
    let response = parse(item).unwrap();
    assert_eq!(response.messages()[0].get(), item);
    assert_eq!(response.unknown()[0].to_string(), "hologram_call at /output/0");
    for (item, kind) in [
        (r#"{"type":"hologram_call","call_id":"c1"}"#, "hologram_call"),
        (r#"{"type":"mcp_approval_request","id":"c1"}"#, "mcp_approval_request"),
        (r#"{"type":"shell_call","call_id":"c1","environment":{"type":"local"}}"#, "shell_call"),
    ] {
        let error = parse(item).unwrap_err().to_string();
        let expected = format!("/output/0/type: expected a call of a known type, got {kind}, which may need an answer");
        assert_eq!(error, expected);
    }
    let hosted =
        r#"{"type":"shell_call","call_id":"c1","environment":{"type":"container_reference","container_id":"x"}}"#;
    assert!(parse(hosted).unwrap().unknown().is_empty());
}

#[test]
fn calls_without_an_id_or_with_one_id_get_new_ones() {
    let first = r#"{ "type":"function_call","call_id":null,"name":"f","arguments":"{}" }"#;
    let second = r#"{ "type":"function_call","call_id":"c1","name":"f","arguments":"{}" }"#;
    let response = parse(&[first, second, second].join(",")).unwrap();
    let calls = response.calls();
    assert_eq!(calls[1].id(), "c1");
    for (at, before, old) in [(0, first, "null"), (2, second, r#""c1""#)] {
        let new = calls[at].id();
        assert!(new.len() == 9 && calls.iter().filter(|call| call.id() == new).count() == 1, "{new}");
        assert_eq!(response.messages()[at].get(), before.replace(old, &format!("\"{new}\"")));
    }
    assert_eq!(response.messages()[1].get(), second);
}

/// Returns the result of a stream in which items, each with its index, are done before the output.
fn streamed(done: &[(u64, &str)], output: &[&str]) -> Result<usize, String> {
    let mut stream = Api::Responses.stream();
    let done = done
        .iter()
        .map(|(index, item)| format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#));
    let response = format!(r#"{{"output":[{}],"status":"completed"}}"#, output.join(","));
    let last = format!(r#"{{"type":"response.completed","response":{response}}}"#);
    for event in done.chain([last]) {
        stream.push(format!("data: {event}\n\n").as_bytes()).map_err(|error| error.to_string())?;
    }
    stream.finish().map(|response| response.calls().len()).map_err(|error| error.to_string())
}

#[test]
fn all_items_of_a_stream_are_kept() {
    let a = r#"{"type":"function_call","id":"a","call_id":"1","name":"f","arguments":""}"#;
    let b = r#"{"type":"function_call","id":"b","call_id":"2","name":"f","arguments":""}"#;
    for output in [&[][..], &[a, b]] {
        assert_eq!(streamed(&[(0, a), (1, b), (1, b)], output), Ok(2));
    }
    assert_eq!(streamed(&[(0, a), (0, b)], &[]), Ok(2), "all items have one index");
    assert_eq!(streamed(&[(0, a), (0, b)], &[a, b]), Ok(2));
    assert_eq!(streamed(&[(0, a), (1, b)], &[a]), Ok(2), "the last event omits one");
    let other = b.replace(r#""f""#, r#""g""#);
    assert_eq!(streamed(&[(0, a)], &[&other]), Ok(2), "the last event has only another one");
}

#[test]
fn the_stop_reason_is_the_status_or_its_details() {
    let end = |rest: &str| Api::Responses.parse(&format!(r#"{{"output":[],{rest}}}"#));
    for (rest, stop, reason) in [
        (r#""status":"completed""#, Stop::Done, "completed"),
        (r#""status":"cancelled""#, Stop::Failed, "cancelled"),
        (r#""status":"incomplete""#, Stop::Failed, "incomplete"),
        (r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#, Stop::Refused, "content_filter"),
    ] {
        let response = end(rest).unwrap();
        assert_eq!((response.stop(), response.stop_reason()), (stop, reason));
    }
    for odd in ["null", "0", "{}"] {
        let call = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
        let response = Api::Responses.parse(&format!(r#"{{"output":[{call}],"status":{odd}}}"#)).unwrap();
        assert_eq!((response.stop(), response.calls().len()), (Stop::Other, 1), "{odd}");
    }
    let error = end(r#""status":"in_progress""#).unwrap_err().to_string();
    assert_eq!(error, r#"/status: expected a final status, got "in_progress""#);
}

/// Returns the names of the calls of a whole response and of a stream with these items.
fn names(items: &[&str]) -> [Vec<String>; 2] {
    let names = |response: ModelResponse| response.calls().iter().map(|call| call.name().to_owned()).collect();
    let mut stream = Api::Responses.stream();
    for (index, item) in items.iter().enumerate() {
        let event = format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#);
        stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
    }
    let last = r#"{"type":"response.completed","response":{"output":[],"status":"completed"}}"#;
    stream.push(format!("data: {last}\n\n").as_bytes()).unwrap();
    [names(parse(&items.join(",")).unwrap()), names(stream.finish().unwrap())]
}

#[test]
fn a_call_with_a_result_in_the_same_response_needs_no_other() {
    let call = |id: &str, name: &str| {
        format!(r#"{{"type":"function_call","call_id":"{id}","name":"{name}","arguments":"{{}}"}}"#)
    };
    let output = |kind: &str, id: &str| format!(r#"{{"type":"{kind}","call_id":"{id}","output":"1","tools":[]}}"#);
    let text = r#"{"type":"custom_tool_call","call_id":"a","name":"f","input":"x"}"#;
    let search = r#"{"type":"tool_search_call","call_id":"a","execution":"client","arguments":{}}"#;
    for (call, kind) in
        [(&*call("a", "f"), "function_call_output"), (text, "custom_tool_call_output"), (search, "tool_search_output")]
    {
        assert_eq!(names(&[call, &output(kind, "a")]), [const { Vec::<String>::new() }; 2], "{kind}");
        let other = names(&[call, &output(kind, "b"), &output(kind, "")]);
        assert!(other.iter().all(|names| names.len() == 1), "{kind}: {other:?}");
    }
    let result = output("function_call_output", "a");
    let after = names(&[&call("a", "f"), &result, &call("a", "g")]);
    assert_eq!(after, [vec!["g".to_owned()], vec!["g".to_owned()]], "a result answers the calls before it");
    let nameless = r#"{"type":"function_call","name":"f","arguments":"{}"}"#;
    assert_eq!(names(&[nameless, &output("function_call_output", "")]), [vec!["f".to_owned()], vec!["f".to_owned()]]);
}

#[test]
fn the_result_of_a_call_with_a_new_id_gets_this_id() {
    let items = [
        r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#,
        r#"{"type":"function_call","call_id":"a","name":"g","arguments":"{}"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"1"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"2"}"#,
    ];
    let response = parse(&items.join(",")).unwrap();
    let ids: Vec<Value> = response
        .messages()
        .iter()
        .map(|message| serde_json::from_str::<Value>(message.get()).unwrap()["call_id"].clone())
        .collect();
    assert_eq!((response.calls().len(), &ids[0], &ids[1]), (0, &ids[2], &ids[3]));
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn a_streamed_call_is_never_lost() {
    let bare = |name: &str| format!(r#"{{"type":"function_call","name":"{name}","arguments":"{{\"n\": 1}}"}}"#);
    let [f, g] = [bare("f"), bare("g")];
    assert_eq!(streamed(&[(0, &f), (0, &g)], &[]), Ok(2));
    assert_eq!(streamed(&[(0, &f), (0, &f)], &[]), Ok(1), "the event is repeated");
    let message = r#"{"type":"message","role":"assistant","content":[]}"#;
    assert_eq!(streamed(&[(0, &f)], &[message]), Ok(1));
    assert_eq!(streamed(&[(0, &f), (1, &f)], &[&f, message]), Ok(2));
    assert_eq!(streamed(&[(0, &f), (1, &g)], &[&g, &f.replace(": 1", ":1.0")]), Ok(2));
    let call = |id: &str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":""}}"#);
    assert_eq!(streamed(&[(0, &call("a"))], &[&call("b")]), Ok(1), "the last event gives the call another id");

    let mut stream = Api::Responses.stream();
    let last = r#"{"type":"response.completed","response":{"output":[],"status":"completed"}}"#;
    stream.push(format!("data: {last}\n\n").as_bytes()).unwrap();
    let late = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{f}}}"#);
    let error = stream.push(format!("data: {late}\n\n").as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "event 2/output_index: expected no item after the complete response, got 0");
}

#[test]
fn a_call_of_any_kind_that_was_cut_off_is_an_error() {
    let text =
        |status: &str| format!(r#"{{"type":"custom_tool_call","call_id":"a","name":"f","input":"rm -r /tm"{status}}}"#);
    let search =
        r#"{"type":"tool_search_call","call_id":"a","execution":"client","arguments":{},"status":"in_progress"}"#;
    let error = parse(&text(r#","status":"incomplete""#)).unwrap_err().to_string();
    assert_eq!(error, "/output/0: expected a complete call, got a response that was cut off: incomplete");
    assert_eq!(parse(search).unwrap().calls().len(), 1, "its arguments are complete");
    let server = search.replace("client", "server");
    assert!(parse(&server).unwrap().calls().is_empty(), "the host does not run it");

    let message = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"So"}]}"#;
    let incomplete = |item: &str| {
        let rest = r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#;
        let response = format!(r#"{{"output":[{item},{message}],{rest}}}"#);
        let mut stream = Api::Responses.stream();
        let event = format!(r#"{{"type":"response.incomplete","response":{response}}}"#);
        let streamed = stream.push(format!("data: {event}\n\n").as_bytes()).and_then(|_| stream.finish());
        [Api::Responses.parse(&response), streamed].map(|response| response.map(|response| response.calls().len()))
    };
    for response in incomplete(&text("")) {
        let error = response.unwrap_err().to_string();
        let expected = "/output/0: expected a complete call, got a response that was cut off: max_output_tokens";
        assert!(error.ends_with(expected), "{error}");
    }
    assert_eq!(incomplete(&text(r#","status":"completed""#)), [Ok(1), Ok(1)]);
}

#[test]
fn whether_a_call_of_a_complete_response_is_complete_is_seen_in_its_arguments() {
    let call = |status: &str, arguments: &str| {
        json!({ "type": "function_call", "call_id": "c", "name": "f", "status": status, "arguments": arguments })
            .to_string()
    };
    for status in ["completed", "in_progress", "incomplete", "done"] {
        let response = parse(&call(status, r#"{"a":1}"#)).unwrap();
        assert_eq!(response.calls()[0].arguments(), r#"{"a":1}"#, "{status}");
    }
    for odd in ["0", "{}", "null", "[]"] {
        let response = parse(&call("odd", "{}").replace(r#""odd""#, odd)).unwrap();
        assert_eq!(response.calls().len(), 1, "{odd}");
    }
    assert_eq!(parse(&call("in_progress", "")).unwrap().calls()[0].arguments(), "{}");
    for status in ["in_progress", "incomplete"] {
        let error = parse(&call(status, r#"{"a":"#)).unwrap_err();
        assert!(matches!(error, WireError::CutOff { at_limit: false, .. }), "{error}");
    }
    let whole = call("in_progress", "{}");
    let response = format!(r#"{{"output":[{whole}],"status":"incomplete"}}"#);
    assert!(matches!(Api::Responses.parse(&response), Err(WireError::CutOff { .. })), "the response is incomplete");
}

/// Returns the text, and the arguments and `call_id`s of the calls of a stream with these events.
fn read_events(events: &[Value]) -> Result<(String, Vec<(String, String)>), WireError> {
    let mut stream = Api::Responses.stream();
    for event in events {
        let event = event.as_str().map_or_else(|| event.to_string(), ToOwned::to_owned);
        stream.push(format!("data: {event}\n\n").as_bytes())?;
    }
    let response = stream.finish()?;
    let calls = response.calls().iter().map(|call| (call.arguments().to_owned(), call.id().to_owned())).collect();
    Ok((response.text().to_owned(), calls))
}

#[test]
fn the_id_the_index_or_the_order_ties_the_events_of_an_item() {
    let item = |id: &str, call: &str, arguments: &str, status: &str| json!({ "type": "function_call", "id": id, "call_id": call, "name": "f", "arguments": arguments, "status": status });
    let event = |kind: &str, index: Option<u64>, key: &str, value: Value| {
        let mut event = json!({ "type": format!("response.{kind}"), key: value });
        if let Some(index) = index {
            event["output_index"] = index.into();
        }
        event
    };
    let added =
        |index, id: &str, call: &str| event("output_item.added", index, "item", item(id, call, "", "in_progress"));
    let done = |index, id: &str, call: &str, n: u64| {
        event("output_item.done", index, "item", item(id, call, &format!(r#"{{"n":{n}}}"#), "completed"))
    };
    let arguments = |index, id: &str, n: u64| {
        let mut event = event("function_call_arguments.done", index, "arguments", format!(r#"{{"n":{n}}}"#).into());
        if !id.is_empty() {
            event["item_id"] = id.into();
        }
        event
    };
    let say = |index| event("output_text.delta", index, "delta", "hi".into());
    let message = json!({ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "output_text", "text": "hi" }] });
    let said = |index| event("output_item.done", index, "item", message.clone());
    let last = || json!({ "type": "response.completed", "response": { "output": [], "status": "completed" } });
    let (zero, end) = (Some(0), || json!("[DONE]"));
    for (events, text, calls) in [
        (vec![added(zero, "a", "1"), arguments(zero, "a", 1), last()], "", 1),
        (vec![added(zero, "a", "1"), arguments(zero, "a", 1), end()], "", 1),
        (vec![added(zero, "a", "1"), arguments(zero, "other", 1), done(zero, "third", "1", 1), last()], "", 1),
        (vec![said(zero), done(zero, "a", "1", 1), last()], "hi", 1),
        (vec![say(zero), added(zero, "a", "1"), arguments(zero, "a", 1), last()], "hi", 1),
        (
            vec![
                added(zero, "a", "1"),
                done(zero, "a", "1", 1),
                added(zero, "b", "2"),
                done(zero, "b", "2", 2),
                last(),
            ],
            "",
            2,
        ),
        (
            vec![
                added(zero, "a", "1"),
                added(zero, "b", "2"),
                arguments(zero, "a", 1),
                arguments(zero, "b", 2),
                last(),
            ],
            "",
            2,
        ),
        (
            vec![
                arguments(zero, "a", 1),
                done(zero, "a", "1", 1),
                arguments(zero, "b", 2),
                done(zero, "b", "2", 2),
                last(),
            ],
            "",
            2,
        ),
        (vec![added(None, "a", "1"), arguments(None, "a", 1), done(None, "a", "1", 1), last()], "", 1),
        (
            vec![added(None, "a", "1"), arguments(None, "", 1), added(None, "b", "2"), arguments(None, "", 2), last()],
            "",
            2,
        ),
        (
            vec![added(None, "", "1"), arguments(None, "", 1), done(None, "", "1", 1), done(None, "", "2", 2), last()],
            "",
            2,
        ),
        (vec![say(None), said(None), done(None, "a", "1", 1), done(None, "b", "2", 2), last()], "hi", 2),
    ] {
        let expected: Vec<(String, String)> = (1..=calls).map(|n| (format!(r#"{{"n":{n}}}"#), n.to_string())).collect();
        let read = read_events(&events).unwrap_or_else(|error| panic!("{error}: {events:?}"));
        assert_eq!(read, (text.to_owned(), expected), "{events:?}");
    }
    let half = event("function_call_arguments.delta", zero, "delta", "{\"n\":".into());
    let error = read_events(&[added(zero, "a", "1"), half, end()]).unwrap_err();
    assert!(matches!(error, WireError::CutOff { .. }), "{error}");
}

#[test]
fn a_refusal_with_calls_is_not_the_end() {
    let refusal = r#"{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}"#;
    let call = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#;
    let response = parse(&[refusal, call].join(",")).unwrap();
    assert_eq!((response.calls().len(), response.stop()), (1, Stop::Done));
    assert_eq!(parse(refusal).unwrap().stop(), Stop::Refused);
}

#[test]
fn arguments_that_the_last_event_omits_are_taken_from_the_events_before_it() {
    let item = |arguments: &str| json!({ "type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": arguments });
    let (whole, bare) = (r#"{"a":1}"#, item(""));
    let delta =
        |text: &str| json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": text });
    let done = json!({ "type": "response.function_call_arguments.done", "output_index": 0, "arguments": whole });
    let item_done = |item: &Value| json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let last = |output: &[&Value]| json!({ "type": "response.completed", "response": { "output": output, "status": "completed" } });
    let pieces = [delta("{\"a\""), delta(":1}")];
    for events in [
        vec![pieces[0].clone(), pieces[1].clone(), item_done(&bare), last(&[])],
        vec![done.clone(), item_done(&bare), last(&[&bare])],
        vec![pieces[0].clone(), pieces[1].clone(), done, last(&[&bare])],
        vec![item_done(&item(whole)), last(&[&bare])],
        vec![item_done(&bare), last(&[&item(whole)])],
    ] {
        let mut stream = Api::Responses.stream();
        for event in &events {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        let response = stream.finish().unwrap();
        assert_eq!(response.calls()[0].arguments(), whole, "{events:?}");
        assert_eq!(response.messages()[0].get(), item(whole).to_string(), "{events:?}");
    }
}

#[test]
fn what_the_last_event_omits_is_taken_from_whatever_came_before() {
    let text =
        |index: u64, text: &str| json!({ "type": "response.output_text.delta", "output_index": index, "delta": text });
    let added =
        |index: u64, item: &Value| json!({ "type": "response.output_item.added", "output_index": index, "item": item });
    let done =
        |index: u64, item: &Value| json!({ "type": "response.output_item.done", "output_index": index, "item": item });
    let arguments = |index: u64| json!({ "type": "response.function_call_arguments.delta", "output_index": index, "delta": "{\"a\":1}" });
    let last = |output: Value| json!({ "type": "response.completed", "response": { "output": output, "status": "completed" } });
    let call = json!({ "type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "" });
    let message = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "hello", "annotations": [] }] });
    let empty = json!({ "type": "message", "role": "assistant", "content": [] });
    let (end, nothing) = (json!("[DONE]"), json!([]));
    for (events, said, calls) in [
        (vec![text(0, "hel"), text(0, "lo"), last(nothing.clone())], "hello", 0),
        (vec![added(0, &empty), text(0, "hello"), last(nothing.clone())], "hello", 0),
        (vec![added(0, &call), arguments(0), last(nothing.clone())], "", 1),
        (vec![text(0, "hello"), added(1, &call), arguments(1), last(nothing.clone())], "hello", 1),
        (vec![done(0, &message), added(1, &call), arguments(1), last(nothing.clone())], "hello", 1),
        (vec![done(0, &message), last(json!([call]))], "hello", 1),
        (vec![done(0, &message), done(1, &call), arguments(1), last(json!([message]))], "hello", 1),
        (vec![done(0, &message), done(1, &call), arguments(1), last(json!([call]))], "hello", 1),
        (vec![done(0, &message), done(1, &call), arguments(1), last(json!([message, call]))], "hello", 1),
        (vec![done(0, &message), done(1, &call), last(json!(null))], "hello", 1),
        (vec![done(0, &message), end.clone()], "hello", 0),
        (vec![done(0, &message), done(1, &call), end.clone()], "hello", 1),
    ] {
        let mut stream = Api::Responses.stream();
        for event in &events {
            let event = event.as_str().map_or_else(|| event.to_string(), ToOwned::to_owned);
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap_or_else(|error| panic!("{error}: {events:?}"));
        }
        let response = stream.finish().unwrap_or_else(|error| panic!("{error}: {events:?}"));
        assert_eq!((response.text(), response.calls().len()), (said, calls), "{events:?}");
        assert_eq!(response.messages().len(), usize::from(!said.is_empty()) + calls, "{events:?}");
    }
    let mut stream = Api::Responses.stream();
    stream.push(format!("data: {}\n\n", done(0, &message)).as_bytes()).unwrap();
    assert!(matches!(stream.finish(), Err(WireError::EndedEarly { .. })), "the connection broke");
}

#[test]
fn a_message_without_content_does_not_lose_the_calls_next_to_it() {
    let call = r#"{"type":"function_call","call_id":7,"name":"f","arguments":"{}"}"#;
    for content in [r#","content":null"#, "", r#","content":[]"#] {
        let message = format!(r#"{{"type":"message","role":"assistant"{content}}}"#);
        let response = parse(&format!("{message},{call}")).unwrap();
        assert_eq!((response.calls().len(), response.calls()[0].id(), response.text()), (1, "7", ""));
        let sent: Vec<&str> = response.messages().iter().map(|message| message.get()).collect();
        assert!(sent.iter().any(|item| item.contains(r#""call_id":"7""#)), "{sent:?}");
    }
}

#[test]
fn response_done_ends_a_stream() {
    let item = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}"#;
    let event = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    for last in [
        format!(r#"{{"type":"response.done","response":{{"status":"completed","output":[{item}]}}}}"#),
        r#"{"type":"response.done","response":{"status":"completed","output":[]}}"#.to_owned(),
        r#"{"type":"response.done"}"#.to_owned(),
    ] {
        let mut stream = Api::Responses.stream();
        for event in [&event, &last] {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        assert_eq!(stream.finish().unwrap().text(), "hi", "{last}");
    }
    let mut cut = Api::Responses.stream();
    cut.push(format!("data: {event}\n\n").as_bytes()).unwrap();
    assert!(matches!(cut.finish(), Err(WireError::EndedEarly { .. })));
}
