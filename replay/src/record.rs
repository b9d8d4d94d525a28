//! The calls in a line of JSON: recorded conversations of toolc, requests and responses of vendors, messages of MCP, and spans of OpenTelemetry.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// A call that a model has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call<'v> {
    /// The name of the tool as the model wrote it.
    pub tool: &'v str,
    /// The arguments as JSON text, which may be broken.
    pub arguments: Cow<'v, str>,
}

/// The keys of objects that hold calls, or objects that hold calls, and so on. Others, such as `tools`, are not searched: a definition also
/// has a name and parameters.
const HOLDERS: &[&str] = &[
    "body",
    "candidates",
    "choices",
    "content",
    "delta",
    "details",
    "event",
    "item",
    "message",
    "messages",
    "output",
    "parts",
    "request",
    "resourceSpans",
    "response",
    "scopeSpans",
    "spans",
    "tool_calls",
    "toolCalls",
];
/// The pairs of keys with the name and the arguments of a call.
const PAIRS: &[(&str, &str)] = &[
    ("name", "arguments"),
    ("name", "args"),
    ("name", "input"),
    ("tool", "arguments"),
    ("tool", "args"),
    ("tool", "input"),
    ("tool_name", "arguments"),
    ("tool_name", "args"),
    ("tool_name", "input"),
    ("toolName", "args"),
    ("toolName", "input"),
];
const SPAN_NAME: &str = "gen_ai.tool.name";
const SPAN_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
/// The depth to which objects are searched.
const MAX_DEPTH: usize = 16;

/// Returns the calls in a value, in order.
pub(crate) fn calls(value: &Value) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    search(value, MAX_DEPTH, &mut found);
    found
}

fn search<'v>(value: &'v Value, depth: usize, found: &mut Vec<Call<'v>>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| search(item, depth - 1, found)),
        Value::Object(object) => {
            if let Some(call) = call(object) {
                return found.push(call);
            }
            let held = HOLDERS.iter().filter_map(|key| object.get(*key));
            held.for_each(|value| search(value, depth - 1, found));
        }
        _ => {}
    }
}

/// Returns the call that an object is.
fn call(object: &Map<String, Value>) -> Option<Call<'_>> {
    // Chat Completions, Gemini, and MCP.
    for key in ["function", "functionCall", "function_call"] {
        if let Some(Value::Object(function)) = object.get(key) {
            return pair(function).or_else(|| without_arguments(function));
        }
    }
    if object.get("method").is_some_and(|method| method == "tools/call") {
        let params = object.get("params")?.as_object()?;
        return pair(params).or_else(|| without_arguments(params));
    }
    if let Some(attributes) = object.get("attributes") {
        return span(attributes);
    }
    pair(object)
}

fn pair(object: &Map<String, Value>) -> Option<Call<'_>> {
    PAIRS.iter().find_map(|(name, arguments)| {
        let tool = object.get(*name)?.as_str()?;
        Some(Call { tool, arguments: text(object.get(*arguments)?)? })
    })
}

/// Returns the call of an object that is certainly one, and has only a name.
fn without_arguments(object: &Map<String, Value>) -> Option<Call<'_>> {
    let has_schema = object.contains_key("parameters") || object.contains_key("description");
    let tool = object.get("name")?.as_str().filter(|_| !has_schema)?;
    Some(Call { tool, arguments: "{}".into() })
}

/// Returns the call of a span: its attributes are an object, or a list of keys and values as in OTLP.
fn span(attributes: &Value) -> Option<Call<'_>> {
    let attribute = |name: &str| match attributes {
        Value::Object(object) => object.get(name),
        Value::Array(list) => list.iter().find(|one| one["key"] == name).map(|one| &one["value"]["stringValue"]),
        _ => None,
    };
    Some(Call { tool: attribute(SPAN_NAME)?.as_str()?, arguments: text(attribute(SPAN_ARGUMENTS)?)? })
}

/// Returns arguments as JSON text.
fn text(arguments: &Value) -> Option<Cow<'_, str>> {
    match arguments {
        Value::String(text) => Some(text.into()),
        Value::Null => Some("{}".into()),
        Value::Object(_) => Some(arguments.to_string().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(value: &Value) -> Vec<(String, String)> {
        calls(value).into_iter().map(|call| (call.tool.to_owned(), call.arguments.into_owned())).collect()
    }

    #[test]
    fn calls_are_found_in_the_messages_of_every_vendor() {
        let expected = vec![("read".to_owned(), "{\"path\":\"a\"}".to_owned())];
        let arguments = json!({ "path": "a" });
        for line in [
            json!({ "tool": "read", "arguments": arguments }),
            json!({ "kind": "assistant", "details": [{ "id": "1", "name": "read", "arguments": "{\"path\":\"a\"}" }] }),
            json!({ "role": "assistant", "tool_calls": [{ "function": { "name": "read", "arguments": "{\"path\":\"a\"}" } }] }),
            json!({ "choices": [{ "message": { "tool_calls": [{ "function": { "name": "read", "arguments": "{\"path\":\"a\"}" } }] } }] }),
            json!({ "output": [{ "type": "function_call", "name": "read", "arguments": "{\"path\":\"a\"}" }] }),
            json!({ "content": [{ "type": "text", "text": "." }, { "type": "tool_use", "name": "read", "input": arguments }] }),
            json!({ "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "read", "args": arguments } }] } }] }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "read", "arguments": arguments } }),
            json!({ "toolCalls": [{ "toolName": "read", "input": arguments }] }),
            json!({ "attributes": { "gen_ai.tool.name": "read", "gen_ai.tool.call.arguments": "{\"path\":\"a\"}" } }),
            json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [{ "attributes": [
                { "key": "gen_ai.tool.name", "value": { "stringValue": "read" } },
                { "key": "gen_ai.tool.call.arguments", "value": { "stringValue": "{\"path\":\"a\"}" } },
            ] }] }] }] }),
        ] {
            assert_eq!(found(&line), expected, "{line}");
        }
    }

    #[test]
    fn definitions_results_and_other_objects_are_not_calls() {
        for line in [
            json!({ "tools": [{ "name": "read", "input": {} }], "messages": [{ "role": "user", "content": "read" }] }),
            json!({ "type": "function", "function": { "name": "read", "parameters": {} } }),
            json!({ "content": [{ "type": "tool_result", "tool_use_id": "1", "content": "x" }] }),
            json!({ "attributes": { "gen_ai.tool.name": "read" } }),
            json!([1, "a", null]),
        ] {
            assert_eq!(found(&line), [], "{line}");
        }
    }

    #[test]
    fn a_call_without_arguments_has_an_empty_object() {
        let line = json!({ "parts": [{ "functionCall": { "name": "now" } }], "x": 1 });
        assert_eq!(found(&line), [("now".to_owned(), "{}".to_owned())]);
    }
}
