//! OpenAI's Chat Completions.
//!
//! Source: `CreateChatCompletionResponse` and `CreateChatCompletionStreamResponse` in the API's published description,
//! read 2026-11.

mod chunks;
mod content;
mod fragment;
mod joined;
mod sent_back;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::text::json;
use crate::wire::api::Vendor;
use crate::wire::api::edits::ValuePlace;
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ParsedCall, ResponseBuilder, WITHOUT_NAME, record_stop_reason};
use crate::wire::api::sent_back::is_empty;
use crate::wire::api::stop::by_word;
use crate::wire::api::usage::{count as count_tokens, count_in, object};
use crate::wire::attachment;
use crate::wire::image::data_url;
use crate::wire::node::{Node, Object};
use crate::wire::write::{self, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor {
    parse,
    assemble: || Box::<chunks::Chunks>::default(),
    sent_back: sent_back::messages,
    results,
    tool_update: |_, _| None,
};

/// Types of parts of a content that need no answer.
const PARTS: &[&str] = &["thinking", "reference", "image_url", "document_url", "input_audio", "file"];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let body = body.object()?;
    let list = body.require("choices", "an array of choices")?;
    let choices = choices(&list)?.iter().map(Node::object).collect::<Result<Vec<_>, _>>()?;
    if choices.is_empty() {
        return Err(WireError::new(&*list.path, "one choice", "none"));
    }
    let mut messages = Vec::with_capacity(choices.len());
    for choice in &choices {
        let message = choice.require("message", "the assistant's message")?;
        let modern = with_tool_calls(&message)?.unwrap_or_else(|| message.json.to_owned());
        messages.push((message.path, modern));
    }
    let nodes: Vec<Node<'_>> = messages.iter().map(|(path, json)| Node { json, path: path.clone() }).collect();
    let has = |key| nodes.iter().position(|node| has_entry(node, key));
    let says = has("content").unwrap_or_default();
    let calls = has("tool_calls").unwrap_or(says);
    let joined = if calls == says { None } else { Some(with_calls_of(&nodes[says], &nodes[calls])?) };
    let message = Node { json: joined.as_deref().unwrap_or(nodes[says].json), path: nodes[says].path.clone() };
    // Some servers send no reason. A whole body has not been broken off.
    let mut reason = String::new();
    for choice in [calls, says] {
        record_stop_reason(&mut reason, choices[choice].stop_reason("finish_reason"), |reason| stop(reason, false));
    }
    let mut builder = ResponseBuilder::new(usage(&body), identity(&body));
    let is_refusal = read(&message, &mut builder)?;
    builder.push_message(message.json);
    builder.build(stop(&reason, is_refusal), reason)
}

/// Returns the choices by their index. Some gateways send the text in one choice, and the calls in another.
fn choices<'a>(list: &Node<'a>) -> Result<Vec<Node<'a>>, WireError> {
    let mut choices = list.items()?;
    choices.sort_by_key(|choice| choice.object().map(|choice| index(&choice)).unwrap_or_default());
    Ok(choices)
}

/// Returns the index of a choice.
fn index(choice: &Object<'_>) -> u64 {
    choice.get("index").and_then(|index| index.number().ok()).unwrap_or_default()
}

fn has_entry(message: &Node<'_>, key: &str) -> bool {
    message.object().is_ok_and(|message| message.get(key).is_some_and(|node| !is_empty(node.json.get())))
}

/// Returns the message with the calls of another one.
fn with_calls_of(message: &Node<'_>, other: &Node<'_>) -> Result<Box<RawValue>, WireError> {
    let (message, other) = (message.object()?, other.object()?);
    let mut entries: BTreeMap<String, Box<RawValue>> =
        message.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
    if let Some(calls) = other.get("tool_calls") {
        entries.insert("tool_calls".to_owned(), calls.json.to_owned());
    }
    Ok(raw_json(write::object(&entries)))
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
    match by_word(reason) {
        Stop::Done | Stop::Other if is_refusal => Stop::Refused,
        stop => stop,
    }
}

/// Returns a message whose `function_call`, the older form of a call, is in `tool_calls`. Returns `None` if the message has no such call.
fn with_tool_calls(message: &Node<'_>) -> Result<Option<Box<RawValue>>, WireError> {
    let object = message.object()?;
    let Some(call) = object.get("function_call") else { return Ok(None) };
    let function = call.object()?;
    let is_blank = |key| function.get(key).is_none_or(|node| is_empty(node.json.get()));
    let has_calls = object.get("tool_calls").is_some_and(|calls| !is_empty(calls.json.get()));
    if has_calls || (is_blank("name") && is_blank("arguments")) {
        return Ok(None);
    }
    let calls = raw_json(format!(r#"[{{"type":"function","function":{}}}]"#, call.json));
    let others = object.all().filter(|(key, _)| !["function_call", "tool_calls"].contains(key));
    let mut entries: BTreeMap<String, Box<RawValue>> =
        others.map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
    entries.insert("tool_calls".to_owned(), calls);
    Ok(Some(raw_json(write::object(&entries))))
}

/// Reads the text and the calls of an assistant's message. Returns whether it is a refusal.
fn read(node: &Node<'_>, builder: &mut ResponseBuilder) -> Result<bool, WireError> {
    let message = node.object()?;
    if let Some(role) = message.get("role")
        && role.text()? != "assistant"
    {
        return Err(role.unexpected("`assistant`"));
    }
    let refusal = message.optional_text("refusal")?;
    if let Some(content) = message.get("content") {
        let corrected = corrected(&content);
        if let Some(json) = &corrected {
            builder.set_json(&ValuePlace { node, object: &message, key: "content" }, json.get());
        }
        read_content(&corrected.as_ref().map_or(content.clone(), |json| Node { json, path: content.path }), builder)?;
    }
    builder.push_text(refusal.as_deref().unwrap_or_default());
    for node in message.get("tool_calls").map(|list| calls(&list)).transpose()?.unwrap_or_default() {
        read_call(&node, builder)?;
    }
    // The model goes on after its calls, whatever it refuses.
    Ok(refusal.is_some_and(|refusal| !refusal.is_empty()) && builder.call_count() == 0)
}

/// Returns the calls of a list. Some servers send a single call without a list.
fn calls<'a>(list: &Node<'a>) -> Result<Vec<Node<'a>>, WireError> {
    if list.json.get().starts_with('{') { Ok(vec![list.clone()]) } else { list.items() }
}

fn read_call(node: &Node<'_>, builder: &mut ResponseBuilder) -> Result<(), WireError> {
    let call = node.object()?;
    // Some servers omit the type, or name another one.
    let kind = call.get("type").map(|kind| kind.text().map(|text| (kind, text))).transpose()?;
    let (name, arguments, kind) = match &kind {
        Some((_, text)) if text == "custom" => {
            let node = call.require("custom", "the name and the input of a text tool")?;
            let custom = node.object()?;
            let name = builder.name(&ValuePlace { node: &node, object: &custom, key: "name" })?;
            (name, custom.text("input")?, CallKind::Text)
        }
        Some((node, text)) if !matches!(&**text, "function" | "") && call.get("function").is_none() => {
            return Err(node.unexpected("`function` or `custom`"));
        }
        _ => {
            if let Some(node) = call.get("function") {
                let function = node.object()?;
                let name = builder.name(&ValuePlace { node: &node, object: &function, key: "name" })?;
                (name, function.arguments("arguments")?, CallKind::Function)
            } else {
                let function = format!(r#"{{"name":"{WITHOUT_NAME}","arguments":"{{}}"}}"#);
                builder.set_json(&ValuePlace { node, object: &call, key: "function" }, &function);
                (WITHOUT_NAME.to_owned(), "{}".to_owned(), CallKind::Function)
            }
        }
    };
    let id = builder.id(&ValuePlace { node, object: &call, key: "id" });
    let call_read = ParsedCall { id, name, arguments, origin: CallOrigin::of(kind), path: node.path.clone() };
    builder.push_call(call_read, &ValuePlace { node, object: &call, key: "id" })
}

/// Returns a content that is neither a string nor an array as one: a number as its digits, and an object as the only part.
fn corrected(content: &Node<'_>) -> Option<Box<RawValue>> {
    let json = content.json.get();
    match json.as_bytes().first() {
        Some(b'"' | b'[') => None,
        Some(b'{') => Some(raw_json(format!("[{json}]"))),
        _ => Some(raw_json(format!("\"{json}\""))),
    }
}

/// Reads the content of a message: a text, or the parts of some servers, which may be thinking.
fn read_content(content: &Node<'_>, builder: &mut ResponseBuilder) -> Result<(), WireError> {
    if !content.json.get().starts_with('[') {
        builder.push_text(&content.text()?);
        return Ok(());
    }
    for node in content.items()? {
        let part = node.object()?;
        match &*part.non_empty_text("type")? {
            "text" => builder.push_text(&part.text("text")?),
            kind if PARTS.contains(&kind) => {}
            kind => builder.push_unknown(&part, kind, &node.path)?,
        }
    }
    Ok(())
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
mod tests;
