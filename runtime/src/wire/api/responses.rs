//! OpenAI's Responses.
//!
//! Source: `OutputItem`, `InputItem` and `ResponseStreamEvent` in the API's published description and its SDK (3.57), read 2026-11.

mod arguments;
mod items;
mod sent_back;
mod update;

use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::text::json;
use crate::wire::api::edits::ValuePlace;
use crate::wire::api::found::{definition, found_tools};
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ParsedCall, ResponseBuilder, cut_off};
use crate::wire::api::responses::items::Items;
use crate::wire::api::stop::by_word;
use crate::wire::api::usage::{count, count_in, object};
use crate::wire::api::{ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::data_url;
use crate::wire::node::{Node, Object, is_whole, no_error};
use crate::wire::write::{list, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor {
    parse,
    assemble: || Box::<Events>::default(),
    sent_back: sent_back::messages,
    results,
    tool_update: update::tool_update,
};

/// Item types that need no answer of the host: reasoning, tools and programs that OpenAI's servers run, and results.
const IGNORED: &[&str] = &[
    "reasoning",
    "compaction",
    "web_search_call",
    "file_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "mcp_list_tools",
    "mcp_call",
    "mcp_approval_response",
    "program",
    "program_output",
    "additional_tools",
    "computer_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
];
/// Types of results of calls that the host would otherwise answer.
const RESULTS: &[&str] = &["function_call_output", "custom_tool_call_output", "tool_search_output"];
/// The name of a call of the tool search that the host runs. The API sends no name for it.
const TOOL_SEARCH: &str = "tool_search";

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let response = body.object()?;
    let output = response.require("output", "an array of items")?.items()?;
    end(&response, &output, read(&response, &output)?)
}

/// The items of a response.
struct Output {
    builder: ResponseBuilder,
    is_refusal: bool,
}

fn read(response: &Object<'_>, output: &[Node<'_>]) -> Result<Output, WireError> {
    let (mut builder, mut is_refusal) = (ResponseBuilder::new(usage(response), identity(response)), false);
    for node in output {
        let item = node.object()?;
        let kind = item.non_empty_text("type")?;
        match &*kind {
            "message" => is_refusal |= read_message(&item, &mut builder)?,
            "function_call" => {
                let arguments = item.arguments("arguments")?;
                let name = builder.name(&ValuePlace { node, object: &item, key: "name" })?;
                push_call(node, &item, name, arguments, CallKind::Function, &mut builder)?;
            }
            "custom_tool_call" => {
                let input = item.text("input")?;
                let name = builder.name(&ValuePlace { node, object: &item, key: "name" })?;
                push_call(node, &item, name, input, CallKind::Text, &mut builder)?;
            }
            "tool_search_call" => {
                if item.optional_text("execution")?.as_deref() == Some("client") {
                    let arguments = item.arguments("arguments")?;
                    push_call(node, &item, TOOL_SEARCH.to_owned(), arguments, CallKind::ToolSearch, &mut builder)?;
                }
            }
            kind if RESULTS.contains(&kind) => {
                let id = item.id("call_id");
                builder.push_result(&id, &ValuePlace { node, object: &item, key: "call_id" });
            }
            "shell_call" if is_hosted(&item) => {}
            kind if IGNORED.contains(&kind) => {}
            kind => builder.push_unknown(&item, kind, &node.path)?,
        }
        builder.push_message(node.json);
    }
    Ok(Output { builder, is_refusal })
}

/// Returns the response with these items, which have been read.
fn end(response: &Object<'_>, items: &[Node<'_>], output: Output) -> Result<ModelResponse, WireError> {
    let Output { builder, is_refusal } = output;
    let (stop, reason) = stop(response)?;
    for node in items {
        check_complete(node, stop, &reason)?;
    }
    // A refusal is an answer, unless the model goes on with calls.
    let stop = if is_refusal && stop == Stop::Done && builder.call_count() == 0 { Stop::Refused } else { stop };
    builder.build(stop, reason)
}

/// Returns an error if an item is a call that was cut off. Arguments show it themselves, so the status of such a call does not count in a
/// complete response: some servers never change it from `in_progress`. The end of a text cannot be seen in it.
fn check_complete(node: &Node<'_>, stop: Stop, reason: &str) -> Result<(), WireError> {
    let item = node.object()?;
    let kind = item.non_empty_text("type")?;
    let is_search = kind == "tool_search_call" && item.optional_text("execution")?.as_deref() == Some("client");
    if !is_search && !["function_call", "custom_tool_call"].contains(&&*kind) {
        return Ok(());
    }
    let status = item.get("status").and_then(|status| status.text().ok()).unwrap_or_default();
    let is_whole_response = matches!(stop, Stop::Done | Stop::Other);
    let is_text = kind == "custom_tool_call";
    let is_cut_off = match &*status {
        "completed" => false,
        "" => !is_whole_response && is_text,
        _ if !is_whole_response => true,
        // The item was sent when it began. The response, which is complete, has all of it.
        "in_progress" => !is_text && !is_whole(&item.arguments("arguments")?),
        _ => is_text || item.get("arguments").is_none() || !is_whole(&item.arguments("arguments")?),
    };
    let reason = if is_whole_response { &status } else { reason };
    if is_cut_off { Err(cut_off(&node.path, stop, reason)) } else { Ok(()) }
}

fn usage(response: &Object<'_>) -> Option<Usage> {
    let usage = object(response, "usage")?;
    Some(Usage {
        input: count(&usage, "input_tokens"),
        cached: count_in(&usage, "input_tokens_details", "cached_tokens"),
        cache_writes: count_in(&usage, "input_tokens_details", "cache_write_tokens"),
        output: count(&usage, "output_tokens"),
        thinking: count_in(&usage, "output_tokens_details", "reasoning_tokens"),
        ..Usage::default()
    })
}

/// Appends the call in an item.
fn push_call(
    node: &Node<'_>,
    item: &Object<'_>,
    name: String,
    arguments: String,
    kind: CallKind,
    builder: &mut ResponseBuilder,
) -> Result<(), WireError> {
    let mut origin = CallOrigin::of(kind);
    origin.namespace = item.optional_text("namespace")?.unwrap_or_default();
    origin.is_async = item.get("async").is_some_and(|is_async| is_async.json.get() == "true");
    if let Some(caller) = item.get("caller") {
        let caller = caller.object()?;
        if caller.non_empty_text("type")? != "direct" {
            origin.program = Some(caller.non_empty_text("caller_id")?);
        }
    }
    let id = builder.id(&ValuePlace { node, object: item, key: "call_id" });
    let call = ParsedCall { id, name, arguments, origin, path: node.path.clone() };
    builder.push_call(call, &ValuePlace { node, object: item, key: "call_id" })
}

/// Returns whether a shell runs in a container of OpenAI.
fn is_hosted(shell: &Object<'_>) -> bool {
    let kind = shell.get("environment").and_then(|environment| environment.object().ok()?.text("type").ok());
    kind.as_deref() == Some("container_reference")
}

/// Reads the text of a message. Returns whether it is a refusal.
fn read_message(message: &Object<'_>, builder: &mut ResponseBuilder) -> Result<bool, WireError> {
    // Some servers send null next to a call.
    let Some(content) = message.get("content") else { return Ok(false) };
    if content.json.get().starts_with('"') {
        builder.push_text(&content.text()?);
        return Ok(false);
    }
    let mut is_refusal = false;
    for node in content.items()? {
        let part = node.object()?;
        match &*part.non_empty_text("type")? {
            "output_text" => builder.push_text(&part.text("text")?),
            "refusal" => {
                is_refusal = true;
                builder.push_text(&part.text("refusal")?);
            }
            kind => builder.push_unknown(&part, kind, &node.path)?,
        }
    }
    Ok(is_refusal)
}

/// Returns the stop reason, and the API's name of it.
fn stop(response: &Object<'_>) -> Result<(Stop, String), WireError> {
    // Without a status, the arguments of calls show whether they are complete.
    let Some(status) = response.get("status") else { return Ok((Stop::Other, String::new())) };
    let word = response.stop_reason("status").unwrap_or_default();
    let stop = match &*word {
        "completed" => Stop::Done,
        _ if status.text().is_err() => Stop::Other,
        "cancelled" => Stop::Failed,
        "incomplete" => {
            let details = response.get("incomplete_details").and_then(|details| details.object().ok());
            let reason = details.and_then(|details| details.stop_reason("reason")).unwrap_or(word);
            let stop = match by_word(&reason) {
                stop @ (Stop::Length | Stop::Refused) => stop,
                _ => Stop::Failed,
            };
            return Ok((stop, reason));
        }
        _ => return Err(status.unexpected("a final status")),
    };
    Ok((stop, word))
}

/// A streamed response. The last event repeats the complete response. Items are also collected from earlier events, for
/// servers that omit the output in the last one.
#[derive(Default)]
struct Events {
    items: Items,
    response: Option<ModelResponse>,
    /// Whether the server has sent `[DONE]`.
    is_done: bool,
}

impl ResponseAssembler for Events {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        match &*event.non_empty_text("type")? {
            "response.output_text.delta" | "response.refusal.delta" => {
                let text = event.text("delta")?;
                shown.push_str(&text);
                self.items.push_text(&event, &text);
            }
            "response.output_item.added" => self.items.begin(&event),
            "response.output_item.done" => {
                let item = event.require("item", "an item")?;
                if self.response.is_some() {
                    let place = event.get("output_index").unwrap_or(item);
                    return Err(place.unexpected("no item after the complete response"));
                }
                self.items.finish(&event)?;
            }
            kind if arguments::is_event(kind) => self.items.push_arguments(kind, &event)?,
            // Only the first such event counts, because reading one takes time in proportion to all items.
            "response.done" if event.get("response").is_none() => self.is_done = true,
            "response.completed" | "response.incomplete" | "response.failed" | "response.done"
                if self.response.is_none() =>
            {
                let node = event.require("response", "the response")?;
                no_error(&node)?;
                self.response = Some(self.complete(&node)?);
            }
            // Events whose content the last event repeats, and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn push_done(&mut self) {
        self.is_done = true;
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        if let Some(response) = self.response.take() {
            return Ok(response);
        }
        if !self.is_done || self.items.is_empty() {
            return Err(WireError::ended_early("a stream that ends with `response.completed`"));
        }
        // Some gateways end a stream with `[DONE]` alone.
        let last = raw_json(r#"{"status":"completed","output":[]}"#.to_owned());
        self.complete(&Node { json: &last, path: "/response".to_owned() })
    }
}

impl Events {
    /// Returns the response whose last event has this response, or its beginning.
    fn complete(&mut self, node: &Node<'_>) -> Result<ModelResponse, WireError> {
        let response = node.object()?;
        let output = response.get("output").map(|output| output.items()).transpose()?.unwrap_or_default();
        if output.is_empty() {
            self.items.complete();
        }
        let filled = self.items.fill(&output)?;
        let path = |index: usize| format!("{}/output/{index}", node.path);
        let output: Vec<Node<'_>> =
            output.iter().zip(&filled).map(|(node, json)| Node { json, path: node.path.clone() }).collect();
        let all = self.items.with(&output)?;
        // The last event usually has all items.
        if all.len() == output.len() {
            return end(&response, &output, read(&response, &output)?);
        }
        let all: Vec<Node<'_>> = all.iter().enumerate().map(|(index, json)| Node { json, path: path(index) }).collect();
        end(&response, &all, read(&response, &all)?)
    }
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    completed_calls.iter().map(result).collect()
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let CompletedCall { call, response } = completed;
    let kind = match call.origin().kind {
        CallKind::Function => "function_call_output",
        CallKind::Text => "custom_tool_call_output",
        CallKind::ToolSearch => "tool_search_output",
    };
    let mut out = format!(r#"{{"type":"{kind}","call_id":"#);
    json::push_string(&mut out, call.id());
    if let Some(program) = &call.origin().program {
        out.push_str(r#","caller":{"type":"program","caller_id":"#);
        json::push_string(&mut out, program);
        out.push('}');
    }
    if call.origin().kind == CallKind::ToolSearch {
        let status = if response.is_error() { "incomplete" } else { "completed" };
        let tools = found_tools(&response.json, definition);
        let _ = write!(out, r#","execution":"client","status":"{status}","tools":{}}}"#, list(&tools));
        return raw_json(out);
    }
    out.push_str(r#","output":"#);
    let text = attachment::text(response);
    if response.images.is_empty() {
        json::push_string(&mut out, &text);
    } else {
        out.push_str(r#"[{"type":"input_text","text":"#);
        json::push_string(&mut out, &text);
        for image in &response.images {
            let _ = write!(out, r#"}},{{"type":"input_image","image_url":"{}""#, data_url(image));
        }
        out.push_str("}]");
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests;
