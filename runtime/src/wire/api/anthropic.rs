//! Anthropic's Messages.
//!
//! Source: `BetaMessage`, `BetaContentBlock` and the raw stream events of its SDK, and the guide to streaming, read 2026-11.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::response::{CallResponse, CompletedCall};
use crate::text::json;
use crate::wire::api::response::{Called, Draft, stopped};
use crate::wire::api::{Assemble, Vendor};
use crate::wire::image::base64;
use crate::wire::node::{MOST_ITEMS, Node, Object};
use crate::wire::write::{list, object, written};
use crate::wire::{ModelResponse, Stop, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor { parse, assemble: || Box::<Events>::default(), results };

/// Blocks that need no answer from the host, besides those that end in `_tool_result`: thoughts, and what Anthropic's
/// own servers run.
const SILENT: &[&str] =
    &["thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "container_upload", "compaction", "fallback"];

/// Kinds of deltas that continue a string: the kind, its key, and the block's key.
const TEXTS: &[(&str, &str, &str)] = &[
    ("text_delta", "text", "text"),
    ("thinking_delta", "thinking", "thinking"),
    ("signature_delta", "signature", "signature"),
];
/// Keys of a delta for a compacted block. They are null if compacting failed. Everything in them must be kept.
const COMPACTED: [&str; 2] = ["content", "encrypted_content"];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let message = body.object()?;
    read(&message.need("content", "a list of blocks")?, &message.word("stop_reason")?)
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

fn read(content: &Node<'_>, reason: &str) -> Result<ModelResponse, WireError> {
    let mut draft = Draft::default();
    let blocks = content.items()?;
    // The API refuses empty text blocks, although it sends some.
    let mut kept = Vec::with_capacity(blocks.len());
    for node in &blocks {
        let block = node.object()?;
        let kind = block.word("type")?;
        match &*kind {
            "text" => {
                let text = block.text("text")?;
                if text.is_empty() {
                    continue;
                }
                draft.say(&text);
            }
            "tool_use" => {
                let input = block.need("input", "an object")?;
                draft.call(Called {
                    id: block.word("id")?,
                    name: block.word("name")?,
                    arguments: input.is_object()?.json.get().to_owned(),
                    place: node.place.clone(),
                })?;
            }
            kind if SILENT.contains(&kind) || kind.ends_with("_tool_result") => {}
            _ => return Err(block.need("type", "")?.not("a kind of block that is known")),
        }
        kept.push(node.json);
    }
    // The API refuses a message without content.
    if !kept.is_empty() {
        let is_all = kept.len() == blocks.len();
        let content = if is_all { content.json.get().into() } else { list(&kept) };
        draft.messages.push(written(format!(r#"{{"role":"assistant","content":{content}}}"#)));
    }
    draft.end(stop(reason), reason.to_owned())
}

/// A streamed message, block by block.
#[derive(Default)]
struct Events {
    blocks: Vec<Block>,
    reason: String,
    has_ended: bool,
}

#[derive(Default)]
struct Block {
    /// The entries at the start of the block.
    entries: BTreeMap<String, Box<RawValue>>,
    /// The strings that have been continued since, by key.
    texts: BTreeMap<&'static str, String>,
    /// The arguments, assembled from pieces of JSON.
    input: String,
    citations: Vec<Box<RawValue>>,
    has_ended: bool,
}

impl Assemble for Events {
    fn event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        match &*event.word("type")? {
            "content_block_start" => {
                let index = event.need("index", "the block's index")?;
                if index.number()? != self.blocks.len() as u64 {
                    return Err(index.not(format!("{}, the index of the next block", self.blocks.len())));
                }
                if self.blocks.len() == MOST_ITEMS {
                    return Err(index.not(format!("at most {MOST_ITEMS} blocks")));
                }
                let entries = event.need("content_block", "a block")?.object()?;
                shown.push_str(&entries.text_if_any("text")?.unwrap_or_default());
                let entries = entries.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
                self.blocks.push(Block { entries, ..Block::default() });
            }
            "content_block_delta" => {
                let delta = event.need("delta", "a delta")?.object()?;
                self.open(&event)?.join(&delta, shown)?;
            }
            "content_block_stop" => self.open(&event)?.has_ended = true,
            "message_delta" => {
                let delta = event.need("delta", "a delta")?.object()?;
                stopped(&mut self.reason, delta.text_if_any("stop_reason")?, stop);
            }
            "message_stop" => self.has_ended = true,
            // `message_start`, `ping`, and events that may be added to the API.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) -> Result<ModelResponse, WireError> {
        if !self.has_ended || self.reason.is_empty() || self.blocks.iter().any(|block| !block.has_ended) {
            return Err(WireError::new("", "a stream that ends with `message_stop`", "one that broke off"));
        }
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (at, block) in self.blocks.drain(..).enumerate() {
            blocks.push(block.end(&format!("/content/{at}/input"), &self.reason)?);
        }
        let content = written(list(&blocks));
        read(&Node { json: &content, place: "/content".to_owned() }, &self.reason)
    }
}

impl Events {
    /// Returns the open block of an event.
    fn open(&mut self, event: &Object<'_>) -> Result<&mut Block, WireError> {
        let index = event.need("index", "the block's index")?;
        let at = usize::try_from(index.number()?).unwrap_or(usize::MAX);
        let block = self.blocks.get_mut(at).filter(|block| !block.has_ended);
        block.ok_or_else(|| index.not("the index of a block that has begun and not ended"))
    }
}

impl Block {
    fn join(&mut self, delta: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let kind = delta.word("type")?;
        if kind == "input_json_delta" {
            self.input.push_str(&delta.text("partial_json")?);
        } else if kind == "citations_delta" {
            self.citations.push(delta.need("citation", "a citation")?.json.to_owned());
        } else if kind == "compaction_delta" {
            let said = delta.all().filter(|(key, _)| COMPACTED.contains(key));
            self.entries.extend(said.map(|(key, json)| (key.to_owned(), json.to_owned())));
        } else if let Some(&(_, from, to)) = TEXTS.iter().find(|(known, ..)| *known == kind) {
            let new = delta.text_if_any(from)?.unwrap_or_default();
            if to == "text" {
                shown.push_str(&new);
            }
            let begun = || self.entries.get(to).and_then(|json| serde_json::from_str(json.get()).ok());
            self.texts.entry(to).or_insert_with(|| begun().unwrap_or_default()).push_str(&new);
        } else {
            return Err(delta.need("type", "")?.not("a kind of delta that is known"));
        }
        Ok(())
    }

    /// Returns the complete block.
    fn end(mut self, place: &str, reason: &str) -> Result<Box<RawValue>, WireError> {
        if !self.input.trim().is_empty() {
            let input = RawValue::from_string(self.input);
            let input = input.map_err(|_| {
                WireError::new(place, "the whole JSON of the input", format!("a part of it (it stopped for: {reason})"))
            })?;
            self.entries.insert("input".to_owned(), input);
        }
        for (key, text) in self.texts {
            let mut json = String::new();
            json::push_string(&mut json, &text);
            self.entries.insert(key.to_owned(), written(json));
        }
        if !self.citations.is_empty() {
            self.entries.insert("citations".to_owned(), written(list(&self.citations)));
        }
        Ok(written(object(&self.entries)))
    }
}

fn results(answers: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
    let blocks: Vec<Box<RawValue>> = answers.iter().map(result).collect();
    vec![written(format!(r#"{{"role":"user","content":{}}}"#, list(&blocks)))]
}

fn result(answered: &CompletedCall<'_>) -> Box<RawValue> {
    let mut out = String::from(r#"{"type":"tool_result","tool_use_id":"#);
    json::push_string(&mut out, answered.call.id());
    out.push_str(r#","content":"#);
    let CallResponse { json, images, .. } = &answered.answer;
    if images.is_empty() {
        json::push_string(&mut out, json);
    } else {
        out.push_str(r#"[{"type":"text","text":"#);
        json::push_string(&mut out, json);
        for image in images {
            let (media_type, data) = (image.media_type(), base64(image));
            let source = format!(r#"{{"type":"base64","media_type":"{media_type}","data":"{data}"}}"#);
            let _ = write!(out, r#"}},{{"type":"image","source":{source}"#);
        }
        out.push_str("}]");
    }
    if answered.answer.is_error() {
        out.push_str(r#","is_error":true"#);
    }
    out.push('}');
    written(out)
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
    fn what_was_compacted_goes_back_to_the_letter() {
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
    fn a_text_in_which_nothing_is_does_not_go_back() {
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
    fn what_asks_nothing_does_not_make_a_call_whole() {
        let call = r#"{"type":"tool_use","id":"c1","name":"f","input":{}}"#;
        let parse = |after: &str| {
            let body = format!(r#"{{"content":[{call},{after}],"stop_reason":"max_tokens"}}"#);
            Api::Anthropic.parse(&body)
        };
        for after in [r#"{"type":"text","text":""}"#, r#"{"type":"thinking","thinking":"Hm"}"#] {
            let error = parse(after).unwrap_err().to_string();
            assert!(error.starts_with("/content/0: expected a whole call"), "{error}");
        }
        assert_eq!(parse(r#"{"type":"text","text":"And so on"}"#).unwrap().calls().len(), 1);
    }

    #[test]
    fn why_it_stopped_stands_when_no_more_is_said_of_it() {
        for said in ["{}", r#"{"stop_reason":null}"#] {
            let mut stream = Api::Anthropic.stream();
            for event in [
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
                &format!(r#"{{"type":"message_delta","delta":{said}}}"#),
                r#"{"type":"message_stop"}"#,
            ] {
                stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
            }
            assert_eq!(stream.finish().unwrap().stop_reason(), "end_turn");
        }
    }

    #[test]
    fn blocks_come_one_after_the_other() {
        let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
        let stop = r#"{"type":"content_block_stop","index":0}"#;
        let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#;
        let end = [r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#, r#"{"type":"message_stop"}"#];
        let not_open = "/index: expected the index of a block that has begun and not ended, got 0";
        assert_eq!(error(&[delta]), format!("event 1{not_open}"));
        assert_eq!(error(&[start, stop, delta]), format!("event 3{not_open}"));
        assert_eq!(error(&[start, start]), "event 2/index: expected 1, the index of the next block, got 0");
        let broken = "expected a stream that ends with `message_stop`, got one that broke off";
        assert_eq!(error(&[start, delta, end[0], end[1]]), broken);
        assert_eq!(error(&[start, stop, end[1]]), broken);
        assert_eq!(error(&[start, stop, end[0]]), broken);
    }
}
