use serde_json::{Value, json};

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin, Caller};
use crate::call::response::CallResponse;
use crate::result::image::Image;
use crate::result::output::ToolOutput;
use crate::wire::Api;

fn error(events: &[&str]) -> String {
    let mut stream = Api::Anthropic.stream();
    let pushed = events.iter().try_for_each(|event| stream.push(format!("data: {event}\n\n").as_bytes()).map(drop));
    pushed.and_then(|()| stream.finish()).unwrap_err().to_string()
}

#[test]
fn a_call_without_arguments_is_sent_back_with_an_object() {
    for input in ["null", r#""""#, "{}"] {
        let block = format!(r#"{{"id":"c1","input":{input},"name":"now","type":"tool_use"}}"#);
        let body = format!(r#"{{"stop_reason":"tool_use","content":[{block}]}}"#);
        let response = Api::Anthropic.parse(&body).unwrap();
        assert_eq!(response.calls()[0].arguments(), "{}");
        let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
        assert_eq!(message["content"][0]["input"], json!({}));
    }
}

#[test]
fn compaction_blocks_are_sent_back_unchanged() {
    for block in [
        r#"{"content":"So far: \u00e9","encrypted_content":"b3BhcXVl","type":"compaction"}"#,
        r#"{"content":null,"encrypted_content":null,"type":"compaction"}"#,
    ] {
        let mut stream = Api::Anthropic.stream();
        for event in [
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}"#,
            &format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{}}}"#,
                block.replace(r#""compaction""#, r#""compaction_delta""#)
            ),
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ] {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        let response = stream.finish().unwrap();
        assert_eq!(response.messages()[0].get(), format!(r#"{{"role":"assistant","content":[{block}]}}"#));
        assert_eq!(response.text(), "");
    }
}

#[test]
fn empty_text_blocks_are_not_sent_back() {
    let upload = r#"{"file_id":"Hm","type": "container_upload"}"#;
    for (block, back) in
        [(None, vec![]), (Some(upload), vec![format!(r#"{{"role":"assistant","content":[{upload}]}}"#)])]
    {
        let empty = r#"{"type":"text","text":""}"#;
        let blocks: Vec<&str> = [empty].into_iter().chain(block).chain([empty]).collect();
        let body = format!(r#"{{"content":[{}],"stop_reason":"end_turn"}}"#, blocks.join(","));
        let mut stream = Api::Anthropic.stream();
        let mut push = |event: &str| stream.push(format!("data: {event}\n\n").as_bytes()).map(drop).unwrap();
        for (at, block) in blocks.iter().enumerate() {
            push(&format!(r#"{{"type":"content_block_start","index":{at},"content_block":{block}}}"#));
            push(&format!(r#"{{"type":"content_block_stop","index":{at}}}"#));
        }
        push(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#);
        push(r#"{"type":"message_stop"}"#);
        for response in [Api::Anthropic.parse(&body), stream.finish()] {
            let messages = response.unwrap().messages().iter().map(|text| text.get().to_owned()).collect::<Vec<_>>();
            let letters = |texts: &[String]| texts.iter().map(|text| text.replace(' ', "")).collect::<Vec<_>>();
            assert_eq!(letters(&messages), letters(&back));
        }
        let messages = Api::Anthropic.parse(&body).unwrap().messages().to_vec();
        assert_eq!(messages.iter().map(|text| text.get()).collect::<Vec<_>>(), back, "to the letter");
    }
}

#[test]
fn a_call_may_be_cut_off_even_if_a_block_without_text_follows() {
    let call = r#"{"type":"tool_use","id":"c1","name":"f","input":{}}"#;
    let parse = |after: &str| {
        let body = format!(r#"{{"content":[{call},{after}],"stop_reason":"max_tokens"}}"#);
        Api::Anthropic.parse(&body)
    };
    for after in [r#"{"type":"text","text":""}"#, r#"{"type":"thinking","thinking":"Hm"}"#] {
        let error = parse(after).unwrap_err().to_string();
        assert!(error.starts_with("/content/0: expected a complete call"), "{error}");
    }
    assert_eq!(parse(r#"{"type":"text","text":"And so on"}"#).unwrap().calls().len(), 1);
}

#[test]
fn a_later_empty_stop_reason_is_ignored() {
    for delta in ["{}", r#"{"stop_reason":null}"#] {
        let mut stream = Api::Anthropic.stream();
        for event in [
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            &format!(r#"{{"type":"message_delta","delta":{delta}}}"#),
            r#"{"type":"message_stop"}"#,
        ] {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        assert_eq!(stream.finish().unwrap().stop_reason(), "end_turn");
    }
}

#[test]
fn blocks_must_be_in_sequence() {
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#;
    let end = [r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#, r#"{"type":"message_stop"}"#];
    let not_open = "/index: expected the index of an open block, got 0";
    assert_eq!(error(&[stop]), format!("event 1{not_open}"));
    assert_eq!(error(&[start, stop, delta]), format!("event 3{not_open}"));
    let broken = "expected a stream that ends with `message_stop`, got a stream that ended early";
    assert_eq!(error(&[start, stop]), broken);
    // Some gateways omit the last event.
    let mut stream = Api::Anthropic.stream();
    for event in [start, delta, stop, end[0]] {
        stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
    }
    assert_eq!(stream.finish().unwrap().text(), "a");
    assert_eq!(error(&[start, delta]), broken);
}

#[test]
fn blocks_are_told_apart_without_an_index_of_their_own() {
    let call = |index: Option<u8>, id: &str, ends: bool| {
        let with_index = |mut event: Value| {
            if let Some(index) = index {
                event["index"] = index.into();
            }
            event
        };
        let block = json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
        let delta = |text: &str| json!({ "type": "input_json_delta", "partial_json": text });
        let mut events = vec![
            with_index(json!({ "type": "content_block_start", "content_block": block })),
            with_index(json!({ "type": "content_block_delta", "delta": delta("{\"a\"") })),
            with_index(json!({ "type": "content_block_delta", "delta": delta(&format!(":\"{id}\"}}")) })),
        ];
        events.extend(ends.then(|| with_index(json!({ "type": "content_block_stop" }))));
        events
    };
    for (indices, ends) in [
        ([Some(0), Some(1)], true),
        ([Some(0), Some(0)], true),
        ([Some(0), Some(0)], false),
        ([None, None], true),
        ([None, None], false),
        ([Some(1), Some(2)], true),
    ] {
        for reason in [json!("tool_use"), json!("tool_calls"), json!("STOP"), json!("whatever"), Value::Null] {
            let [first, second] = indices;
            let mut stream = Api::Anthropic.stream();
            let last = [
                json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
                json!({ "type": "message_stop" }),
            ];
            for event in [call(first, "x", ends), call(second, "y", ends), last.to_vec()].concat() {
                stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
            }
            let response = stream.finish().unwrap();
            let calls: Vec<_> = response.calls().iter().map(|call| (call.id(), call.arguments())).collect();
            assert_eq!(calls, [("x", r#"{"a":"x"}"#), ("y", r#"{"a":"y"}"#)], "{indices:?} {ends} {reason}");
        }
    }
}

#[test]
fn a_call_without_a_name_does_not_lose_the_others() {
    for nameless in
        [r#"{"type":"tool_use","id":"a","name":"","input":{}}"#, r#"{"type":"tool_use","id":"a","input":{}}"#]
    {
        let response = parse(&format!(r#"{nameless},{{"type":"tool_use","id":"b","name":"f","input":{{}}}}"#)).unwrap();
        let calls = response.calls();
        let names: Vec<_> = calls.iter().map(|call| (call.id(), call.name())).collect();
        assert_eq!(names, [("a", "call_without_a_name"), ("b", "f")]);
        assert!(response.messages()[0].get().contains(r#""name":"call_without_a_name""#));
    }
}

/// Parses a message with these blocks.
fn parse(blocks: &str) -> Result<crate::wire::ModelResponse, crate::wire::WireError> {
    Api::Anthropic.parse(&format!(r#"{{"content":[{blocks}],"stop_reason":"tool_use"}}"#))
}

#[test]
fn results_for_programs_are_text_in_a_message_of_their_own() {
    let response = parse(
        r#"{"type":"tool_use","id":"c1","name":"f","input":{},"toolset_name":"computer"},
           {"type":"tool_use","id":"c2","name":"g","input":{},"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}},
           {"type":"tool_use","id":"c3","name":"g","input":{},"caller":{"type":"direct"}}"#,
    );
    let response = response.unwrap();
    let calls = response.calls();
    let callers: Vec<_> = calls.iter().map(crate::ToolCall::caller).collect();
    assert_eq!(callers, [Caller::Model, Caller::Program { id: "srvtoolu_1" }, Caller::Model]);
    assert_eq!(calls[0].origin().namespace, "computer");
    let image = Image::new("image/png", *b"\x89PNG\r\n\x1a\n").unwrap();
    let picture = CallResponse::from(ToolOutput::text("a cat").with_image(image));
    let completed: Vec<_> = calls.into_iter().map(|call| CompletedCall { call, response: picture.clone() }).collect();
    let results = Api::Anthropic.results(&completed);
    let messages: Vec<Value> = results.iter().map(|text| serde_json::from_str(text.get()).unwrap()).collect();
    let [program, direct] = &messages[..] else { panic!("{messages:?}") };
    let note = "\"a cat\"\n[an image is left out, because this API does not accept it in results: image/png, 8 bytes]";
    let block = json!({ "type": "tool_result", "tool_use_id": "c2", "content": note });
    assert_eq!(*program, json!({ "role": "user", "content": [block] }));
    let direct = direct["content"].as_array().unwrap();
    assert_eq!((direct[0]["tool_use_id"].as_str(), direct[0]["toolset_name"].as_str()), (Some("c1"), Some("computer")));
    assert_eq!(direct[1]["content"][1]["type"], "image");
    assert_eq!(Api::Anthropic.results(&completed[1..2]).len(), 1);
}

#[test]
fn tools_that_the_host_has_found_are_references() {
    let response = parse(r#"{"type":"tool_use","id":"c1","name":"find_tools","input":{}}"#).unwrap();
    let content = |json: &str, kind| {
        let origin = CallOrigin::of(kind);
        let mut result = CallResponse::from(Ok(ToolOutput::text("")));
        json.clone_into(&mut result.json);
        let completed = CompletedCall { call: response.calls()[0].with_origin(&origin), response: result };
        serde_json::from_str::<Value>(Api::Anthropic.results(&[completed])[0].get()).unwrap()["content"][0]["content"]
            .clone()
    };
    let found = r#"{"tools":[{"name":"weather","description":"The weather."},"now",1]}"#;
    let reference = |name: &str| json!({ "type": "tool_reference", "tool_name": name });
    assert_eq!(content(found, CallKind::ToolSearch), json!([reference("weather"), reference("now")]));
    assert_eq!(content(found, CallKind::Function), json!(found), "only the host makes a call a search");
    for none in [r#"{"tools":[]}"#, "not JSON"] {
        assert_eq!(content(none, CallKind::ToolSearch), json!(none));
    }
}

#[test]
fn calls_without_an_id_or_with_one_id_get_new_ones() {
    let same = r#"{"type": "tool_use","id":"c1","name":"f","input":{"n": 1.0}}"#;
    let none = r#"{"type": "tool_use","name":"f","input":{"n": 1.0}}"#;
    let blank = r#"{"type": "tool_use","id":"","name":"f"}"#;
    let bare = r#"{"type": "tool_use","name":"f"}"#;
    for blocks in
        [vec![same, same, none], vec![same, r#"{"type":"text","text":""}"#, same, none], vec![blank, same, bare]]
    {
        let response = parse(&blocks.join(",")).unwrap();
        let calls = response.calls();
        let sent: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
        let sent: Vec<&str> =
            sent["content"].as_array().unwrap().iter().map(|block| block["id"].as_str().unwrap()).collect();
        assert_eq!(calls.iter().map(crate::ToolCall::id).collect::<Vec<_>>(), sent);
        assert!(response.messages()[0].get().contains(same), "the first call with the id is unchanged");
        assert!(sent.iter().all(|id| sent.iter().filter(|other| other == &id).count() == 1), "{sent:?}");
    }
}

#[test]
fn an_unknown_block_is_kept_unless_it_looks_like_a_call() {
    let block = r#"{"type":"hologram", "id":"x", "data":1.0}"#;
    let response = parse(block).unwrap();
    assert_eq!(response.unknown()[0].to_string(), "hologram at /content/0");
    assert!(response.messages()[0].get().contains(block));
    let error = parse(r#"{"type":"hologram_tool_use","id":"x"}"#).unwrap_err().to_string();
    let expected = "/content/0/type: expected a call of a known type, got hologram_tool_use, which may need an answer";
    assert_eq!(error, expected);
}

#[test]
fn a_stop_for_compaction_is_a_pause() {
    let body = r#"{"content":[{"type":"compaction","content":"So far"}],"stop_reason":"compaction"}"#;
    assert_eq!(Api::Anthropic.parse(body).unwrap().stop(), crate::wire::Stop::Paused);
}

/// Returns the response of a stream with a call whose arguments arrive in these fragments.
fn streamed_call(
    kind: &str,
    fragments: &[&str],
    reason: &str,
) -> Result<crate::wire::ModelResponse, crate::wire::WireError> {
    let mut stream = Api::Anthropic.stream();
    let block = json!({ "type": kind, "id": "c1", "name": "f", "input": {} });
    let deltas = fragments.iter().map(|text| {
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": text } })
    });
    let start = json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let end = [
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
        json!({ "type": "message_stop" }),
    ];
    for event in [start].into_iter().chain(deltas).chain(end) {
        stream.push(format!("data: {event}\n\n").as_bytes())?;
    }
    stream.finish()
}

#[test]
fn arguments_that_are_not_an_object_are_those_of_the_call() {
    let wrapped = |text: &str| json!({ "INVALID_JSON": text });
    for (text, sent) in [
        (r#"{"a": tru}"#, wrapped(r#"{"a": tru}"#)),
        (r#"{"a": "#, wrapped(r#"{"a": "#)),
        ("[1]", wrapped("[1]")),
        ("7", wrapped("7")),
        (r#"{"a":1}"#, json!({ "a": 1 })),
    ] {
        let block = json!({ "type": "tool_use", "id": "c1", "name": "f", "input": text }).to_string();
        let (start, end) = text.split_at(2.min(text.len()));
        for response in [parse(&block), streamed_call("tool_use", &[start, end], "tool_use")] {
            let response = response.unwrap();
            assert_eq!(response.calls()[0].arguments(), text);
            let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
            assert_eq!(message["content"], json!([{ "type": "tool_use", "id": "c1", "name": "f", "input": sent }]));
        }
        let error = streamed_call("tool_use", &[start, end], "max_tokens").unwrap_err().to_string();
        assert!(error.contains(": expected a complete call, got a response that was cut off"), "{text}: {error}");
    }
    let block = r#"{"type":"tool_use","id":"c1","name":"f","input": [1]}"#;
    let response = parse(block).unwrap();
    assert_eq!(response.calls()[0].arguments(), "[1]");
    assert!(response.messages()[0].get().contains(&block.replace(" [1]", r#"{"INVALID_JSON":"[1]"}"#)));
    // A tool that Anthropic runs.
    let response = streamed_call("server_tool_use", &[r#"{"a""#], "end_turn").unwrap();
    assert!(response.messages()[0].get().contains(r#""input":{"INVALID_JSON":"{\"a\""}"#), "{response:?}");
}

#[test]
fn assembled_arguments_have_the_limits_of_a_body() {
    let deep = "[".repeat(1000);
    let (end, fragments) = ("]".repeat(1000), ["{\"a\":", &*deep]);
    let whole = format!("{{\"a\":{deep}{end}}}");
    let response = streamed_call("tool_use", &[fragments[0], fragments[1], &end, "}"], "tool_use").unwrap();
    assert_eq!(response.calls()[0].arguments(), whole);
    let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
    assert_eq!(message["content"][0]["input"], json!({ "INVALID_JSON": whole }));
}

#[test]
fn half_a_surrogate_pair_does_not_make_a_response_unusable() {
    let block = r#"{"type":"text","text":"a\ud83d","\ud83d":"\ud83d","n":1e400}"#;
    let mut stream = Api::Anthropic.stream();
    let mut shown = String::new();
    for event in [
        &*format!(r#"{{"type":"content_block_start","index":0,"content_block":{block},"\ud83d":"\ude00"}}"#),
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ] {
        shown += &stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
    }
    for response in [parse(block), stream.finish()] {
        assert_eq!(response.unwrap().text(), "a\u{fffd}");
    }
    assert_eq!(shown, "a\u{fffd}");
}

/// Returns the response of a stream with these events, each with its name and its data.
fn named(events: &[(&str, Value)]) -> crate::wire::ModelResponse {
    let mut stream = Api::Anthropic.stream();
    for (name, data) in events {
        stream.push(format!("event: {name}\ndata: {data}\n\n").as_bytes()).unwrap();
    }
    stream.finish().unwrap()
}

#[test]
fn the_name_of_an_event_is_its_type_if_the_data_has_none() {
    let start = json!({ "index": 0, "content_block": { "type": "text", "text": "" } });
    let delta = json!({ "index": 0, "delta": { "type": "text_delta", "text": "hi" } });
    let response = named(&[
        ("message_start", json!({ "message": { "usage": {} } })),
        ("ping", json!({})),
        ("content_block_start", start),
        ("content_block_delta", delta),
        ("content_block_stop", json!({ "index": 0 })),
        ("message_delta", json!({ "delta": { "stop_reason": "end_turn" } })),
        ("message_stop", json!({})),
    ]);
    assert_eq!((response.text(), response.stop_reason()), ("hi", "end_turn"));
}

#[test]
fn a_delta_without_the_start_of_its_block_begins_one() {
    let delta = |index: u64, delta: Value| ("content_block_delta", json!({ "index": index, "delta": delta }));
    let text = |text: &str| json!({ "type": "text_delta", "text": text });
    let end = [("message_delta", json!({ "delta": { "stop_reason": "end_turn" } })), ("message_stop", json!({}))];
    let response = named(&[
        delta(0, json!({ "type": "thinking_delta", "thinking": "hm" })),
        delta(0, json!({ "type": "signature_delta", "signature": "c2lnbmVk" })),
        delta(1, text("he")),
        delta(1, text("llo")),
        ("content_block_stop", json!({ "index": 1 })),
        delta(2, json!({ "type": "input_json_delta", "partial_json": r#"{"a":1}"# })),
        end[0].clone(),
        end[1].clone(),
    ]);
    assert_eq!(response.text(), "hello");
    assert_eq!((response.calls()[0].name(), response.calls()[0].arguments()), ("call_without_a_name", r#"{"a":1}"#));
    let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
    assert_eq!(message["content"][0]["signature"], "c2lnbmVk");
    // A block that has ended stays as it is.
    let ended = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}"#,
    ];
    assert!(error(&ended).contains("expected the index of an open block"), "{}", error(&ended));
}

#[test]
fn a_piece_or_a_stop_reason_of_another_type_loses_no_call() {
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#;
    let piece = |json: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{json}}}}}"#
        )
    };
    let (whole, null) = (piece(r#""{\"n\":1}""#), piece("null"));
    for (pieces, reason) in [
        (vec![null, whole.clone()], r#""tool_use""#),
        (vec![piece(r#"{"n":1}"#)], r#""tool_use""#),
        (vec![whole.clone()], "0"),
        (vec![whole.clone()], "1"),
        (vec![whole], "{}"),
    ] {
        let mut stream = crate::wire::Api::Anthropic.stream();
        let stop = r#"{"type":"content_block_stop","index":0}"#.to_owned();
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":{reason}}}}}"#);
        let last = r#"{"type":"message_stop"}"#.to_owned();
        for event in [vec![start.to_owned()], pieces.clone(), vec![stop, end, last]].concat() {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        assert_eq!(stream.finish().unwrap().calls()[0].arguments(), r#"{"n":1}"#, "{pieces:?} {reason}");
        let block = r#"{"type":"tool_use","id":"a","name":"f","input":{"n":1}}"#;
        let body = format!(r#"{{"type":"message","role":"assistant","content":[{block}],"stop_reason":{reason}}}"#);
        assert_eq!(crate::wire::Api::Anthropic.parse(&body).unwrap().calls().len(), 1, "{reason}");
    }
}
