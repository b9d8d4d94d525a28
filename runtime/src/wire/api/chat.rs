//! OpenAI's Chat Completions.
//!
//! Source: `CreateChatCompletionResponse` and `CreateChatCompletionStreamResponse` in the API's published description,
//! read 2026-11.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::call::response::CompletedCall;
use crate::text::json;
use crate::wire::api::response::{Called, Draft, stopped};
use crate::wire::api::{Assemble, MOST_CALLS, Vendor};
use crate::wire::image::data_url;
use crate::wire::node::{MOST_VALUES, Node, below, shown};
use crate::wire::write::written;
use crate::wire::{ModelResponse, Stop, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor { parse, assemble: || Box::<Chunks>::default(), results };

/// Keys whose strings are streamed in pieces; two pieces may be equal.
const PIECES: &[&str] = &[
    "content",
    "refusal",
    "arguments",
    "input",
    "text",
    "reasoning",
    "reasoning_content",
    "reasoning_text",
    "thinking",
    "data",
    "transcript",
];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let choices = body.object()?.need("choices", "a list of choices")?;
    let choice = choice(&choices)?.ok_or_else(|| WireError::new(&*choices.place, "one choice", "none"))?;
    let choice = choice.object()?;
    let reason = choice.word("finish_reason")?;
    let message = choice.need("message", "the assistant's message")?;
    let mut draft = Draft::default();
    let is_refusal = read(&message, &mut draft)?;
    draft.messages.push(message.json.to_owned());
    draft.end(stop(&reason, is_refusal), reason)
}

/// Returns the only choice, if there is one.
fn choice<'a>(choices: &Node<'a>) -> Result<Option<Node<'a>>, WireError> {
    choices.only("one choice (`n` is 1)")
}

fn stop(reason: &str, is_refusal: bool) -> Stop {
    match reason {
        "stop" | "tool_calls" if is_refusal => Stop::Refused,
        "stop" | "tool_calls" => Stop::Done,
        "length" => Stop::Length,
        "content_filter" => Stop::Refused,
        _ => Stop::Other,
    }
}

/// Reads the text and the calls of an assistant's message. Returns whether it is a refusal.
fn read(message: &Node<'_>, draft: &mut Draft) -> Result<bool, WireError> {
    let message = message.object()?;
    if let Some(role) = message.get("role")
        && role.text()? != "assistant"
    {
        return Err(role.not("`assistant`"));
    }
    if let Some(call) = message.get("function_call") {
        return Err(call.not("`tool_calls`, which have taken its place"));
    }
    let refusal = message.text_if_any("refusal")?;
    draft.say(&message.text_if_any("content")?.unwrap_or_default());
    draft.say(refusal.as_deref().unwrap_or_default());
    let calls = message.get("tool_calls").map(|calls| calls.items()).transpose()?;
    for node in calls.unwrap_or_default() {
        let call = node.object()?;
        // Some servers omit the type.
        if let Some(kind) = call.get("type")
            && kind.text()? != "function"
        {
            return Err(kind.not("`function`"));
        }
        let function = call.need("function", "a function's name and arguments")?.object()?;
        draft.call(Called {
            id: call.word("id")?,
            name: function.word("name")?,
            arguments: function.text("arguments")?,
            place: node.place,
        })?;
    }
    Ok(refusal.is_some_and(|refusal| !refusal.is_empty()))
}

/// A streamed message, chunk by chunk.
#[derive(Default)]
struct Chunks {
    /// The message without its calls.
    message: Map<String, Value>,
    /// The calls, by their index.
    calls: BTreeMap<u64, Map<String, Value>>,
    /// The total number of values.
    values: usize,
    reason: String,
}

impl Assemble for Chunks {
    fn event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        // Some servers omit the choices in the chunk with the usage.
        let Some(choices) = data.object()?.get("choices") else { return Ok(()) };
        let Some(choice) = choice(&choices)? else { return Ok(()) };
        let choice = choice.object()?;
        stopped(&mut self.reason, choice.text_if_any("finish_reason")?, |reason| stop(reason, false));
        let Some(delta) = choice.get("delta") else { return Ok(()) };
        let delta = delta.object()?;
        for key in ["content", "refusal"] {
            shown.push_str(&delta.text_if_any(key)?.unwrap_or_default());
        }
        let Self { message, calls, values, .. } = self;
        for (key, _) in delta.all() {
            let Some(node) = delta.get(key) else { continue };
            if key != "tool_calls" {
                join(message, key, node.value()?, &node.place, values)?;
                continue;
            }
            for node in node.items()? {
                let call = node.object()?;
                let index = call.need("index", "the call's index")?.number()?;
                if calls.len() == MOST_CALLS && !calls.contains_key(&index) {
                    return Err(node.not(format!("at most {MOST_CALLS} calls")));
                }
                let known = calls.entry(index).or_default();
                for (key, _) in call.all().filter(|(key, _)| *key != "index") {
                    let Some(node) = call.get(key) else { continue };
                    join(known, key, node.value()?, &node.place, values)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<ModelResponse, WireError> {
        if self.reason.is_empty() {
            return Err(WireError::new("", "a stream that ends with a `finish_reason`", "one that broke off"));
        }
        let mut message = std::mem::take(&mut self.message);
        message.entry("role").or_insert_with(|| "assistant".into());
        message.entry("content").or_insert(Value::Null);
        if !self.calls.is_empty() {
            let calls = std::mem::take(&mut self.calls).into_values().map(Value::Object);
            message.insert("tool_calls".to_owned(), calls.collect());
        }
        let message = written(Value::Object(message).to_string());
        let mut draft = Draft::default();
        let node = Node { json: &message, place: "/choices/0/message".to_owned() };
        let is_refusal = read(&node, &mut draft)?;
        draft.messages.push(message);
        draft.end(stop(&self.reason, is_refusal), std::mem::take(&mut self.reason))
    }
}

/// Merges the value of `key` in a chunk into the value so far: strings and lists are continued, objects are merged key
/// by key, otherwise the latest value wins. A repeated string is replaced, unless its key is streamed in pieces.
/// `values` counts all values.
fn join(
    known: &mut Map<String, Value>,
    key: &str,
    new: Value,
    place: &str,
    values: &mut usize,
) -> Result<(), WireError> {
    match (known.get_mut(key), new) {
        // These are sent complete; some servers repeat them.
        (Some(Value::String(old)), Value::String(new)) if ["id", "type", "role", "name"].contains(&key) => {
            if old.is_empty() {
                *old = new;
            } else if !new.is_empty() && *old != new {
                let got = shown(&Value::String(new).to_string());
                return Err(WireError::new(place, "the same value as before", got));
            }
        }
        (Some(Value::String(old)), Value::String(new)) => {
            if *old != new || PIECES.contains(&key) {
                old.push_str(&new);
            }
        }
        (Some(Value::Array(old)), Value::Array(new)) => {
            new.iter().try_for_each(|item| count(item, place, values))?;
            old.extend(new);
        }
        (Some(Value::Object(old)), Value::Object(new)) => {
            for (key, new) in new.into_iter().filter(|(_, new)| !new.is_null()) {
                join(old, &key, new, &below(place, &key), values)?;
            }
        }
        (Some(old), new) => {
            count(&new, place, values)?;
            *old = new;
        }
        (None, new) => {
            count(&new, place, values)?;
            known.insert(key.to_owned(), new);
        }
    }
    Ok(())
}

/// Counts a new value, including all nested values.
fn count(new: &Value, place: &str, values: &mut usize) -> Result<(), WireError> {
    *values += 1;
    if *values > MOST_VALUES {
        return Err(WireError::new(place, format!("at most {MOST_VALUES} values in all"), "more"));
    }
    match new {
        Value::Array(items) => items.iter().try_for_each(|item| count(item, place, values)),
        Value::Object(entries) => entries.values().try_for_each(|value| count(value, place, values)),
        _ => Ok(()),
    }
}

fn results(answers: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    answers.iter().map(result).chain(images(answers)).collect()
}

/// Returns a user message with the images, because tool messages accept only text. It follows all tool messages.
fn images(answers: &[CompletedCall<'_>]) -> Option<Box<RawValue>> {
    let mut out = String::from(r#"{"role":"user","content":["#);
    let before = out.len();
    for CompletedCall { call, answer } in answers.iter().filter(|answered| !answered.answer.images.is_empty()) {
        out.push_str(if out.len() == before { "" } else { "," });
        out.push_str(r#"{"type":"text","text":"#);
        json::push_string(&mut out, &format!("Images of the result of the call {} ({}):", call.id(), call.name()));
        out.push('}');
        for image in &answer.images {
            let _ = write!(out, r#",{{"type":"image_url","image_url":{{"url":"{}"}}}}"#, data_url(image));
        }
    }
    (out.len() > before).then(|| written(out + "]}"))
}

fn result(answered: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"role":"tool","tool_call_id":"#);
    json::push_string(&mut out, answered.call.id());
    out.push_str(r#","content":"#);
    json::push_string(&mut out, &answered.answer.json);
    out.push('}');
    written(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::ToolCall;
    use crate::call::response::CallResponse;
    use crate::wire::Api;

    #[test]
    fn calls_come_out_and_their_results_go_back() {
        let body = r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
            {"id":"c1","type":"function","function":{"name":"find","arguments":"{\"n\":12345678901234567890123}"}},
            {"id":"c2","type":"function","function":{"name":"now","arguments":""}}
        ]},"finish_reason":"tool_calls"}]}"#;
        let response = Api::ChatCompletions.parse(body).unwrap();
        let calls: Vec<_> = response.calls().iter().map(|call| (call.id(), call.name(), call.arguments())).collect();
        assert_eq!(calls, [("c1", "find", r#"{"n":12345678901234567890123}"#), ("c2", "now", "{}")]);
        assert_eq!((response.stop(), response.stop_reason(), response.text()), (Stop::Done, "tool_calls", ""));
        assert!(body.contains(response.messages()[0].get()), "to the letter");

        let answer = CallResponse { json: r#""a \"b\"""#.to_owned(), error: None, images: Vec::new() };
        let results =
            Api::ChatCompletions.results(&[CompletedCall { call: ToolCall::new("find", "").with_id("c1"), answer }]);
        let expected = json!({"role": "tool", "tool_call_id": "c1", "content": "\"a \\\"b\\\"\""});
        assert_eq!(serde_json::from_str::<Value>(results[0].get()).unwrap(), expected);
    }

    #[test]
    fn what_chunks_say_of_one_thing_is_joined() {
        let mut stream = Api::ChatCompletions.stream();
        let mut shown = String::new();
        for delta in [
            json!({"role": "assistant", "content": "", "reasoning_content": "hm"}),
            json!({"content": "a", "reasoning_content": "m", "tool_calls": [
                {"index": 1, "id": "c2", "type": "function", "function": {"name": "g", "arguments": "{\"a\""}},
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}, "x": {"y": [1]}},
            ]}),
            json!({"content": "b", "tool_calls": [
                {"index": 0, "id": "", "function": {"arguments": "{}"}, "x": {"y": [2]}},
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
        assert_eq!(message["tool_calls"][0]["x"]["y"], json!([1, 2]));
    }

    #[test]
    fn what_each_chunk_says_again_is_said_once() {
        let mut stream = Api::ChatCompletions.stream();
        for reason in ["", "", "stop"] {
            let delta = json!({"content": "a", "reasoning": "b", "model": "m", "x": {"signature": "s"}});
            let chunk = json!({"choices": [{"delta": delta, "finish_reason": reason}]});
            stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
        }
        let message: Value = serde_json::from_str(stream.finish().unwrap().messages()[0].get()).unwrap();
        let expected = json!({
            "role": "assistant", "content": "aaa", "reasoning": "bbb", "model": "m", "x": {"signature": "s"}
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
    fn choices_that_come_by_turns_are_not_mixed() {
        let choice = |index: &str| format!(r#"{{"choices":[{{{index}"message":{{}},"finish_reason":"stop"}}]}}"#);
        let place = "/choices: expected one choice (`n` is 1), got one with the index 1";
        for index in ["", r#""index":null,"#, r#""index":0,"#] {
            assert!(Api::ChatCompletions.parse(&choice(index)).is_ok());
        }
        let second = choice(r#""index":1,"#);
        assert_eq!(Api::ChatCompletions.parse(&second).unwrap_err().to_string(), place);
        let mut stream = Api::ChatCompletions.stream();
        let error = stream.push(format!("data: {second}\n\n").as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("event 1{place}"));
    }

    #[test]
    fn what_is_said_of_one_thing_twice_is_the_same() {
        let delta = |name| format!(r#"{{"tool_calls":[{{"index":0,"function":{{"name":"{name}"}}}}]}}"#);
        let place = "event 2/choices/0/delta/tool_calls/0/function/name";
        assert_eq!(refused(["f", "g"].map(delta)), format!("{place}: expected the same value as before, got \"g\""));
    }

    #[test]
    fn what_is_joined_is_bounded_however_it_is_said() {
        for (known, new) in [
            (json!({}), json!([0, 0, 0])),
            (json!({"x": 1}), json!({"y": [0, 0]})),
            (json!({"x": [0]}), json!([[0], 0, 0])),
            (json!({"x": {"y": [0]}}), json!({"z": {}, "y": [[[0]]]})),
        ] {
            let joined = |mut values: usize| {
                let Value::Object(mut known) = known.clone() else { panic!("it is an object") };
                join(&mut known, "x", new.clone(), "/x", &mut values).map(|()| values)
            };
            assert_eq!(joined(MOST_VALUES - 4), Ok(MOST_VALUES), "{known} {new}");
            let error = joined(MOST_VALUES - 3).unwrap_err().to_string();
            assert!(error.ends_with("expected at most 4194304 values in all, got more"), "{error}");
        }
    }

    #[test]
    fn a_call_that_was_cut_stays_so() {
        let mut stream = Api::ChatCompletions.stream();
        let call = r#"{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}]}"#;
        for (delta, reason) in [(call, "length"), ("{}", "stop")] {
            let chunk = format!(r#"{{"choices":[{{"delta":{delta},"finish_reason":"{reason}"}}]}}"#);
            stream.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
        }
        let error = stream.finish().unwrap_err().to_string();
        assert!(
            error.ends_with("expected a whole call, got a response that stopped before its end: length"),
            "{error}"
        );
    }

    #[test]
    fn half_a_call_is_none() {
        let calls = r#"[{"id":"c1","function":{"name":"find","arguments":"{\"path\":\"/et"}}]"#;
        let body = format!(r#"{{"choices":[{{"message":{{"tool_calls":{calls}}},"finish_reason":"length"}}]}}"#);
        let error = Api::ChatCompletions.parse(&body).unwrap_err().to_string();
        let place = "/choices/0/message/tool_calls/0";
        assert_eq!(
            error,
            format!("{place}: expected a whole call, got a response that stopped before its end: length")
        );
    }
}
