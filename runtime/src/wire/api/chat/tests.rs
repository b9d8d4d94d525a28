use serde_json::{Value, json};

use super::*;
use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::wire::Api;

#[test]
fn calls_are_parsed_and_results_written() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
        {"id":"c1","type":"function","function":{"name":"find","arguments":"{\"n\":12345678901234567890123}"}},
        {"id":"c2","type":"function","function":{"name":"now","arguments":"{}"}}
    ]},"finish_reason":"tool_calls"}]}"#;
    let response = Api::ChatCompletions.parse(body).unwrap();
    let calls: Vec<_> = response.calls().iter().map(|call| (call.id(), call.name(), call.arguments())).collect();
    assert_eq!(calls, [("c1", "find", r#"{"n":12345678901234567890123}"#), ("c2", "now", "{}")]);
    assert_eq!((response.stop(), response.stop_reason(), response.text()), (Stop::Done, "tool_calls", ""));
    assert!(body.contains(response.messages()[0].get()), "to the letter");

    let response = CallResponse {
        json: r#""a \"b\"""#.to_owned(),
        error: None,
        images: Vec::new(),
        attachments: Vec::new(),
        meta: None,
        repairs: crate::args::repairs::Repairs::NONE,
    };
    let results =
        Api::ChatCompletions.results(&[CompletedCall { call: ToolCall::new("find", "").with_id("c1"), response }]);
    let expected = json!({"role": "tool", "tool_call_id": "c1", "content": "\"a \\\"b\\\"\""});
    assert_eq!(serde_json::from_str::<Value>(results[0].get()).unwrap(), expected);
}

#[test]
fn deltas_are_merged() {
    let mut stream = Api::ChatCompletions.stream();
    let mut shown = String::new();
    for delta in [
        json!({"role": "assistant", "content": "", "reasoning_content": "hm"}),
        json!({"content": "a", "reasoning_content": "m", "tool_calls": [
            {"index": 1, "id": "c2", "type": "function", "function": {"name": "g", "arguments": "{\"a\""}},
            {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}, "extra_content": {"y": [1]}},
        ]}),
        json!({"content": "b", "tool_calls": [
            {"index": 0, "id": "", "function": {"arguments": "{}"}, "extra_content": {"y": [2]}},
            {"index": 1, "function": {"arguments": ":1}"}},
        ]}),
    ] {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        shown += &stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
    }
    stream.push(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n").unwrap();
    for usage in [r#"{"choices":[],"usage":{}}"#, r#"{"choices":null,"usage":{}}"#, r#"{"usage":{}}"#, "[DONE]"] {
        stream.push(format!("data: {usage}\n\n").as_bytes()).unwrap();
    }
    let response = stream.finish().unwrap();
    assert_eq!((&*shown, response.text()), ("ab", "ab"));
    let calls: Vec<_> = response.calls().iter().map(|call| (call.id(), call.name(), call.arguments())).collect();
    assert_eq!(calls, [("c1", "f", "{}"), ("c2", "g", r#"{"a":1}"#)]);
    let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
    assert_eq!(message["reasoning_content"], "hmm");
    assert_eq!(message["tool_calls"][0]["extra_content"]["y"], json!([1, 2]));
}

#[test]
fn a_text_is_read_whole_and_in_pieces() {
    let call = r#"{"id":"c1","type":"custom","custom":{"name":"apply","input":"-a\n+a"}}"#;
    let body = format!(r#"{{"choices":[{{"message":{{"tool_calls":[{call}]}},"finish_reason":"stop"}}]}}"#);
    let mut stream = Api::ChatCompletions.stream();
    for delta in [
        json!({"tool_calls": [{"index": 0, "id": "c1", "type": "custom", "custom": {"name": "apply", "input": ""}}]}),
        json!({"tool_calls": [{"index": 0, "custom": {"input": "-a\n"}}]}),
        json!({"tool_calls": [{"index": 0, "custom": {"input": "+a"}}]}),
    ] {
        stream.push(format!("data: {}\n\n", json!({"choices": [{"delta": delta}]})).as_bytes()).unwrap();
    }
    stream.push(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n").unwrap();
    for response in [Api::ChatCompletions.parse(&body).unwrap(), stream.finish().unwrap()] {
        let call = response.calls()[0];
        assert_eq!((call.name(), call.arguments(), call.origin().kind), ("apply", "-a\n+a", CallKind::Text));
    }
}

#[test]
fn repeated_values_are_not_concatenated() {
    let mut stream = Api::ChatCompletions.stream();
    for reason in ["", "", "stop"] {
        let delta = json!({"content": "a", "reasoning": "b", "model": "m", "signatures": {"signature": "s"}});
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": reason}]});
        stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
    }
    let message: Value = serde_json::from_str(stream.finish().unwrap().messages()[0].get()).unwrap();
    let expected = json!({
        "role": "assistant", "content": "aaa", "reasoning": "bbb", "signatures": {"signature": "s"}
    });
    assert_eq!(message, expected);
}

/// Returns the error of a stream whose chunks have these deltas.
fn refused(deltas: impl IntoIterator<Item = String>) -> String {
    let mut stream = Api::ChatCompletions.stream();
    let mut chunks = deltas.into_iter().map(|delta| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n"));
    chunks.find_map(|chunk| stream.push(chunk.as_bytes()).err()).expect("something is wrong").to_string()
}

#[test]
fn the_text_and_the_calls_may_be_in_two_choices() {
    let call = |name: &str| {
        format!(r#""tool_calls":[{{"index":0,"id":"{name}","function":{{"name":"{name}","arguments":"{{}}"}}}}]"#)
    };
    let choice = |index: &str, message: &str, reason: &str| {
        format!(r#"{{{index}"KEY":{{"role":"assistant",{message}}},"finish_reason":{reason}}}"#)
    };
    let (text, stop, tools) = (r#""content":"hi""#, r#""stop""#, r#""tool_calls""#);
    let [zero, one] = [r#""index":0,"#, r#""index":1,"#];
    let [f, g] = ["f", "g"].map(call);
    let both = format!("{text},{f}");
    let other = format!(r#""content":"other",{g}"#);
    for (choices, said, called) in [
        (vec![choice("", text, stop)], "hi", ""),
        (vec![choice(r#""index":null,"#, &both, tools)], "hi", "f"),
        (vec![choice(one, &both, tools)], "hi", "f"),
        (vec![choice(zero, text, "null"), choice(one, &f, tools)], "hi", "f"),
        (vec![choice(zero, text, stop), choice(one, &f, tools)], "hi", "f"),
        (vec![choice(zero, r#""content":null"#, "null"), choice(one, &both, tools)], "hi", "f"),
        (vec![choice(zero, &both, tools), choice(one, &other, tools)], "hi", "f"),
        (vec![choice(zero, text, stop), choice(one, r#""content":"other""#, stop)], "hi", ""),
    ] {
        let body = format!(r#"{{"choices":[{}]}}"#, choices.join(",").replace("KEY", "message"));
        let (mut together, mut apart) = (Api::ChatCompletions.stream(), Api::ChatCompletions.stream());
        let chunk = |choices: &str| format!("data: {{\"choices\":[{}]}}\n\n", choices.replace("KEY", "delta"));
        let shown = together.push(chunk(&choices.join(",")).as_bytes()).unwrap();
        assert_eq!(shown, said, "{choices:?}");
        for choice in &choices {
            apart.push(chunk(choice).as_bytes()).unwrap();
        }
        for response in [Api::ChatCompletions.parse(&body), together.finish(), apart.finish()] {
            let response = response.unwrap_or_else(|error| panic!("{error}: {choices:?}"));
            let names: Vec<&str> = response.calls().iter().map(ToolCall::name).collect();
            assert_eq!((response.text(), &*names.concat()), (said, called), "{choices:?}");
        }
    }
    let cut = [choice(zero, text, stop), choice(one, &f, r#""length""#)].join(",").replace("KEY", "message");
    let error = Api::ChatCompletions.parse(&format!(r#"{{"choices":[{cut}]}}"#)).unwrap_err();
    assert!(matches!(error, WireError::CutOff { at_limit: true, .. }), "{error}");
    let none = Api::ChatCompletions.parse(r#"{"choices":[]}"#).unwrap_err().to_string();
    assert_eq!(none, "/choices: expected one choice, got none");
}

#[test]
fn contradicting_deltas_are_an_error() {
    let delta =
        |name| format!(r#"{{"tool_calls":[{{"index":0,"function":{{"name":"{name}","arguments":"{{\"a\":"}}}}]}}"#);
    let path = "event 2/choices/0/delta/tool_calls/0/function/name";
    assert_eq!(refused(["f", "g"].map(delta)), format!("{path}: expected the same value as before, got \"g\""));
}

#[test]
fn a_stop_reason_or_a_content_of_another_type_loses_no_answer() {
    let call = r#""tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}]"#;
    for reason in ["0", "1", "{}", r#"{"type":"stop"}"#, "true"] {
        for (message, text, calls) in [(call, "", 1), (r#""content":"hi""#, "hi", 0)] {
            let choice = |key: &str| format!(r#"{{"choices":[{{"{key}":{{{message}}},"finish_reason":{reason}}}]}}"#);
            let mut stream = Api::ChatCompletions.stream();
            stream.push(format!("data: {}\n\n", choice("delta")).as_bytes()).unwrap();
            for response in [Api::ChatCompletions.parse(&choice("message")), stream.finish()] {
                let response = response.unwrap_or_else(|error| panic!("{reason}: {error}"));
                assert_eq!((response.text(), response.calls().len()), (text, calls), "{reason}");
            }
        }
        let half = call.replace(r#":1}""#, r#":""#);
        let body = format!(r#"{{"choices":[{{"message":{{{half}}},"finish_reason":{reason}}}]}}"#);
        assert!(matches!(Api::ChatCompletions.parse(&body), Err(WireError::CutOff { .. })), "{reason}");
    }
    for (content, text, sent) in
        [("5", "5", r#""5""#), ("true", "true", r#""true""#), (r#"{"type":"text","text":"hi"}"#, "hi", r#""hi""#)]
    {
        let choice =
            |key: &str| format!(r#"{{"choices":[{{"{key}":{{"content":{content}}},"finish_reason":"stop"}}]}}"#);
        let response = Api::ChatCompletions.parse(&choice("message")).unwrap();
        assert_eq!(response.text(), text, "{content}");
        assert!(response.messages()[0].get().contains(sent), "{response:?}");
        let mut stream = Api::ChatCompletions.stream();
        assert_eq!(stream.push(format!("data: {}\n\n", choice("delta")).as_bytes()).unwrap(), text);
        assert_eq!(stream.finish().unwrap().text(), text, "{content}");
    }
}

/// Returns the response of a stream whose chunks have these deltas and then this stop reason.
fn streamed(deltas: &[Value], reason: &str) -> Result<(String, ModelResponse), WireError> {
    let (mut stream, mut shown) = (Api::ChatCompletions.stream(), String::new());
    let chunks = deltas.iter().map(|delta| json!({ "choices": [{ "index": 0, "delta": delta }] }).to_string());
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }).to_string();
    for chunk in chunks.chain([end]) {
        shown += &stream.push(format!("data: {chunk}\n\n").as_bytes())?;
    }
    Ok((shown, stream.finish()?))
}

/// Returns the calls of a stream whose chunks have these fragments of calls.
fn streamed_calls(fragments: &[Value]) -> Vec<String> {
    let deltas: Vec<Value> = fragments.iter().map(|fragment| json!({ "tool_calls": [fragment] })).collect();
    let response = streamed(&deltas, "tool_calls").unwrap().1;
    let calls = response.calls();
    let ids: std::collections::BTreeSet<&str> = calls.iter().map(ToolCall::id).collect();
    assert!(ids.len() == calls.len() && !ids.contains(""), "{ids:?}");
    calls.iter().map(|call| format!("{} {}", call.name(), call.arguments())).collect()
}

#[test]
fn calls_with_one_index_are_told_apart() {
    let fragment = |id: &str, name: &str, arguments: &str| {
        let mut call = json!({ "index": 0, "function": { "arguments": arguments } });
        if !id.is_empty() {
            call["id"] = id.into();
        }
        if !name.is_empty() {
            call["function"]["name"] = name.into();
        }
        call
    };
    let (one, two) = (r#"{"a":1}"#, r#"{"a":2}"#);
    for (fragments, expected) in [
        // Whole calls.
        (vec![("", "f", one), ("", "f", two)], vec![r#"f {"a":1}"#, r#"f {"a":2}"#]),
        (vec![("", "f", ""), ("", "f", "")], vec!["f {}", "f {}"]),
        (vec![("", "f", ""), ("", "f", two)], vec!["f {}", r#"f {"a":2}"#]),
        (vec![("", "f", one), ("", "f", "")], vec![r#"f {"a":1}"#, "f {}"]),
        (vec![("", "f", "{}"), ("", "g", "")], vec!["f {}", "g {}"]),
        (vec![("a", "f", one), ("b", "f", one)], vec![r#"f {"a":1}"#, r#"f {"a":1}"#]),
        (vec![("a", "f", ""), ("b", "f", "")], vec!["f {}", "f {}"]),
        (vec![("a", "f", one), ("", "f", two), ("", "g", "")], vec![r#"f {"a":1}"#, r#"f {"a":2}"#, "g {}"]),
        // Fragments of one call, and then of another.
        (vec![("a", "f", ""), ("", "", r#"{"a""#), ("", "", ":1}")], vec![r#"f {"a":1}"#]),
        (vec![("", "f", ""), ("", "", one), ("", "", "")], vec![r#"f {"a":1}"#]),
        (vec![("a", "f", ""), ("", "", one), ("b", "f", ""), ("", "", two)], vec![r#"f {"a":1}"#, r#"f {"a":2}"#]),
        // The id, the name, or both are in each fragment.
        (vec![("a", "f", ""), ("a", "f", r#"{"a""#), ("a", "f", ":1}"), ("a", "f", "")], vec![r#"f {"a":1}"#]),
        (vec![("a", "f", one), ("a", "f", " ")], vec![r#"f {"a":1} "#]),
        (vec![("a", "f", ""), ("", "f", one), ("", "f", "")], vec![r#"f {"a":1}"#]),
        (vec![("", "f", ""), ("", "f", r#"{"a":"}"#), ("", "f", r#""}"#)], vec![r#"f {"a":"}"}"#]),
        (vec![("a", "f", ""), ("a", "", r#"{"a""#), ("a", "", ":1}")], vec![r#"f {"a":1}"#]),
    ] {
        let calls: Vec<Value> = fragments.iter().map(|(id, name, arguments)| fragment(id, name, arguments)).collect();
        assert_eq!(streamed_calls(&calls), expected, "{fragments:?}");
    }
    let object = |n: u8| json!({ "index": 0, "function": { "name": "f", "arguments": { "n": n } } });
    assert_eq!(streamed_calls(&[object(1), object(2)]), [r#"f {"n":1}"#, r#"f {"n":2}"#]);
    let whole = |id: &str| json!({ "id": id, "function": { "name": "f", "arguments": "{}" } });
    assert_eq!(streamed_calls(&[whole("a"), whole("b"), whole("")]), ["f {}", "f {}", "f {}"], "without an index");
    let text = |id: &str, name: &str, input: &str| json!({ "index": 0, "id": id, "type": "custom", "custom": { "name": name, "input": input } });
    assert_eq!(streamed_calls(&[text("a", "f", "x"), text("", "", "{}"), text("b", "f", "y")]), ["f x{}", "f y"]);
    let many = vec![object(1); crate::wire::MAX_CALLS + 1].into_iter().map(|call| json!({ "tool_calls": [call] }));
    let error = streamed(&many.collect::<Vec<_>>(), "stop").unwrap_err().to_string();
    assert!(error.starts_with("event 1025/choices/0/delta/tool_calls/0: expected at most 1024 calls"), "{error}");
}

/// Returns a fragment of a call without the parts that are empty.
fn fragment((index, id, name, arguments): (&str, &str, &str, &str)) -> Value {
    let mut call = json!({ "type": "function", "function": {} });
    for (key, text) in [("name", name), ("arguments", arguments)] {
        if !text.is_empty() {
            call["function"][key] = text.into();
        }
    }
    if !id.is_empty() {
        call["id"] = id.into();
    }
    if !index.is_empty() {
        call["index"] = serde_json::from_str(index).unwrap();
    }
    call
}

#[test]
fn fragments_are_tied_by_the_id_the_index_or_the_order() {
    const F: &str = r#"f {"a":1}"#;
    for (fragments, expected) in [
        // The name is in pieces.
        (vec![("0", "a", "f_", ""), ("0", "", "g", ""), ("0", "", "", "{}")], vec!["f_g {}"]),
        (vec![("0", "a", "f_", ""), ("0", "a", "g", ""), ("0", "a", "", "{}")], vec!["f_g {}"]),
        (vec![("0", "", "f_", ""), ("0", "", "g", ""), ("0", "", "_h", "{}")], vec!["f_g_h {}"]),
        (vec![("1", "a", "f_", ""), ("1", "", "g", "{\"a\""), ("1", "", "", ":1}")], vec![r#"f_g {"a":1}"#]),
        (vec![("", "a", "f_", ""), ("", "a", "g", "{}")], vec!["f_g {}"]),
        // Each piece has the name so far.
        (vec![("0", "a", "f_", ""), ("0", "", "f_g", ""), ("0", "", "f_g", "{}")], vec!["f_g {}"]),
        // Another id in each fragment.
        (vec![("0", "a", "f", ""), ("0", "b", "", "{\"a\""), ("0", "c", "", ":1}")], vec![F]),
        (vec![("0", "a", "f", "{"), ("0", "b", "f", "\"a\""), ("0", "c", "f", ":1}")], vec![F]),
        // Another index in each fragment.
        (vec![("0", "a", "f", ""), ("1", "a", "", "{\"a\""), ("2", "a", "", ":1}")], vec![F]),
        (vec![("0", "a", "f", ""), ("1", "a", "f", "{\"a\""), ("2", "a", "f", ":1}")], vec![F]),
        (vec![("0", "a", "f", ""), ("1", "", "", "{\"a\""), ("2", "", "", ":1}")], vec![F]),
        (vec![("0", "", "f", "{\"a\""), ("1", "", "f", ":1}")], vec![F]),
        // Neither an index nor an id after the first fragment.
        (vec![("", "a", "f", ""), ("", "", "", "{\"a\""), ("", "", "", ":1}")], vec![F]),
        (vec![("\"0\"", "a", "f", ""), ("\"0\"", "", "", "{\"a\":1}")], vec![F]),
        (vec![("-1", "a", "f", "{\"a\":1}"), ("-1", "b", "f", "{\"a\":1}")], vec![F, F]),
        // One id for all calls.
        (vec![("0", "a", "f", "{}"), ("1", "a", "g", "{}")], vec!["f {}", "g {}"]),
        (vec![("0", "a", "f", ""), ("1", "a", "g", "")], vec!["f {}", "g {}"]),
        (vec![("0", "a", "f", "{}"), ("1", "a", "f", "{}")], vec!["f {}", "f {}"]),
        // The calls take turns.
        (
            vec![("0", "a", "f", "{\"a\""), ("0", "b", "g", "{"), ("0", "a", "", ":1}"), ("0", "b", "", "}")],
            vec![F, "g {}"],
        ),
        (
            vec![("0", "a", "f", "{\"a\""), ("1", "b", "g", "{"), ("0", "", "", ":1}"), ("1", "", "", "}")],
            vec![F, "g {}"],
        ),
        // Nothing is in the last fragment.
        (vec![("0", "a", "f", "{\"a\":1}"), ("1", "", "", "")], vec![F]),
        (vec![("0", "a", "f", "{\"a\":1}"), ("0", "b", "", "")], vec![F]),
    ] {
        let calls: Vec<Value> = fragments.iter().copied().map(fragment).collect();
        assert_eq!(streamed_calls(&calls), expected, "{fragments:?}");
    }
    let single: Vec<Value> = [("0", "a", "f", "{\"a\""), ("0", "", "", ":1}")].map(fragment).into();
    let deltas: Vec<Value> = single.iter().map(|call| json!({ "tool_calls": call })).collect();
    assert_eq!(streamed(&deltas, "stop").unwrap().1.calls()[0].arguments(), r#"{"a":1}"#, "without a list");
}

#[test]
fn a_call_without_a_name_does_not_lose_the_others() {
    for nameless in [
        json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "", "arguments": "{}" } }),
        json!({ "index": 0, "id": "a", "function": { "name": null, "arguments": {} } }),
        json!({ "index": 0, "id": "a", "type": "function" }),
    ] {
        let other = fragment(("1", "b", "f", "{}"));
        let message = json!({ "tool_calls": [nameless, other] });
        let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }).to_string();
        let streamed = streamed(&[message], "tool_calls").map(|(_, response)| response);
        for response in [Api::ChatCompletions.parse(&body), streamed] {
            let response = response.unwrap();
            let calls: Vec<_> =
                response.calls().iter().map(|call| (call.id(), call.name(), call.arguments())).collect();
            assert_eq!(calls, [("a", "call_without_a_name", "{}"), ("b", "f", "{}")]);
            let sent: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
            assert_eq!(sent["tool_calls"][0]["function"]["name"], "call_without_a_name");
        }
    }
}

/// Returns the response of a stream with these deltas, this stop reason and `end`.
fn ended(deltas: &[Value], reason: &Value, end: &str) -> Result<ModelResponse, WireError> {
    let mut stream = Api::ChatCompletions.stream();
    let chunks = deltas.iter().map(|delta| json!({ "choices": [{ "delta": delta, "finish_reason": null }] }));
    let last = json!({ "choices": [{ "delta": {}, "finish_reason": reason }] });
    for chunk in chunks.chain([last]) {
        stream.push(format!("data: {chunk}\n\n").as_bytes())?;
    }
    stream.push(end.as_bytes())?;
    stream.finish()
}

#[test]
fn arguments_and_not_the_stop_reason_show_whether_a_call_is_complete() {
    let call = |arguments: &str| json!({ "tool_calls": [fragment(("0", "a", "f", arguments))] });
    for reason in ["tool_use", "STOP", "end_turn", "function_call", "eos", "eos_token", "tool_call", "", "whatever"] {
        let reason = json!(reason);
        for arguments in ["{}", r#"{"a":"}"}"#, ""] {
            let response = ended(&[call(arguments)], &reason, "data: [DONE]\n\n").unwrap();
            assert_eq!(response.calls().len(), 1, "{reason} {arguments}");
        }
    }
    for reason in ["length", "max_tokens", "model_length", "content_filter", "SAFETY", "error", "abort"] {
        let error = ended(&[call("{}")], &json!(reason), "data: [DONE]\n\n").unwrap_err();
        assert!(matches!(error, WireError::CutOff { .. }), "{reason}: {error}");
    }
    for reason in ["", "whatever"] {
        let error = ended(&[call(r#"{"a":"#)], &json!(reason), "data: [DONE]\n\n").unwrap_err();
        assert!(matches!(error, WireError::CutOff { at_limit: false, .. }), "{reason}: {error}");
    }
}

#[test]
fn done_ends_a_stream_without_a_stop_reason() {
    let [text, role] = [json!({ "content": "hi" }), json!({ "role": "assistant", "content": "" })];
    for done in ["data: [DONE]\n\n", "data:[DONE]", "data: [done]\n\n", "data: \"[DONE]\"\n\n"] {
        let response = ended(std::slice::from_ref(&text), &Value::Null, done).unwrap();
        assert_eq!((response.text(), response.stop_reason()), ("hi", ""), "{done}");
        let early = ended(std::slice::from_ref(&role), &Value::Null, done).unwrap_err();
        assert!(matches!(early, WireError::EndedEarly { .. }), "{done}: nothing has been said");
    }
    for cut in ["", ": wait\n\n"] {
        let early = ended(std::slice::from_ref(&text), &Value::Null, cut).unwrap_err();
        assert!(matches!(early, WireError::EndedEarly { .. }), "{early}");
    }
    for reason in [Value::Null, json!("")] {
        let body = json!({ "choices": [{ "message": { "content": "hi" }, "finish_reason": reason }] }).to_string();
        assert_eq!(Api::ChatCompletions.parse(&body).unwrap().text(), "hi");
    }
}

#[test]
fn arguments_that_are_an_object_are_kept_to_the_letter() {
    let call = r#"{"index":0,"id":"a","function":{"name":"f","arguments":{"z": 12345678901234567890123,"a":1.50}}}"#;
    let message =
        |key: &str| format!(r#"{{"choices":[{{"{key}":{{"tool_calls":[{call}]}},"finish_reason":"stop"}}]}}"#);
    let mut stream = Api::ChatCompletions.stream();
    stream.push(format!("data: {}\n\n", message("delta")).as_bytes()).unwrap();
    for response in [Api::ChatCompletions.parse(&message("message")), stream.finish()] {
        let response = response.unwrap();
        let arguments = r#"{"z": 12345678901234567890123,"a":1.50}"#;
        assert_eq!(response.calls()[0].arguments(), arguments);
        let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
        assert_eq!(message["tool_calls"][0]["function"]["arguments"], arguments);
    }
}

#[test]
fn a_content_of_parts_has_the_text_of_its_text_parts() {
    let thinking = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let content =
        json!([thinking, text("hello"), { "type": "reference", "reference_ids": [1] }, { "type": "hologram" }]);
    let body = json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] });
    let parsed = Api::ChatCompletions.parse(&body.to_string()).unwrap();
    let deltas = [
        json!({ "content": "" }),
        json!({ "content": [thinking] }),
        json!({ "content": "hel" }),
        json!({ "content": [text("l"), text("o"), content[2]] }),
        json!({ "content": [content[3]] }),
    ];
    let (shown, response) = streamed(&deltas, "stop").unwrap();
    assert_eq!(shown, "hello");
    for response in [parsed, response] {
        assert_eq!(response.text(), "hello");
        assert_eq!(response.unknown()[0].to_string(), "hologram at /choices/0/message/content/3");
        let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
        assert_eq!(message["content"], content);
    }
    let error = refused([r#"{"content":[7]}"#.to_owned()]);
    assert_eq!(error, "event 1/choices/0/delta/content/0: expected an object, got 7");
}

#[test]
fn a_character_in_two_chunks_is_joined() {
    let mut stream = Api::ChatCompletions.stream();
    let mut shown = String::new();
    for content in [r"a\ud83d", r"\ude00\\", r"ud83d \ud83d", "b"] {
        let call = format!(r#"{{"index":0,"function":{{"arguments":"{content}"}}}}"#);
        let delta =
            format!(r#"{{"content":"{content}","tool_calls":[{call}],"thought":{{"p":1e400,"\ud83d":"\ud83d"}}}}"#);
        shown += &stream.push(format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n").as_bytes()).unwrap();
    }
    let end = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]},"finish_reason":"stop"}]}"#;
    stream.push(format!("data: {end}\n\n").as_bytes()).unwrap();
    let response = stream.finish().unwrap();
    let expected = "a😀\\ud83d \u{fffd}b";
    assert_eq!((&*shown, response.text(), response.calls()[0].arguments()), (expected, expected, expected));
    assert!(response.messages()[0].get().contains(r#""p":1e400"#));
}

#[test]
fn a_refusal_with_calls_is_not_the_end() {
    let call = json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{}" } });
    let message = json!({ "refusal": "no", "tool_calls": [call] });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }).to_string();
    let streamed = streamed(&[message], "tool_calls").map(|(_, response)| response);
    for response in [Api::ChatCompletions.parse(&body), streamed] {
        let response = response.unwrap();
        assert_eq!((response.stop(), response.calls().len(), response.text()), (Stop::Done, 1, "no"));
    }
}

#[test]
fn a_call_after_the_stop_reason_needs_another_one() {
    let call = |arguments: &str| {
        let call = json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": arguments } });
        json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })
    };
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    for arguments in ["", "{}", r#"{"a":"#] {
        let finish = |chunks: &[&Value]| {
            let mut stream = Api::ChatCompletions.stream();
            for chunk in chunks {
                stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
            }
            stream.finish()
        };
        let error = finish(&[&end, &call(arguments)]).unwrap_err().to_string();
        assert!(error.ends_with("got a stream that ended early"), "{error}");
        assert_eq!(finish(&[&end, &call(arguments), &end]).unwrap().calls().len(), 1);
    }
}

#[test]
fn a_later_stop_reason_does_not_complete_a_call_that_was_cut_off() {
    let mut stream = Api::ChatCompletions.stream();
    let call = r#"{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}]}"#;
    for (delta, reason) in [(call, "length"), ("{}", "stop")] {
        let chunk = format!(r#"{{"choices":[{{"delta":{delta},"finish_reason":"{reason}"}}]}}"#);
        stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
    }
    let error = stream.finish().unwrap_err().to_string();
    assert!(error.ends_with("expected a complete call, got a response that was cut off: length"), "{error}");
}

#[test]
fn a_call_that_was_cut_off_is_an_error() {
    let calls = r#"[{"id":"c1","function":{"name":"find","arguments":"{\"path\":\"/et"}}]"#;
    let body = format!(r#"{{"choices":[{{"message":{{"tool_calls":{calls}}},"finish_reason":"length"}}]}}"#);
    let error = Api::ChatCompletions.parse(&body).unwrap_err().to_string();
    let path = "/choices/0/message/tool_calls/0";
    assert_eq!(error, format!("{path}: expected a complete call, got a response that was cut off: length"));
}

#[test]
fn the_older_form_of_a_call_is_read_whole_and_in_pieces() {
    let call = |name: &str, arguments: &str| json!({ "function_call": { "name": name, "arguments": arguments } });
    let blank = |value: Value| json!({ "content": "hello", "function_call": value });
    for (deltas, expected) in [
        (vec![call("f", r#"{"a":1}"#)], vec![r#"f {"a":1}"#]),
        (vec![call("f", ""), call("", r#"{"a""#), call("", ":1}")], vec![r#"f {"a":1}"#]),
        (
            vec![json!({ "function_call": { "name": "f" } }), json!({ "function_call": { "arguments": "{}" } })],
            vec!["f {}"],
        ),
        (vec![call("f", r#"{"a":"#), call("f", "1}")], vec![r#"f {"a":1}"#]),
        (vec![json!({ "function_call": { "name": "f" } })], vec!["f {}"]),
        (vec![json!({ "function_call": { "name": "f", "arguments": { "a": 1 } } })], vec![r#"f {"a":1}"#]),
        (vec![json!({ "function_call": { "arguments": "{}" } })], vec!["call_without_a_name {}"]),
        (vec![blank(json!(null))], vec![]),
        (vec![blank(json!({}))], vec![]),
        (vec![blank(json!({ "name": "", "arguments": "" }))], vec![]),
        (vec![blank(json!({ "name": null, "arguments": null }))], vec![]),
        (vec![json!({ "function_call": null, "tool_calls": [] , "content": "hello" })], vec![]),
        // Gateways send both forms of one call.
        (
            vec![json!({
                "function_call": { "name": "f", "arguments": "{}" },
                "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "f", "arguments": "{}" } }],
            })],
            vec!["f {}"],
        ),
    ] {
        let whole = (deltas.len() == 1).then(|| {
            let body = json!({ "choices": [{ "message": deltas[0], "finish_reason": "function_call" }] });
            Api::ChatCompletions.parse(&body.to_string())
        });
        let streamed = streamed(&deltas, "function_call").map(|(_, response)| response);
        for response in whole.into_iter().chain([streamed]) {
            let response = response.unwrap_or_else(|error| panic!("{error}: {deltas:?}"));
            let calls: Vec<String> =
                response.calls().iter().map(|call| format!("{} {}", call.name(), call.arguments())).collect();
            assert_eq!(calls, expected, "{deltas:?}");
            assert!(response.messages().iter().all(|message| !message.get().contains("function_call\"")), "{deltas:?}");
        }
    }
}

#[test]
fn a_stream_may_have_messages_in_place_of_deltas() {
    let call = json!([{ "id": "c1", "type": "function", "function": { "name": "f", "arguments": r#"{"a":1}"# } }]);
    let chunk = |key: &str, message: &Value| json!({ "choices": [{ "index": 0, key: message }] }).to_string();
    let both =
        |delta: Value, message: Value| json!({ "choices": [{ "delta": delta, "message": message }] }).to_string();
    let content = |text: &str| json!({ "role": "assistant", "content": text });
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    for (chunks, text, calls) in [
        (vec![chunk("message", &content("hello"))], "hello", 0),
        (vec![chunk("message", &content("hel")), chunk("message", &content("lo"))], "hello", 0),
        (vec![chunk("message", &json!({ "content": null, "tool_calls": call }))], "", 1),
        (vec![both(json!({}), content("hello"))], "hello", 0),
        (vec![both(Value::Null, content("hello"))], "hello", 0),
        (vec![chunk("delta", &content("")), chunk("message", &content("hello"))], "hello", 0),
        // The message repeats what the deltas have sent.
        (vec![both(content("hello"), content("hello"))], "hello", 0),
        (
            vec![chunk("delta", &content("hel")), chunk("delta", &content("lo")), chunk("message", &content("hello"))],
            "hello",
            0,
        ),
        (
            vec![
                chunk("delta", &json!({ "tool_calls": call })),
                chunk("message", &json!({ "content": "", "tool_calls": call })),
            ],
            "",
            1,
        ),
    ] {
        let (mut stream, mut shown) = (Api::ChatCompletions.stream(), String::new());
        for chunk in chunks.iter().chain([&end]) {
            shown += &stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
        }
        let response = stream.finish().unwrap();
        assert_eq!((&*shown, response.text(), response.calls().len()), (text, text, calls), "{chunks:?}");
    }
}

#[test]
fn an_id_that_is_a_number_is_sent_back_as_a_string() {
    let call = |id: &Value| json!({ "index": 0, "id": id, "function": { "name": "f", "arguments": "{}" } });
    for (id, expected) in [(json!(7), Some("7")), (json!(0), Some("0")), (json!(true), None), (json!({ "a": 1 }), None)]
    {
        let message = json!({ "tool_calls": [call(&id)] });
        let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }).to_string();
        let streamed = streamed(&[message, json!({ "tool_calls": [call(&id)] })], "tool_calls");
        for response in [Api::ChatCompletions.parse(&body), streamed.map(|(_, response)| response)] {
            let response = response.unwrap();
            let ids: Vec<&str> = response.calls().iter().map(ToolCall::id).collect();
            let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
            let sent: Vec<&Value> = message["tool_calls"].as_array().unwrap().iter().map(|call| &call["id"]).collect();
            assert_eq!(sent, ids, "{id}");
            if let Some(expected) = expected {
                assert_eq!(ids[0], expected);
            }
        }
    }
    let twice = json!({ "tool_calls": [call(&json!(7)), call(&json!(7))] });
    let body = json!({ "choices": [{ "message": twice, "finish_reason": "tool_calls" }] }).to_string();
    let response = Api::ChatCompletions.parse(&body).unwrap();
    let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
    assert_eq!(message["tool_calls"][1]["id"], response.calls()[1].id());
}
