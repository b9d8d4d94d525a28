//! Anthropic's Messages.
//!
//! Source: `BetaMessage`, `BetaContentBlock` and the raw stream events of its SDK, and the guide to streaming, read 2026-11.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::response::CallResponse;
use crate::text::json;
use crate::wire::api::response::{ParsedCall, ResponseBuilder, record_stop_reason};
use crate::wire::api::usage::{count, object as object_of};
use crate::wire::api::{ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::base64;
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::{list, object, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor { parse, assemble: || Box::<Events>::default(), results };

/// Block types that need no action of the host: thinking, and tools that Anthropic's servers run. In addition, all types
/// that end in `_tool_result`.
const IGNORED: &[&str] =
    &["thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "container_upload", "compaction", "fallback"];

/// Delta types that extend a string: the type, the key of the new text in the delta, and the key of the string in the
/// block.
const TEXT_DELTAS: &[(&str, &str, &str)] = &[
    ("text_delta", "text", "text"),
    ("thinking_delta", "thinking", "thinking"),
    ("signature_delta", "signature", "signature"),
];
/// Keys of a `compaction_delta`. Their values are null if compaction failed, and must be sent back unchanged.
const COMPACTION_KEYS: [&str; 2] = ["content", "encrypted_content"];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let message = body.object()?;
    let usage = usage(&message, Usage::default());
    read(&message.require("content", "an array of blocks")?, &message.non_empty_text("stop_reason")?, usage)
}

/// Returns the usage in a message or an event. A stream sends it in parts, so numbers that are missing are those of `before`.
fn usage(message: &Object<'_>, before: Usage) -> Option<Usage> {
    let usage = object_of(message, "usage")?;
    let [new, cached, cache_writes] =
        ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(|key| count(&usage, key));
    // The API does not count the cached tokens as input.
    let input = new + cached + cache_writes;
    let before = Usage { output: count(&usage, "output_tokens"), ..before };
    Some(if input == 0 { before } else { Usage { input, cached, cache_writes, ..before } })
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Stop::Done,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refused,
        "pause_turn" => Stop::Paused,
        _ => Stop::Other,
    }
}

fn read(content: &Node<'_>, reason: &str, usage: Option<Usage>) -> Result<ModelResponse, WireError> {
    let mut builder = ResponseBuilder::new(usage);
    let blocks = content.items()?;
    // The API refuses empty text blocks, although it sends some.
    let mut is_changed = false;
    let mut kept: Vec<Cow<'_, RawValue>> = Vec::with_capacity(blocks.len());
    for node in &blocks {
        let block = node.object()?;
        let kind = block.non_empty_text("type")?;
        match &*kind {
            "text" => {
                let text = block.text("text")?;
                if text.is_empty() {
                    continue;
                }
                builder.push_text(&text);
            }
            "tool_use" => {
                builder.push_call(ParsedCall {
                    id: block.non_empty_text("id")?,
                    name: block.non_empty_text("name")?,
                    arguments: block.object_arguments("input")?,
                    path: node.path.clone(),
                })?;
                // The API refuses a call without an object.
                if block.get("input").is_none_or(|input| input.require_object().is_err()) {
                    let mut entries: BTreeMap<String, Box<RawValue>> =
                        block.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
                    entries.insert("input".to_owned(), raw_json("{}".to_owned()));
                    kept.push(Cow::Owned(raw_json(object(&entries))));
                    is_changed = true;
                    continue;
                }
            }
            kind if IGNORED.contains(&kind) || kind.ends_with("_tool_result") => {}
            _ => return Err(block.require("type", "")?.unexpected("a known block type")),
        }
        kept.push(Cow::Borrowed(node.json));
    }
    // The API refuses a message without content.
    if !kept.is_empty() {
        let is_all = kept.len() == blocks.len() && !is_changed;
        let content = if is_all { content.json.get().into() } else { list(&kept) };
        builder.messages.push(raw_json(format!(r#"{{"role":"assistant","content":{content}}}"#)));
    }
    builder.build(stop(reason), reason.to_owned())
}

/// A streamed message, block by block.
#[derive(Default)]
struct Events {
    blocks: Vec<Block>,
    reason: String,
    usage: Option<Usage>,
    has_ended: bool,
}

#[derive(Default)]
struct Block {
    /// The entries at the start of the block.
    entries: BTreeMap<String, Box<RawValue>>,
    /// The strings that deltas have extended, by key.
    texts: BTreeMap<&'static str, String>,
    /// The JSON text of the arguments, assembled from fragments.
    input: String,
    citations: Vec<Box<RawValue>>,
    has_ended: bool,
}

impl ResponseAssembler for Events {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        match &*event.non_empty_text("type")? {
            "content_block_start" => {
                let index = event.require("index", "the block's index")?;
                if index.number()? != self.blocks.len() as u64 {
                    return Err(index.unexpected(format!("{}, the index of the next block", self.blocks.len())));
                }
                if self.blocks.len() == MAX_ITEMS {
                    return Err(index.unexpected(format!("at most {MAX_ITEMS} blocks")));
                }
                let entries = event.require("content_block", "a block")?.object()?;
                shown.push_str(&entries.optional_text("text")?.unwrap_or_default());
                let entries = entries.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
                self.blocks.push(Block { entries, ..Block::default() });
            }
            "content_block_delta" => {
                let delta = event.require("delta", "a delta")?.object()?;
                self.open(&event)?.join(&delta, shown)?;
            }
            "content_block_stop" => self.open(&event)?.has_ended = true,
            "message_start" => {
                let message = event.get("message").and_then(|message| message.object().ok());
                self.usage = message.and_then(|message| usage(&message, Usage::default()));
            }
            "message_delta" => {
                self.usage = usage(&event, self.usage.unwrap_or_default()).or(self.usage);
                let delta = event.require("delta", "a delta")?.object()?;
                record_stop_reason(&mut self.reason, delta.optional_text("stop_reason")?, stop);
            }
            "message_stop" => self.has_ended = true,
            // `ping`, and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        if !self.has_ended || self.reason.is_empty() || self.blocks.iter().any(|block| !block.has_ended) {
            return Err(WireError::new("", "a stream that ends with `message_stop`", "a stream that ended early"));
        }
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (at, block) in self.blocks.drain(..).enumerate() {
            blocks.push(block.end(&format!("/content/{at}/input"), &self.reason)?);
        }
        let content = raw_json(list(&blocks));
        read(&Node { json: &content, path: "/content".to_owned() }, &self.reason, self.usage)
    }
}

impl Events {
    /// Returns the open block of an event.
    fn open(&mut self, event: &Object<'_>) -> Result<&mut Block, WireError> {
        let index = event.require("index", "the block's index")?;
        let at = usize::try_from(index.number()?).unwrap_or(usize::MAX);
        let block = self.blocks.get_mut(at).filter(|block| !block.has_ended);
        block.ok_or_else(|| index.unexpected("the index of an open block"))
    }
}

impl Block {
    fn join(&mut self, delta: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let kind = delta.non_empty_text("type")?;
        if kind == "input_json_delta" {
            self.input.push_str(&delta.text("partial_json")?);
        } else if kind == "citations_delta" {
            self.citations.push(delta.require("citation", "a citation")?.json.to_owned());
        } else if kind == "compaction_delta" {
            let entries = delta.all().filter(|(key, _)| COMPACTION_KEYS.contains(key));
            self.entries.extend(entries.map(|(key, json)| (key.to_owned(), json.to_owned())));
        } else if let Some(&(_, from, to)) = TEXT_DELTAS.iter().find(|(known, ..)| *known == kind) {
            let new = delta.optional_text(from)?.unwrap_or_default();
            if to == "text" {
                shown.push_str(&new);
            }
            let initial = || self.entries.get(to).and_then(|json| serde_json::from_str(json.get()).ok());
            self.texts.entry(to).or_insert_with(|| initial().unwrap_or_default()).push_str(&new);
        } else {
            return Err(delta.require("type", "")?.unexpected("a known delta type"));
        }
        Ok(())
    }

    /// Returns the complete block.
    fn end(mut self, path: &str, reason: &str) -> Result<Box<RawValue>, WireError> {
        if !self.input.trim().is_empty() {
            let input = RawValue::from_string(self.input);
            let input = input.map_err(|_| {
                WireError::new(path, "complete JSON", format!("truncated JSON (stop reason: {reason})"))
            })?;
            self.entries.insert("input".to_owned(), input);
        }
        for (key, text) in self.texts {
            let mut json = String::new();
            json::push_string(&mut json, &text);
            self.entries.insert(key.to_owned(), raw_json(json));
        }
        if !self.citations.is_empty() {
            self.entries.insert("citations".to_owned(), raw_json(list(&self.citations)));
        }
        Ok(raw_json(object(&self.entries)))
    }
}

fn results(completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    let blocks: Vec<Box<RawValue>> = completed_calls.iter().map(result).collect();
    vec![raw_json(format!(r#"{{"role":"user","content":{}}}"#, list(&blocks)))]
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"type":"tool_result","tool_use_id":"#);
    json::push_string(&mut out, completed.call.id());
    out.push_str(r#","content":"#);
    let CallResponse { images, .. } = &completed.response;
    let text = attachment::text(&completed.response);
    if images.is_empty() {
        json::push_string(&mut out, &text);
    } else {
        out.push_str(r#"[{"type":"text","text":"#);
        json::push_string(&mut out, &text);
        for image in images {
            let (media_type, data) = (image.media_type(), base64(image));
            let source = format!(r#"{{"type":"base64","media_type":"{media_type}","data":"{data}"}}"#);
            let _ = write!(out, r#"}},{{"type":"image","source":{source}"#);
        }
        out.push_str("}]");
    }
    if completed.response.is_error() {
        out.push_str(r#","is_error":true"#);
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests {
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
            let response = super::parse(&super::Node::root(&body, "").unwrap()).unwrap();
            assert_eq!(response.calls()[0].arguments(), "{}");
            let kept = r#"{"role":"assistant","content":[{"id":"c1","input":{},"name":"now","type":"tool_use"}]}"#;
            assert_eq!(response.messages()[0].get(), kept);
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
        let thought = r#"{"thinking":"Hm","type": "thinking"}"#;
        for (block, back) in
            [(None, vec![]), (Some(thought), vec![format!(r#"{{"role":"assistant","content":[{thought}]}}"#)])]
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
                let messages =
                    response.unwrap().messages().iter().map(|text| text.get().to_owned()).collect::<Vec<_>>();
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
        assert_eq!(error(&[delta]), format!("event 1{not_open}"));
        assert_eq!(error(&[start, stop, delta]), format!("event 3{not_open}"));
        assert_eq!(error(&[start, start]), "event 2/index: expected 1, the index of the next block, got 0");
        let broken = "expected a stream that ends with `message_stop`, got a stream that ended early";
        assert_eq!(error(&[start, delta, end[0], end[1]]), broken);
        assert_eq!(error(&[start, stop, end[1]]), broken);
        assert_eq!(error(&[start, stop, end[0]]), broken);
    }
}
