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
        ("cancelled", Stop::Other),
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
    assert_eq!(error(&[call.clone(), call.clone()]), "event 2/index: expected an unused index, got 0");
    let expected = "event 2/delta/type: expected a delta of a step of the type `function_call`, got \"text\"";
    assert_eq!(error(&[call.clone(), delta(0, &text)]), expected);
    let cut =
        [call.clone(), delta(0, &json!({ "type": "arguments_delta", "arguments": "{" })), completed("completed", &[])];
    assert!(error(&cut).ends_with("/steps/0/arguments: expected complete JSON, got truncated JSON"), "{}", error(&cut));
    let early = "expected a stream that ends with `interaction.completed`, got a stream that ended early";
    assert_eq!(error(&[call]), early);
    let failed = json!({ "event_type": "error", "error": { "code": "unavailable", "message": "later" } });
    assert_eq!(error(&[failed]), "the API returned an error (unavailable): later");
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
