//! OpenAI's Responses.
//!
//! Source: `ModelResponse`, `OutputItem` and `ResponseStreamEvent` in the API's published description, read 2026-11.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::response::{CallResponse, CompletedCall};
use crate::text::json;
use crate::wire::api::response::{Called, Draft};
use crate::wire::api::{Assemble, Vendor};
use crate::wire::image::data_url;
use crate::wire::node::{MOST_ITEMS, Node, Object, no_error};
use crate::wire::write::written;
use crate::wire::{ModelResponse, Stop, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor { parse, assemble: || Box::<Events>::default(), results };

/// Items that need no answer from the host: thoughts, and what OpenAI's own servers run.
const SILENT: &[&str] = &[
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
    let output = response.need("output", "a list of items")?.items()?;
    read(&response, &output)
}

fn read(response: &Object<'_>, output: &[Node<'_>]) -> Result<ModelResponse, WireError> {
    let (mut draft, mut is_refusal) = (Draft::default(), false);
    for node in output {
        let item = node.object()?;
        let kind = item.word("type")?;
        match &*kind {
            "message" => is_refusal |= read_message(&item, &mut draft)?,
            "function_call" => {
                if let Some(status) = item.get("status")
                    && status.text()? != "completed"
                {
                    return Err(status.not("`completed`"));
                }
                draft.call(Called {
                    id: item.word("call_id")?,
                    name: item.word("name")?,
                    arguments: item.text("arguments")?,
                    place: node.place.clone(),
                })?;
            }
            kind if SILENT.contains(&kind) && !asks_the_host(&item)? => {}
            _ => {
                return Err(item
                    .need("type", "")?
                    .not("a kind of item that is known, and of call that can be answered"));
            }
        }
        draft.messages.push(node.json.to_owned());
    }
    let (stop, reason) = stop(response)?;
    let stop = if is_refusal && stop == Stop::Done { Stop::Refused } else { stop };
    draft.end(stop, reason)
}

/// Returns whether the host must run a tool search, and return its output.
fn asks_the_host(item: &Object<'_>) -> Result<bool, WireError> {
    Ok(item.word("type")? == "tool_search_call" && item.text_if_any("execution")?.as_deref() == Some("client"))
}

/// Reads the text of a message. Returns whether it is a refusal.
fn read_message(message: &Object<'_>, draft: &mut Draft) -> Result<bool, WireError> {
    let mut is_refusal = false;
    for part in message.need("content", "a list of parts")?.items()? {
        let part = part.object()?;
        match &*part.word("type")? {
            "output_text" => draft.say(&part.text("text")?),
            "refusal" => {
                is_refusal = true;
                draft.say(&part.text("refusal")?);
            }
            _ => return Err(part.need("type", "")?.not("`output_text` or `refusal`")),
        }
    }
    Ok(is_refusal)
}

/// Returns the reason for stopping, also as the API's own word.
fn stop(response: &Object<'_>) -> Result<(Stop, String), WireError> {
    let status = response.need("status", "why the response ended")?;
    let word = status.word()?;
    let stop = match &*word {
        "completed" => Stop::Done,
        "cancelled" => Stop::Other,
        "incomplete" => {
            let details = response.get("incomplete_details").map(|details| details.object()).transpose()?;
            let reason = details.map(|details| details.text_if_any("reason")).transpose()?.flatten().unwrap_or(word);
            let stop = match &*reason {
                "max_output_tokens" => Stop::Length,
                "content_filter" => Stop::Refused,
                _ => Stop::Other,
            };
            return Ok((stop, reason));
        }
        _ => return Err(status.not("a response that has ended")),
    };
    Ok((stop, word))
}

/// A streamed response. The last event repeats it completely. Items are kept for servers that omit them there.
#[derive(Default)]
struct Events {
    /// The items, by their index.
    items: BTreeMap<u64, Box<RawValue>>,
    response: Option<ModelResponse>,
}

impl Assemble for Events {
    fn event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        match &*event.word("type")? {
            "response.output_text.delta" | "response.refusal.delta" => shown.push_str(&event.text("delta")?),
            "response.output_item.done" => {
                let index = event.need("output_index", "the item's index")?;
                if self.items.len() == MOST_ITEMS {
                    return Err(index.not(format!("at most {MOST_ITEMS} items")));
                }
                let item = event.need("item", "an item")?;
                if let Some(known) = self.items.insert(index.number()?, item.json.to_owned())
                    && ids(&item)? != ids(&Node { json: &known, place: item.place.clone() })?
                {
                    return Err(index.not("an index that no other item has"));
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let node = event.need("response", "the response")?;
                let response = node.object()?;
                no_error(&node)?;
                let mut output = response.get("output").map(|output| output.items()).transpose()?.unwrap_or_default();
                if !output.is_empty() && output.len() < self.items.len() {
                    let expected = format!("all {} items that came before", self.items.len());
                    return Err(WireError::new(response.at("output"), expected, format!("{} of them", output.len())));
                }
                if output.is_empty() {
                    let place = |index: &u64| format!("{}/output/{index}", node.place);
                    output.extend(self.items.iter().map(|(index, json)| Node { json, place: place(index) }));
                }
                self.response = Some(read(&response, &output)?);
            }
            // Events that the last event repeats, and events that may be added to the API.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) -> Result<ModelResponse, WireError> {
        let broken = || WireError::new("", "a stream that ends with `response.completed`", "one that broke off");
        self.response.take().ok_or_else(broken)
    }
}

/// Returns the ids that distinguish an item from others.
fn ids(item: &Node<'_>) -> Result<[Option<String>; 2], WireError> {
    let item = item.object()?;
    Ok([item.text_if_any("id")?, item.text_if_any("call_id")?])
}

fn results(answers: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    answers.iter().map(result).collect()
}

fn result(answered: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"type":"function_call_output","call_id":"#);
    json::push_string(&mut out, answered.call.id());
    out.push_str(r#","output":"#);
    let CallResponse { json, images, .. } = &answered.answer;
    if images.is_empty() {
        json::push_string(&mut out, json);
    } else {
        out.push_str(r#"[{"type":"input_text","text":"#);
        json::push_string(&mut out, json);
        for image in images {
            let _ = write!(out, r#"}},{{"type":"input_image","image_url":"{}""#, data_url(image));
        }
        out.push_str("}]");
    }
    out.push('}');
    written(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Api;

    #[test]
    fn a_search_that_the_host_would_have_to_make_is_told() {
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
    fn no_item_of_a_stream_is_lost() {
        let a = r#"{"type":"function_call","id":"a","call_id":"1","name":"f","arguments":""}"#;
        let b = r#"{"type":"function_call","id":"b","call_id":"2","name":"f","arguments":""}"#;
        for output in [&[][..], &[a, b]] {
            assert_eq!(streamed(&[(0, a), (1, b), (1, b)], output), Ok(2));
        }
        let error = "event 2/output_index: expected an index that no other item has, got 0".to_owned();
        assert_eq!(streamed(&[(0, a), (0, b)], &[]), Err(error));
        let error = "event 3/response/output: expected all 2 items that came before, got 1 of them".to_owned();
        assert_eq!(streamed(&[(0, a), (1, b)], &[a]), Err(error));
    }

    #[test]
    fn why_it_ended_is_its_status_and_the_details() {
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
        assert_eq!(error, r#"/status: expected a response that has ended, got "in_progress""#);
    }
}
