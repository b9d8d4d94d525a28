//! Anthropic's Messages.
//!
//! Source: `BetaMessage`, `BetaContentBlock` and the raw stream events of its SDK (2.14), and the guides to streaming and to
//! programmatic tool calling, read 2026-11.

mod sent_back;
mod update;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::call::completed::CompletedCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::text::json;
use crate::wire::api::arguments::{as_object, assembled};
use crate::wire::api::edits::ValuePlace;
use crate::wire::api::found::{found_tools, name};
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ParsedCall, ResponseBuilder, cut_off, record_stop_reason};
use crate::wire::api::stop::by_word;
use crate::wire::api::usage::{count, count_in, object as object_of, sum};
use crate::wire::api::{ResponseAssembler, Vendor};
use crate::wire::attachment;
use crate::wire::image::base64;
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::{list, object, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

pub(super) const VENDOR: Vendor = Vendor {
    parse,
    assemble: || Box::<Events>::default(),
    sent_back: sent_back::messages,
    results,
    tool_update: update::tool_update,
};

/// Block types that need no answer of the host: thinking, tools that Anthropic's servers run, and changes of the tools. In
/// addition, all types that end in `_tool_result`.
const IGNORED: &[&str] = &[
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_listing",
    "container_upload",
    "compaction",
    "fallback",
    "tool_reference",
    "tool_addition",
    "tool_removal",
];

/// Delta types that extend a string: the type, the key of the new text in the delta, and the key of the string in the
/// block.
const TEXT_DELTAS: &[(&str, &str, &str)] = &[
    ("text_delta", "text", "text"),
    ("thinking_delta", "thinking", "thinking"),
    ("signature_delta", "signature", "signature"),
];
/// The blocks that deltas extend: the type of the delta, and the entries at the start of its block. A call without its start has no name.
const BLOCKS: &[(&str, &[(&str, &str)])] = &[
    ("text_delta", &[("type", r#""text""#), ("text", r#""""#)]),
    ("thinking_delta", &[("type", r#""thinking""#), ("thinking", r#""""#), ("signature", r#""""#)]),
    ("input_json_delta", &[("type", r#""tool_use""#), ("input", "{}")]),
];
/// Keys of a `compaction_delta`. Their values are null if compaction failed, and must be sent back unchanged.
const COMPACTION_KEYS: [&str; 2] = ["content", "encrypted_content"];

fn parse(body: &Node<'_>) -> Result<ModelResponse, WireError> {
    let message = body.object()?;
    let usage = usage(&message, Usage::default());
    let content = message.require("content", "an array of blocks")?;
    let builder = ResponseBuilder::new(usage, identity(&message));
    let reason = message.stop_reason("stop_reason").unwrap_or_default();
    Ok(read(&content, &reason, builder)?.with_container(container(&message)))
}

/// Returns the id of the container in a message or an event.
fn container(message: &Object<'_>) -> Option<String> {
    let id = object_of(message, "container")?.optional_text("id").ok()??;
    Some(id).filter(|id| !id.is_empty())
}

/// Returns the usage in a message or an event. A stream sends it in parts, so numbers that are missing are those of `before`.
fn usage(message: &Object<'_>, before: Usage) -> Option<Usage> {
    let usage = object_of(message, "usage")?;
    let [new, cached, cache_writes] =
        ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(|key| count(&usage, key));
    // The API does not count the cached tokens as input.
    let input = sum([new, cached, cache_writes]);
    let thinking = count_in(&usage, "output_tokens_details", "thinking_tokens").max(before.thinking);
    let before = Usage { output: count(&usage, "output_tokens"), thinking, ..before };
    Some(if input == 0 { before } else { Usage { input, cached, cache_writes, ..before } })
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Stop::Done,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refused,
        // After `compaction`, the model goes on with the summary.
        "pause_turn" | "compaction" => Stop::Paused,
        _ => by_word(reason),
    }
}

fn read(content: &Node<'_>, reason: &str, mut builder: ResponseBuilder) -> Result<ModelResponse, WireError> {
    let blocks = content.items()?;
    for node in &blocks {
        let block = node.object()?;
        let kind = block.non_empty_text("type")?;
        match &*kind {
            "text" => builder.push_text(&block.text("text")?),
            "tool_use" => {
                let call = parse_call(node, &block, &mut builder)?;
                builder.push_call(call, &ValuePlace { node, object: &block, key: "id" })?;
            }
            kind if IGNORED.contains(&kind) || kind.ends_with("_tool_result") => {}
            kind => builder.push_unknown(&block, kind, &node.path)?,
        }
    }
    let content = builder.with_ids(content.json);
    builder.messages.push(raw_json(format!(r#"{{"role":"assistant","content":{content}}}"#)));
    builder.build(stop(reason), reason.to_owned())
}

fn parse_call(node: &Node<'_>, block: &Object<'_>, builder: &mut ResponseBuilder) -> Result<ParsedCall, WireError> {
    let namespace = block.optional_text("toolset_name")?.unwrap_or_default();
    let mut origin = CallOrigin { namespace, ..CallOrigin::default() };
    if let Some(caller) = block.get("caller") {
        let caller = caller.object()?;
        if caller.non_empty_text("type")? != "direct" {
            origin.program = Some(caller.non_empty_text("tool_id")?);
        }
    }
    // The API takes no other id, so such a call gets a new one.
    let is_taken = |id: &String| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let id = Some(builder.id(&ValuePlace { node, object: block, key: "id" })).filter(is_taken).unwrap_or_default();
    let name = builder.name(&ValuePlace { node, object: block, key: "name" })?;
    let arguments = block.arguments("input")?;
    Ok(ParsedCall { id, name, arguments, origin, path: node.path.clone() })
}

/// A streamed message, block by block.
#[derive(Default)]
struct Events {
    blocks: Vec<Block>,
    reason: String,
    usage: Option<Usage>,
    container: Option<String>,
    /// The [identity] of the response.
    identity: String,
    has_ended: bool,
}

#[derive(Default)]
struct Block {
    index: Option<u64>,
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
                let block = event.require("content_block", "a block")?;
                if self.blocks.len() == MAX_ITEMS {
                    return Err(block.unexpected(format!("at most {MAX_ITEMS} blocks")));
                }
                let entries = block.object()?;
                shown.push_str(&entries.optional_text("text")?.unwrap_or_default());
                let entries = entries.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect();
                self.blocks.push(Block { index: index(&event), entries, ..Block::default() });
            }
            "content_block_delta" => {
                let delta = event.require("delta", "a delta")?.object()?;
                self.begin(&event, &delta);
                self.open(&event)?.join(&delta, shown)?;
            }
            "content_block_stop" => self.open(&event)?.has_ended = true,
            "message_start" => {
                if let Some(message) = event.get("message").and_then(|message| message.object().ok()) {
                    self.usage = usage(&message, Usage::default());
                    self.container = container(&message);
                    self.identity = identity(&message);
                }
            }
            "message_delta" => {
                self.usage = usage(&event, self.usage.unwrap_or_default()).or(self.usage);
                let delta = event.require("delta", "a delta")?.object()?;
                record_stop_reason(&mut self.reason, delta.stop_reason("stop_reason"), stop);
                self.container = container(&delta).or(self.container.take());
            }
            "message_stop" => self.has_ended = true,
            // `ping`, and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn push_done(&mut self) {
        self.has_ended |= !self.blocks.is_empty();
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        // The end of the message ends its blocks, too. Some gateways omit the last event.
        let has_blocks = !self.blocks.is_empty() && self.blocks.iter().all(|block| block.has_ended);
        let has_reason = has_blocks && !self.reason.is_empty();
        if !self.has_ended && !has_reason {
            return Err(WireError::ended_early("a stream that ends with `message_stop`"));
        }
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (at, block) in self.blocks.drain(..).enumerate() {
            blocks.push(block.end(&format!("/content/{at}/input"), &self.reason)?);
        }
        let content = raw_json(list(&blocks));
        let builder = ResponseBuilder::new(self.usage, std::mem::take(&mut self.identity));
        let response = read(&Node { json: &content, path: "/content".to_owned() }, &self.reason, builder)?;
        Ok(response.with_container(self.container.take()))
    }
}

impl Events {
    /// Begins the block of a delta if no event has begun a block with its index. Some gateways omit that event.
    fn begin(&mut self, event: &Object<'_>, delta: &Object<'_>) {
        let sent = index(event);
        let is_known = |block: &Block| block.index == sent || sent.is_none() && !block.has_ended;
        let kind = delta.optional_text("type").ok().flatten().unwrap_or_default();
        let Some((_, block)) = BLOCKS.iter().find(|(of_delta, _)| *of_delta == kind) else { return };
        if self.blocks.len() < MAX_ITEMS && !self.blocks.iter().any(is_known) {
            let entries = block.iter().map(|(key, json)| ((*key).to_owned(), raw_json((*json).to_owned()))).collect();
            self.blocks.push(Block { index: sent, entries, ..Block::default() });
        }
    }

    /// Returns the open block of an event.
    fn open(&mut self, event: &Object<'_>) -> Result<&mut Block, WireError> {
        let sent = index(event);
        let is_open = |block: &Block| !block.has_ended;
        // Some servers send one index for all blocks, and some send none.
        let with_index = self.blocks.iter().rposition(|block| is_open(block) && block.index == sent);
        let at = with_index.or_else(|| sent.is_none().then(|| self.blocks.iter().rposition(is_open)).flatten());
        let block = at.and_then(|at| self.blocks.get_mut(at));
        block.ok_or_else(|| {
            let got = sent.map_or_else(|| "nothing".to_owned(), |index| index.to_string());
            WireError::new(event.path_of("index"), "the index of an open block", got)
        })
    }
}

/// Returns the index of the block of an event, if the server sends one.
fn index(event: &Object<'_>) -> Option<u64> {
    event.get("index")?.number().ok()
}

impl Block {
    fn join(&mut self, delta: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let kind = delta.non_empty_text("type")?;
        if kind == "input_json_delta" {
            // Some gateways send null for an empty piece, and the arguments themselves for their text.
            if let Some(piece) = delta.get("partial_json") {
                self.input.push_str(&piece.text().unwrap_or_else(|_| piece.json.get().to_owned()));
            }
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
            let stop = stop(reason);
            let is_cut = !matches!(stop, Stop::Done | Stop::Paused);
            if is_cut && serde_json::from_str::<&RawValue>(&self.input).is_err() {
                return Err(cut_off(path, stop, reason));
            }
            let is_call = self.entries.get("type").is_some_and(|kind| kind.get() == r#""tool_use""#);
            let input = if is_call { assembled(&self.input) } else { raw_json(as_object(&self.input)) };
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
    // Results for programs are refused next to anything else.
    let is_for_program = |completed: &&CompletedCall<'_>| completed.call.origin().program.is_some();
    let (programs, direct): (Vec<_>, Vec<_>) = completed_calls.iter().partition(is_for_program);
    let message = |completed: Vec<&CompletedCall<'_>>| {
        let blocks: Vec<Box<RawValue>> = completed.into_iter().map(result).collect();
        raw_json(format!(r#"{{"role":"user","content":{}}}"#, list(&blocks)))
    };
    [programs, direct].into_iter().filter(|completed| !completed.is_empty()).map(message).collect()
}

fn result(completed: &CompletedCall<'_>) -> Box<RawValue> {
    let CompletedCall { call, response } = completed;
    let CallOrigin { kind, program, namespace, .. } = call.origin();
    let mut out = String::from(r#"{"type":"tool_result","tool_use_id":"#);
    json::push_string(&mut out, call.id());
    if !namespace.is_empty() {
        out.push_str(r#","toolset_name":"#);
        json::push_string(&mut out, namespace);
    }
    out.push_str(r#","content":"#);
    let is_search = *kind == CallKind::ToolSearch && !response.is_error();
    let names = if is_search { found_tools(&response.json, name) } else { Vec::new() };
    if !names.is_empty() {
        for (at, name) in names.iter().enumerate() {
            out.push_str(if at == 0 { "[" } else { "," });
            out.push_str(r#"{"type":"tool_reference","tool_name":"#);
            json::push_string(&mut out, name);
            out.push('}');
        }
        out.push_str("]}");
        return raw_json(out);
    }
    let mut text = attachment::text(response);
    if program.is_some() {
        // Programs accept only text.
        if let Some(note) = attachment::images_left_out(response) {
            text = format!("{text}\n{note}").into();
        }
    }
    if response.images.is_empty() || program.is_some() {
        json::push_string(&mut out, &text);
    } else {
        out.push_str(r#"[{"type":"text","text":"#);
        json::push_string(&mut out, &text);
        for image in &response.images {
            let (media_type, data) = (image.media_type(), base64(image));
            let source = format!(r#"{{"type":"base64","media_type":"{media_type}","data":"{data}"}}"#);
            let _ = write!(out, r#"}},{{"type":"image","source":{source}"#);
        }
        out.push_str("}]");
    }
    if response.is_error() {
        out.push_str(r#","is_error":true"#);
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests;
