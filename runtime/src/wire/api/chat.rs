//! OpenAI's Chat Completions.
//!
//! Source: `CreateChatCompletionResponse` and `CreateChatCompletionStreamResponse` in the API's published description,
//! read 2026-11.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::text::json;
use crate::wire::api::response::{ParsedCall, Place, ResponseBuilder, record_stop_reason};
use crate::wire::api::usage::{count as count_tokens, count_in, object};
use crate::wire::api::{MAX_CALLS, ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::data_url;
use crate::wire::node::{MAX_VALUES, Node, Object, child_path, describe};
use crate::wire::write::raw_json;
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor =
    Vendor { parse, assemble: || Box::<Chunks>::default(), results, tool_update: |_, _| None };

/// Keys whose strings are streamed in fragments, which are concatenated. Two fragments may be equal.
const FRAGMENT_KEYS: &[&str] = &[
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
    let body = body.object()?;
    let choices = body.require("choices", "an array of choices")?;
    let choice = choice(&choices)?.ok_or_else(|| WireError::new(&*choices.path, "one choice", "none"))?;
    let choice = choice.object()?;
    let reason = choice.non_empty_text("finish_reason")?;
    let message = choice.require("message", "the assistant's message")?;
    let mut builder = ResponseBuilder::new(usage(&body));
    let is_refusal = read(&message, &mut builder)?;
    builder.push_message(message.json);
    builder.build(stop(&reason, is_refusal), reason)
}

/// Returns the only choice, if there is one.
fn choice<'a>(choices: &Node<'a>) -> Result<Option<Node<'a>>, WireError> {
    choices.single("one choice (`n` is 1)")
}

/// Returns the usage in a response or a chunk.
fn usage(response: &Object<'_>) -> Option<Usage> {
    let usage = object(response, "usage")?;
    Some(Usage {
        input: count_tokens(&usage, "prompt_tokens"),
        cached: count_in(&usage, "prompt_tokens_details", "cached_tokens"),
        cache_writes: count_in(&usage, "prompt_tokens_details", "cache_write_tokens"),
        output: count_tokens(&usage, "completion_tokens"),
        thinking: count_in(&usage, "completion_tokens_details", "reasoning_tokens"),
        ..Usage::default()
    })
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
fn read(message: &Node<'_>, builder: &mut ResponseBuilder) -> Result<bool, WireError> {
    let message = message.object()?;
    if let Some(role) = message.get("role")
        && role.text()? != "assistant"
    {
        return Err(role.unexpected("`assistant`"));
    }
    if let Some(call) = message.get("function_call") {
        return Err(call.unexpected("`tool_calls`, which replaces it"));
    }
    let refusal = message.optional_text("refusal")?;
    builder.push_text(&message.optional_text("content")?.unwrap_or_default());
    builder.push_text(refusal.as_deref().unwrap_or_default());
    let calls = message.get("tool_calls").map(|calls| calls.items()).transpose()?;
    for node in calls.unwrap_or_default() {
        let call = node.object()?;
        // Some servers omit the type.
        let kind = call.get("type").map(|kind| kind.text().map(|text| (kind, text))).transpose()?;
        let (name, arguments, kind) = match &kind {
            Some((_, text)) if text == "custom" => {
                let custom = call.require("custom", "the name and the input of a text tool")?.object()?;
                (custom.non_empty_text("name")?, custom.text("input")?, CallKind::Text)
            }
            Some((node, text)) if text != "function" => return Err(node.unexpected("`function` or `custom`")),
            _ => {
                let function = call.require("function", "a function's name and arguments")?.object()?;
                (function.non_empty_text("name")?, function.arguments("arguments")?, CallKind::Function)
            }
        };
        let id = call.optional_text("id")?.unwrap_or_default();
        let call_read = ParsedCall { id, name, arguments, origin: CallOrigin::of(kind), path: node.path.clone() };
        builder.push_call(call_read, &Place { node: &node, object: &call, key: "id" })?;
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
    usage: Option<Usage>,
}

impl ResponseAssembler for Chunks {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let data = data.object()?;
        // Some servers send the usage so far in each chunk.
        self.usage = usage(&data).or(self.usage);
        // Some servers omit the choices in the chunk with the usage.
        let Some(choices) = data.get("choices") else { return Ok(()) };
        let Some(choice) = choice(&choices)? else { return Ok(()) };
        let choice = choice.object()?;
        record_stop_reason(&mut self.reason, choice.optional_text("finish_reason")?, |reason| stop(reason, false));
        let Some(delta) = choice.get("delta") else { return Ok(()) };
        let delta = delta.object()?;
        for key in ["content", "refusal"] {
            shown.push_str(&delta.optional_text(key)?.unwrap_or_default());
        }
        let Self { message, calls, values, .. } = self;
        for (key, _) in delta.all() {
            let Some(node) = delta.get(key) else { continue };
            if key != "tool_calls" {
                join(message, key, node.value()?, &node.path, values)?;
                continue;
            }
            for node in node.items()? {
                let call = node.object()?;
                let index = call.require("index", "the call's index")?.number()?;
                if calls.len() == MAX_CALLS && !calls.contains_key(&index) {
                    return Err(node.unexpected(format!("at most {MAX_CALLS} calls")));
                }
                let known = calls.entry(index).or_default();
                for (key, _) in call.all().filter(|(key, _)| *key != "index") {
                    let Some(node) = call.get(key) else { continue };
                    join(known, key, node.value()?, &node.path, values)?;
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        if self.reason.is_empty() {
            return Err(WireError::new("", "a stream that ends with a `finish_reason`", "a stream that ended early"));
        }
        let mut message = std::mem::take(&mut self.message);
        message.entry("role").or_insert_with(|| "assistant".into());
        message.entry("content").or_insert(Value::Null);
        if !self.calls.is_empty() {
            let calls = std::mem::take(&mut self.calls).into_values().map(Value::Object);
            message.insert("tool_calls".to_owned(), calls.collect());
        }
        let message = raw_json(Value::Object(message).to_string());
        let mut builder = ResponseBuilder::new(self.usage);
        let node = Node { json: &message, path: "/choices/0/message".to_owned() };
        let is_refusal = read(&node, &mut builder)?;
        builder.push_message(&message);
        builder.build(stop(&self.reason, is_refusal), std::mem::take(&mut self.reason))
    }
}

/// Merges the value of `key` in a chunk into the accumulated value: strings and arrays are concatenated, objects are
/// merged key by key, and otherwise the latest value wins. A string that equals the accumulated one is a repetition and
/// is dropped, except for [`FRAGMENT_KEYS`]. `values` counts all values.
fn join(
    known: &mut Map<String, Value>,
    key: &str,
    new: Value,
    path: &str,
    values: &mut usize,
) -> Result<(), WireError> {
    match (known.get_mut(key), new) {
        // Sent complete in one chunk; some servers repeat them in every chunk.
        (Some(Value::String(old)), Value::String(new)) if ["id", "type", "role", "name"].contains(&key) => {
            if old.is_empty() {
                *old = new;
            } else if !new.is_empty() && *old != new {
                let got = describe(&Value::String(new).to_string());
                return Err(WireError::new(path, "the same value as before", got));
            }
        }
        (Some(Value::String(old)), Value::String(new)) => {
            if *old != new || FRAGMENT_KEYS.contains(&key) {
                old.push_str(&new);
            }
        }
        (Some(Value::Array(old)), Value::Array(new)) => {
            new.iter().try_for_each(|item| count(item, path, values))?;
            old.extend(new);
        }
        (Some(Value::Object(old)), Value::Object(new)) => {
            for (key, new) in new.into_iter().filter(|(_, new)| !new.is_null()) {
                join(old, &key, new, &child_path(path, &key), values)?;
            }
        }
        (Some(old), new) => {
            count(&new, path, values)?;
            *old = new;
        }
        (None, new) => {
            count(&new, path, values)?;
            known.insert(key.to_owned(), new);
        }
    }
    Ok(())
}

/// Counts a new value, including all nested values.
fn count(new: &Value, path: &str, values: &mut usize) -> Result<(), WireError> {
    *values += 1;
    if *values > MAX_VALUES {
        return Err(WireError::new(path, format!("at most {MAX_VALUES} values in all"), "more"));
    }
    match new {
        Value::Array(items) => items.iter().try_for_each(|item| count(item, path, values)),
        Value::Object(entries) => entries.values().try_for_each(|value| count(value, path, values)),
        _ => Ok(()),
    }
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    completed_calls.iter().map(result).chain(images(completed_calls)).collect()
}

/// Returns a user message with the images, because tool messages accept only text. It follows all tool messages.
fn images(completed_calls: &[CompletedCall<'_>]) -> Option<Box<RawValue>> {
    let mut out = String::from(r#"{"role":"user","content":["#);
    let before = out.len();
    for CompletedCall { call, response } in
        completed_calls.iter().filter(|completed| !completed.response.images.is_empty())
    {
        if out.len() > before {
            out.push(',');
        }
        out.push_str(r#"{"type":"text","text":"#);
        json::push_string(&mut out, &format!("Images of the result of the call {} ({}):", call.id(), call.name()));
        out.push('}');
        for image in &response.images {
            let _ = write!(out, r#",{{"type":"image_url","image_url":{{"url":"{}"}}}}"#, data_url(image));
        }
    }
    (out.len() > before).then(|| raw_json(out + "]}"))
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"role":"tool","tool_call_id":"#);
    json::push_string(&mut out, completed.call.id());
    out.push_str(r#","content":"#);
    json::push_string(&mut out, &attachment::text(&completed.response));
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::ToolCall;
    use crate::call::response::CallResponse;
    use crate::wire::Api;

    #[test]
    fn calls_are_parsed_and_results_written() {
        let body = r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
            {"id":"c1","type":"function","function":{"name":"find","arguments":"{\"n\":12345678901234567890123}"}},
            {"id":"c2","type":"function","function":{"name":"now","arguments":""}}
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
    fn only_the_first_choice_is_accepted() {
        let choice = |index: &str| format!(r#"{{"choices":[{{{index}"message":{{}},"finish_reason":"stop"}}]}}"#);
        let path = "/choices: expected one choice (`n` is 1), got one with index 1";
        for index in ["", r#""index":null,"#, r#""index":0,"#] {
            assert!(Api::ChatCompletions.parse(&choice(index)).is_ok());
        }
        let second = choice(r#""index":1,"#);
        assert_eq!(Api::ChatCompletions.parse(&second).unwrap_err().to_string(), path);
        let mut stream = Api::ChatCompletions.stream();
        let error = stream.push(format!("data: {second}\n\n").as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("event 1{path}"));
    }

    #[test]
    fn contradicting_deltas_are_an_error() {
        let delta = |name| format!(r#"{{"tool_calls":[{{"index":0,"function":{{"name":"{name}"}}}}]}}"#);
        let path = "event 2/choices/0/delta/tool_calls/0/function/name";
        assert_eq!(refused(["f", "g"].map(delta)), format!("{path}: expected the same value as before, got \"g\""));
    }

    #[test]
    fn the_number_of_merged_values_is_limited() {
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
            assert_eq!(joined(MAX_VALUES - 4), Ok(MAX_VALUES), "{known} {new}");
            let error = joined(MAX_VALUES - 3).unwrap_err().to_string();
            assert!(error.ends_with("expected at most 4194304 values in all, got more"), "{error}");
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
}
