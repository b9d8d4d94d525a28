use serde_json::{Value, json};

use super::*;
use crate::call::response::CallResponse;
use crate::result::error::ToolError;
use crate::result::image::Image;
use crate::result::output::ToolOutput;
use crate::wire::Api;

fn parse(steps: &str, status: &str) -> Result<ModelResponse, WireError> {
    Api::Interactions.parse(&format!(r#"{{"id":"i1","status":"{status}","steps":[{steps}]}}"#))
}

/// Returns the response of a stream with these events, and its text as it arrived.
fn streamed(events: &[Value]) -> Result<(ModelResponse, String), WireError> {
    let (mut stream, mut shown) = (Api::Interactions.stream(), String::new());
    for event in events {
        shown += &stream.push(format!("data: {event}\n\n").as_bytes())?;
    }
    Ok((stream.finish()?, shown))
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "event_type": "step.delta", "index": index, "delta": delta })
}

fn start(index: u64, step: &Value) -> Value {
    json!({ "event_type": "step.start", "index": index, "step": step })
}

fn completed(status: &str, steps: &[Value]) -> Value {
    json!({ "event_type": "interaction.completed", "interaction": { "id": "i1", "status": status, "steps": steps } })
}

const CALL: &str = r#"{"type":"function_call", "id":"c1","name":"f","arguments":{"n":1.0},"signature":"AA=="}"#;

#[test]
fn steps_of_the_input_are_not_sent_back_twice() {
    let input = r#"{"type":"user_input","content":[{"type":"text","text":"Hi"}]}"#;
    let result = r#"{"type":"function_result","call_id":"c0","result":"1"}"#;
    for before in [String::new(), format!("{input},"), format!("{CALL},{input},"), format!("{input},{result},")] {
        let response = parse(&format!("{before}{CALL}"), "requires_action").unwrap();
        let messages: Vec<&str> = response.messages().iter().map(|message| message.get()).collect();
        assert_eq!(messages, [CALL], "{before}");
        assert_eq!((response.calls()[0].id(), response.calls()[0].arguments()), ("c1", r#"{"n":1.0}"#));
    }
}

#[test]
fn a_call_with_a_result_in_the_same_response_needs_no_other() {
    let result = r#"{"type":"function_result","call_id":"c1","result":"1"}"#;
    let response = parse(&format!("{CALL},{result}"), "completed").unwrap();
    assert_eq!((response.calls().len(), response.messages().len()), (0, 2));
}

#[test]
fn results_are_steps() {
    let response = parse(CALL, "requires_action").unwrap();
    let written = |result: crate::result::output::ToolResult| {
        let completed = CompletedCall { call: response.calls()[0], response: CallResponse::from(result) };
        serde_json::from_str::<Value>(Api::Interactions.results(&[completed])[0].get()).unwrap()
    };
    let step = |result: &Value| json!({ "type": "function_result", "call_id": "c1", "name": "f", "result": result });
    assert_eq!(written(Ok(ToolOutput::text("a"))), step(&json!("\"a\"")));
    let failed = written(Err(ToolError::new("no")));
    assert_eq!((&failed["is_error"], failed["result"].as_str().unwrap().contains("no")), (&json!(true), true));
    let image = Image::new("image/gif", *b"GIF89a").unwrap();
    let audio = Attachment::audio("audio/wav", *b"RIFF").unwrap();
    let both = ToolOutput::text("a").with_image(image).and_then(|output| output.with_attachment(audio));
    let expected = json!([
        { "type": "text", "text": "\"a\"" },
        { "type": "image", "mime_type": "image/gif", "data": "R0lGODlh" },
        { "type": "audio", "mime_type": "audio/wav", "data": "UklGRg==" },
    ]);
    assert_eq!(written(both), step(&expected));
}

#[test]
fn definitions_that_the_host_has_found_are_the_result() {
    let response = parse(CALL, "requires_action").unwrap();
    let definition = json!({ "type": "function", "name": "g", "parameters": { "type": "object" } });
    let origin = CallOrigin::of(CallKind::ToolSearch);
    let result = |json: &Value| {
        let found = CallResponse::from(ToolOutput::json(json));
        let completed = CompletedCall { call: response.calls()[0].with_origin(&origin), response: found };
        serde_json::from_str::<Value>(Api::Interactions.results(&[completed])[0].get()).unwrap()["result"].clone()
    };
    assert_eq!(result(&json!({ "tools": [definition, { "name": "h" }] })), json!([definition]));
    assert_eq!(result(&json!([])), json!("[]"));
}

#[test]
fn the_status_is_the_stop_reason() {
    for (status, stop) in [
        ("completed", Stop::Done),
        ("requires_action", Stop::Done),
        ("incomplete", Stop::Length),
        ("requires_continuation", Stop::Length),
        ("cancelled", Stop::Failed),
    ] {
        let response = parse("", status).unwrap();
        assert_eq!((response.stop(), response.stop_reason()), (stop, status));
    }
    assert!(parse(CALL, "incomplete").unwrap_err().to_string().contains("a complete call"));
    let error = parse("", "in_progress").unwrap_err().to_string();
    assert_eq!(error, r#"/status: expected a final status, got "in_progress""#);
    let failed = r#"{"status":"failed","errors":[{"code":"internal","message":"no luck"}]}"#;
    let error = Api::Interactions.parse(failed).unwrap_err().to_string();
    assert_eq!(error, "the API returned an error (internal): no luck");
}

#[test]
fn deltas_are_assembled() {
    let (response, shown) = streamed(&[
        json!({ "event_type": "interaction.created", "interaction": { "id": "i1", "status": "in_progress" } }),
        start(1, &json!({ "type": "thought", "summary": [] })),
        delta(1, &json!({ "type": "thought_summary", "content": { "type": "text", "text": "Two " } })),
        delta(1, &json!({ "type": "thought_summary", "content": { "type": "text", "text": "places" } })),
        delta(1, &json!({ "type": "thought_signature", "signature": "AA==" })),
        start(2, &json!({ "type": "google_search_call", "id": "g1", "arguments": {} })),
        delta(2, &json!({ "type": "google_search_call", "arguments": { "queries": ["a"] } })),
        start(3, &json!({ "type": "model_output", "content": [{ "type": "text", "text": "I " }] })),
        delta(3, &json!({ "type": "text", "text": "look" })),
        delta(3, &json!({ "type": "text_annotation_delta", "annotations": [{ "type": "url_citation" }] })),
        delta(3, &json!({ "type": "image", "mime_type": "image/png", "data": "AA==" })),
        delta(3, &json!({ "type": "text", "text": "." })),
        json!({ "event_type": "step.stop", "index": 3 }),
        start(4, &json!({ "type": "function_call", "id": "c1", "name": "f", "arguments": {}, "signature": "BB==" })),
        delta(4, &json!({ "type": "arguments_delta", "arguments": "{\"n\"" })),
        // The index of the thought.
        delta(1, &json!({ "type": "arguments_delta", "arguments": ":1.0}" })),
        completed("requires_action", &[]),
    ])
    .unwrap();
    assert_eq!((&*shown, response.text()), ("I look.", "I look."));
    assert_eq!(response.calls()[0].arguments(), r#"{"n":1.0}"#);
    let steps: Vec<Value> =
        response.messages().iter().map(|message| serde_json::from_str(message.get()).unwrap()).collect();
    let text = json!({ "type": "text", "text": "I look", "annotations": [{ "type": "url_citation" }] });
    let image = json!({ "type": "image", "mime_type": "image/png", "data": "AA==" });
    let expected = [
        json!({ "type": "thought", "summary": [{ "type": "text", "text": "Two places" }], "signature": "AA==" }),
        json!({ "type": "google_search_call", "id": "g1", "arguments": { "queries": ["a"] } }),
        json!({ "type": "model_output", "content": [text, image, { "type": "text", "text": "." }] }),
        json!({ "type": "function_call", "id": "c1", "name": "f", "arguments": { "n": 1.0 }, "signature": "BB==" }),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn the_steps_of_the_last_event_count_if_none_is_missing() {
    let output = |text: &str| json!({ "type": "model_output", "content": [{ "type": "text", "text": text }] });
    let events = [start(0, &output("a")), completed("completed", &[output("b")])];
    assert_eq!(streamed(&events).unwrap().0.text(), "b");
    let events = [start(0, &output("a")), start(1, &output("c")), completed("completed", &[output("b")])];
    assert_eq!(streamed(&events).unwrap().0.text(), "ac");
    assert_eq!(streamed(&[completed("completed", &[output("b")])]).unwrap().1, "b");
    let events = [completed("completed", &[output("b")]), completed("completed", &[output("c")])];
    assert_eq!(streamed(&events).unwrap().1, "b", "an interaction ends once");
}

#[test]
fn an_event_out_of_sequence_is_an_error() {
    let error = |events: &[Value]| streamed(events).unwrap_err().to_string();
    let text = json!({ "type": "text", "text": "a" });
    let call = start(0, &json!({ "type": "function_call", "id": "c1", "name": "f", "arguments": {} }));
    assert_eq!(error(&[delta(0, &text)]), "event 1/index: expected the index of a step, got 0");
    let expected = "event 2/delta/type: expected a delta of a step of the type `function_call`, got \"text\"";
    assert_eq!(error(&[call.clone(), delta(0, &text)]), expected);
    let cut =
        [call.clone(), delta(0, &json!({ "type": "arguments_delta", "arguments": "{" })), completed("completed", &[])];
    assert!(
        error(&cut).contains("/steps/0/arguments: expected a complete call, got a response that was cut off: "),
        "{}",
        error(&cut)
    );
    let early = "expected a stream that ends with `interaction.completed`, got a stream that ended early";
    assert_eq!(error(&[call]), early);
    let failed = json!({ "event_type": "error", "error": { "code": "unavailable", "message": "later" } });
    assert_eq!(error(&[failed]), "the API returned an error (unavailable): later");
}

#[test]
fn steps_with_one_index_or_without_an_index_are_told_apart() {
    let call = |id: &str| json!({ "type": "function_call", "id": id, "name": "f", "arguments": {} });
    let output = json!({ "type": "model_output", "content": [{ "type": "text", "text": "a" }] });
    let arguments = |n: u64| json!({ "type": "arguments_delta", "arguments": format!(r#"{{"n":{n}}}"#) });
    let stop = || json!({ "event_type": "step.stop", "index": 0 });
    let end = || completed("requires_action", &[]);
    let events = [
        start(0, &output),
        stop(),
        start(0, &call("1")),
        start(0, &call("1")),
        delta(0, &arguments(1)),
        stop(),
        start(0, &call("2")),
        delta(0, &arguments(2)),
        end(),
    ];
    let without_index = events.clone().map(|mut event| {
        event.as_object_mut().unwrap().remove("index");
        event
    });
    for events in [events, without_index] {
        let (response, _) = streamed(&events).unwrap();
        let calls: Vec<_> =
            response.calls().iter().map(|call| (call.id().to_owned(), call.arguments().to_owned())).collect();
        let expected = ["1", "2"].map(|n| (n.to_owned(), format!(r#"{{"n":{n}}}"#)));
        assert_eq!((response.text(), &*calls), ("a", &expected[..]));
    }
}

#[test]
fn unknown_steps_and_contents_are_kept() {
    let steps = r#"{"type":"model_output","content":[{"type":"hologram","x":1.0}]},{"type":"future_step"}"#;
    let response = parse(steps, "completed").unwrap();
    let unknown: Vec<String> = response.unknown().iter().map(ToString::to_string).collect();
    assert_eq!(unknown, ["hologram at /steps/0/content/0", "future_step at /steps/1"]);
    assert_eq!(response.messages().len(), 2);
    assert!(parse(r#"{"type":"future_call","id":"x"}"#, "completed").is_err());
}

/// Returns the names of the calls of a whole interaction and of a stream with these steps.
fn names(steps: &[Value]) -> [Vec<String>; 2] {
    let names = |response: &ModelResponse| response.calls().iter().map(|call| call.name().to_owned()).collect();
    let text: Vec<String> = steps.iter().map(ToString::to_string).collect();
    let mut events: Vec<Value> = (0..).zip(steps).map(|(index, step)| start(index, step)).collect();
    events.push(completed("requires_action", &[]));
    [names(&parse(&text.join(","), "requires_action").unwrap()), names(&streamed(&events).unwrap().0)]
}

#[test]
fn a_result_answers_only_the_call_before_it_with_its_id() {
    let call =
        |id: Option<&str>, name: &str| json!({ "type": "function_call", "id": id, "name": name, "arguments": {} });
    let result = |id: &str| json!({ "type": "function_result", "call_id": id, "result": "1" });
    for (steps, expected) in [
        (vec![call(None, "f"), result(""), call(None, "g")], vec!["f", "g"]),
        (vec![call(Some(""), "f"), result("")], vec!["f"]),
        (vec![call(Some("a"), "f"), result("a"), call(Some("a"), "g")], vec!["g"]),
        (vec![call(Some("a"), "f"), call(Some("a"), "g"), result("a")], vec!["g"]),
        (vec![call(Some("a"), "f"), result("a"), result("b"), call(Some("b"), "g")], vec!["g"]),
    ] {
        assert_eq!(names(&steps), [expected.clone(), expected], "{steps:?}");
    }
}

#[test]
fn a_streamed_call_is_never_lost() {
    let call = |id: &str, n: Value| json!({ "type": "function_call", "id": id, "name": "f", "arguments": { "n": n } });
    let thought = json!({ "type": "thought", "signature": "AA==" });
    let error = |events: &[Value]| streamed(events).unwrap_err().to_string();
    let lost = "event 2/interaction/steps: expected the call of `f` in an earlier event, got steps without it";
    assert_eq!(
        error(&[start(0, &call("a", json!(1))), completed("requires_action", std::slice::from_ref(&thought))]),
        lost
    );
    let other = completed("requires_action", &[call("b", json!(1))]);
    assert_eq!(error(&[start(0, &call("a", json!(1))), other]), lost);
    let bare = |n: Value| call("", n);
    let same = [start(0, &bare(json!(1))), completed("requires_action", &[bare(json!(1.0))])];
    assert_eq!(streamed(&same).unwrap().0.calls().len(), 1);
    // The steps of the events count, because there are more of them.
    let fewer = [start(0, &thought), start(1, &thought), completed("requires_action", &[call("a", json!(1))])];
    assert_eq!(error(&fewer), lost.replace("event 2", "event 3"));
    let late = [completed("completed", &[]), start(0, &call("a", json!(1)))];
    let expected = "event 2/event_type: expected no step after `interaction.completed`, got \"step.start\"";
    assert_eq!(error(&late), expected);
}

#[test]
fn arguments_that_are_not_json_are_those_of_the_call() {
    let call = json!({ "type": "function_call", "id": "c1", "name": "f", "arguments": {} });
    for (text, sent) in [
        (r#"{"a": tru}"#, json!({ "INVALID_JSON": r#"{"a": tru}"# })),
        (r#"{"a""#, json!({ "INVALID_JSON": r#"{"a""# })),
        ("[1]", json!({ "INVALID_JSON": "[1]" })),
    ] {
        let events = |status: &str, is_whole: bool| {
            let mut events = vec![start(0, &call), delta(0, &json!({ "type": "arguments_delta", "arguments": text }))];
            events.extend(is_whole.then(|| json!({ "event_type": "step.stop", "index": 0 })));
            events.push(completed(status, &[]));
            events
        };
        let step = json!({ "type": "function_call", "id": "c1", "name": "f", "arguments": text }).to_string();
        let responses =
            [parse(&step, "requires_action"), streamed(&events("requires_action", true)).map(|(response, _)| response)];
        for response in responses {
            let response = response.unwrap();
            assert_eq!(response.calls()[0].arguments(), text);
            let message: Value = serde_json::from_str(response.messages()[0].get()).unwrap();
            assert_eq!(message["arguments"], sent);
        }
        assert!(streamed(&events("incomplete", true)).is_err(), "{text}");
        assert_eq!(streamed(&events("requires_action", false)).is_err(), text != "[1]", "the step has not ended");
    }
    let body = CALL.replace(r#"{"n":1.0}"#, r#""{\"n\":1.0}""#);
    let response = parse(&body, "requires_action").unwrap();
    let call = CALL.replace(", ", ",");
    assert_eq!((response.calls()[0].arguments(), response.messages()[0].get()), (r#"{"n":1.0}"#, &*call));
}
