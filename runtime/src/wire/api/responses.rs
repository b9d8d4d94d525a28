//! OpenAI's Responses.
//!
//! Source: `ModelResponse`, `OutputItem` and `ResponseStreamEvent` in the API's published description, read 2026-11.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::response::CallResponse;
use crate::text::json;
use crate::wire::api::response::{ParsedCall, ResponseBuilder};
use crate::wire::api::usage::{count, count_in, object};
use crate::wire::api::{ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::data_url;
use crate::wire::node::{MAX_ITEMS, Node, Object, no_error};
use crate::wire::write::raw_json;
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor { parse, assemble: || Box::<Events>::default(), results };

/// Item types that need no action of the host: reasoning, and tools that OpenAI's servers run.
const IGNORED: &[&str] = &[
    "reasoning",
    "compaction",
    "web_search_call",
    "file_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "mcp_list_tools",
    "mcp_call",
    "tool_search_call",
    "tool_search_output",
];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let response = body.object()?;
    let output = response.require("output", "an array of items")?.items()?;
    read(&response, &output)
}

fn read(response: &Object<'_>, output: &[Node<'_>]) -> Result<ModelResponse, WireError> {
    let (mut builder, mut is_refusal) = (ResponseBuilder::default(), false);
    for node in output {
        let item = node.object()?;
        let kind = item.non_empty_text("type")?;
        match &*kind {
            "message" => is_refusal |= read_message(&item, &mut builder)?,
            "function_call" => {
                if let Some(status) = item.get("status")
                    && status.text()? != "completed"
                {
                    return Err(status.unexpected("`completed`"));
                }
                builder.push_call(ParsedCall {
                    id: item.non_empty_text("call_id")?,
                    name: item.non_empty_text("name")?,
                    arguments: item.arguments("arguments")?,
                    path: node.path.clone(),
                })?;
            }
            kind if IGNORED.contains(&kind) && !needs_host(&item)? => {}
            _ => {
                return Err(item.require("type", "")?.unexpected("a known item type"));
            }
        }
        builder.messages.push(node.json.to_owned());
    }
    builder.usage = usage(response);
    let (stop, reason) = stop(response)?;
    let stop = if is_refusal && stop == Stop::Done { Stop::Refused } else { stop };
    builder.build(stop, reason)
}

fn usage(response: &Object<'_>) -> Option<Usage> {
    let usage = object(response, "usage")?;
    Some(Usage {
        input: count(&usage, "input_tokens"),
        cached: count_in(&usage, "input_tokens_details", "cached_tokens"),
        output: count(&usage, "output_tokens"),
        ..Usage::default()
    })
}

/// Returns whether the host must run a tool search, and return its output.
fn needs_host(item: &Object<'_>) -> Result<bool, WireError> {
    Ok(item.non_empty_text("type")? == "tool_search_call"
        && item.optional_text("execution")?.as_deref() == Some("client"))
}

/// Reads the text of a message. Returns whether it is a refusal.
fn read_message(message: &Object<'_>, builder: &mut ResponseBuilder) -> Result<bool, WireError> {
    let mut is_refusal = false;
    for part in message.require("content", "an array of parts")?.items()? {
        let part = part.object()?;
        match &*part.non_empty_text("type")? {
            "output_text" => builder.push_text(&part.text("text")?),
            "refusal" => {
                is_refusal = true;
                builder.push_text(&part.text("refusal")?);
            }
            _ => return Err(part.require("type", "")?.unexpected("`output_text` or `refusal`")),
        }
    }
    Ok(is_refusal)
}

/// Returns the stop reason, and the API's name of it.
fn stop(response: &Object<'_>) -> Result<(Stop, String), WireError> {
    let status = response.require("status", "the status of the response")?;
    let word = status.non_empty_text()?;
    let stop = match &*word {
        "completed" => Stop::Done,
        "cancelled" => Stop::Other,
        "incomplete" => {
            let details = response.get("incomplete_details").map(|details| details.object()).transpose()?;
            let reason = details.map(|details| details.optional_text("reason")).transpose()?.flatten().unwrap_or(word);
            let stop = match &*reason {
                "max_output_tokens" => Stop::Length,
                "content_filter" => Stop::Refused,
                _ => Stop::Other,
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
    /// The items, by their index.
    items: BTreeMap<u64, Box<RawValue>>,
    response: Option<ModelResponse>,
}

impl ResponseAssembler for Events {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        match &*event.non_empty_text("type")? {
            "response.output_text.delta" | "response.refusal.delta" => shown.push_str(&event.text("delta")?),
            "response.output_item.done" => {
                let index = event.require("output_index", "the item's index")?;
                if self.items.len() == MAX_ITEMS {
                    return Err(index.unexpected(format!("at most {MAX_ITEMS} items")));
                }
                let item = event.require("item", "an item")?;
                if let Some(known) = self.items.insert(index.number()?, item.json.to_owned())
                    && ids(&item)? != ids(&Node { json: &known, path: item.path.clone() })?
                {
                    return Err(index.unexpected("an unused index"));
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let node = event.require("response", "the response")?;
                let response = node.object()?;
                no_error(&node)?;
                let mut output = response.get("output").map(|output| output.items()).transpose()?.unwrap_or_default();
                if !output.is_empty() && output.len() < self.items.len() {
                    let expected = format!("all {} items of the earlier events", self.items.len());
                    return Err(WireError::new(
                        response.path_of("output"),
                        expected,
                        format!("{} items", output.len()),
                    ));
                }
                if output.is_empty() {
                    let path = |index: &u64| format!("{}/output/{index}", node.path);
                    output.extend(self.items.iter().map(|(index, json)| Node { json, path: path(index) }));
                }
                self.response = Some(read(&response, &output)?);
            }
            // Events whose content the last event repeats, and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        let broken = || WireError::new("", "a stream that ends with `response.completed`", "a stream that ended early");
        self.response.take().ok_or_else(broken)
    }
}

/// Returns the ids that identify an item.
fn ids(item: &Node<'_>) -> Result<[Option<String>; 2], WireError> {
    let item = item.object()?;
    Ok([item.optional_text("id")?, item.optional_text("call_id")?])
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    completed_calls.iter().map(result).collect()
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"type":"function_call_output","call_id":"#);
    json::push_string(&mut out, completed.call.id());
    out.push_str(r#","output":"#);
    let CallResponse { images, .. } = &completed.response;
    let text = attachment::text(&completed.response);
    if images.is_empty() {
        json::push_string(&mut out, &text);
    } else {
        out.push_str(r#"[{"type":"input_text","text":"#);
        json::push_string(&mut out, &text);
        for image in images {
            let _ = write!(out, r#"}},{{"type":"input_image","image_url":"{}""#, data_url(image));
        }
        out.push_str("}]");
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Api;

    #[test]
    fn a_tool_search_for_the_host_is_an_error() {
        let parse = |execution: &str| {
            let item =
                format!(r#"{{"type":"tool_search_call","execution":"{execution}","call_id":"c1","arguments":{{}}}}"#);
            Api::Responses.parse(&format!(r#"{{"output":[{item}],"status":"completed"}}"#))
        };
        assert_eq!(parse("server").unwrap().messages().len(), 1);
        let error = parse("client").unwrap_err().to_string();
        assert!(error.starts_with("/output/0/type: ") && error.ends_with("\"tool_search_call\""), "{error}");
    }

    /// Returns the result of a stream in which items, each with its index, are done before the output.
    fn streamed(done: &[(u64, &str)], output: &[&str]) -> Result<usize, String> {
        let mut stream = Api::Responses.stream();
        let done = done.iter().map(|(index, item)| {
            format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#)
        });
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
        let error = "event 2/output_index: expected an unused index, got 0".to_owned();
        assert_eq!(streamed(&[(0, a), (0, b)], &[]), Err(error));
        let error = "event 3/response/output: expected all 2 items of the earlier events, got 1 items".to_owned();
        assert_eq!(streamed(&[(0, a), (1, b)], &[a]), Err(error));
    }

    #[test]
    fn the_stop_reason_is_the_status_or_its_details() {
        let end = |rest: &str| Api::Responses.parse(&format!(r#"{{"output":[],{rest}}}"#));
        for (rest, stop, reason) in [
            (r#""status":"completed""#, Stop::Done, "completed"),
            (r#""status":"cancelled""#, Stop::Other, "cancelled"),
            (r#""status":"incomplete""#, Stop::Other, "incomplete"),
            (
                r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#,
                Stop::Refused,
                "content_filter",
            ),
        ] {
            let response = end(rest).unwrap();
            assert_eq!((response.stop(), response.stop_reason()), (stop, reason));
        }
        let error = end(r#""status":"in_progress""#).unwrap_err().to_string();
        assert_eq!(error, r#"/status: expected a final status, got "in_progress""#);
    }
}
