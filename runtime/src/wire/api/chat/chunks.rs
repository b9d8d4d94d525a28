//! A streamed message, chunk by chunk.

use crate::wire::api::chat::content::{Content, Visible};
use crate::wire::api::chat::fragment::{Call, Fragment};
use crate::wire::api::chat::joined::{Entries, Joined, content, join, object};
use crate::wire::api::chat::{calls, choices, index, read, stop, usage};
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ResponseBuilder, record_stop_reason};
use crate::wire::api::sent_back::is_empty;
use crate::wire::api::{MAX_CALLS, ResponseAssembler};
use crate::wire::node::{Node, Object};
use crate::wire::write::{list, raw_json};
use crate::wire::{ModelResponse, Usage, WireError};
use serde_json::value::RawValue;

#[derive(Default)]
pub(super) struct Chunks {
    /// The message without its content and its calls.
    message: Entries,
    content: Content,
    /// The index of the choice whose text is read: the first with one.
    speaker: Option<u64>,
    /// The index of the choice whose calls are read: the first with one.
    caller: Option<u64>,
    /// The calls, in the order in which they have begun.
    calls: Vec<Call>,
    /// A call in the older form, which some servers send in addition.
    function_call: Option<Call>,
    /// The total number of values.
    values: usize,
    reason: String,
    /// Whether a call has begun or continued since the last stop reason.
    is_open: bool,
    /// Whether a delta has had content. A message in a later chunk then repeats the whole.
    has_deltas: bool,
    /// Whether the server has sent `[DONE]`.
    is_done: bool,
    usage: Option<Usage>,
    /// The [identity] of the response.
    identity: String,
    visible: Visible,
}

impl ResponseAssembler for Chunks {
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let data = data.object()?;
        // Some servers send the usage so far in each chunk.
        self.usage = usage(&data).or(self.usage);
        if self.identity.is_empty() {
            self.identity = identity(&data);
        }
        // Some servers omit the choices in the chunk with the usage.
        let Some(list) = data.get("choices") else { return Ok(()) };
        choices(&list)?.iter().try_for_each(|choice| self.push_choice(choice, shown))
    }

    fn push_done(&mut self) {
        self.is_done = true;
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        // A stream without any message has been broken off, whatever ends it.
        if (self.reason.is_empty() || self.is_open) && !(self.is_done && self.has_message()) {
            return Err(WireError::ended_early("a stream that ends with a `finish_reason`"));
        }
        if self.calls.is_empty() {
            self.calls.extend(self.function_call.take());
        }
        let mut message = std::mem::take(&mut self.message);
        message.entry("role".to_owned()).or_insert_with(|| Joined::Text("assistant".to_owned()));
        message.insert("content".to_owned(), Joined::Whole(self.content.json()));
        self.calls.retain(|call| !call.is_blank());
        if !self.calls.is_empty() {
            self.calls.sort_by_key(|call| call.index.unwrap_or_default());
            let calls = self.calls.drain(..).map(Call::json).collect::<Result<Vec<Box<RawValue>>, WireError>>()?;
            message.insert("tool_calls".to_owned(), Joined::Whole(raw_json(list(&calls))));
        }
        let message = object(&message);
        let mut builder = ResponseBuilder::new(self.usage, std::mem::take(&mut self.identity));
        let node = Node { json: &message, path: "/choices/0/message".to_owned() };
        let is_refusal = read(&node, &mut builder)?;
        builder.push_message(&message);
        builder.build(stop(&self.reason, is_refusal), std::mem::take(&mut self.reason))
    }
}

impl Chunks {
    /// Returns whether anything but the role of the message has been read.
    fn has_message(&self) -> bool {
        !self.content.is_empty()
            || !self.calls.is_empty()
            || self.function_call.is_some()
            || self.message.keys().any(|key| key != "role")
    }

    fn push_choice(&mut self, choice: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let choice = choice.object()?;
        let delta = choice.get("delta").map(|delta| delta.object()).transpose()?;
        let index = index(&choice);
        match delta.filter(|delta| delta.all().any(|(_, json)| !is_empty(json.get()))) {
            Some(delta) => {
                self.push_delta(&delta, index, shown)?;
                self.has_deltas |= self.has_message();
            }
            // Some servers send the message, or its next piece, in its place.
            None => {
                if let Some(message) = choice.get("message").filter(|_| !self.has_deltas) {
                    self.push_delta(&message.object()?, index, shown)?;
                }
            }
        }
        let is_caller = self.caller.is_none_or(|caller| caller == index);
        if is_caller || self.speaker.is_none_or(|speaker| speaker == index) {
            let reason = choice.stop_reason("finish_reason").filter(|reason| !reason.is_empty());
            self.is_open &= reason.is_none() || !is_caller;
            record_stop_reason(&mut self.reason, reason, |reason| stop(reason, false));
        }
        Ok(())
    }

    fn push_delta(&mut self, delta: &Object<'_>, index: u64, shown: &mut String) -> Result<(), WireError> {
        let has = |is_key: &dyn Fn(&str) -> bool| delta.all().any(|(key, json)| is_key(key) && !is_empty(json.get()));
        let is_call = |key: &str| ["tool_calls", "function_call"].contains(&key);
        if has(&|key| key != "role" && !is_call(key)) {
            self.speaker.get_or_insert(index);
        }
        if has(&is_call) {
            self.caller.get_or_insert(index);
        }
        let is_speaker = self.speaker.is_none_or(|speaker| speaker == index);
        let is_caller = self.caller.is_none_or(|caller| caller == index);
        // The text comes before a refusal.
        if let Some(node) = delta.get("content").filter(|_| is_speaker) {
            self.content.push(&node, &mut self.values, |text| shown.push_str(&self.visible.push(text)))?;
        }
        let is_taken = |key: &str| if is_call(key) { is_caller } else { is_speaker };
        for (key, _) in delta.all().filter(|(key, _)| *key != "content" && is_taken(key)) {
            let Some(node) = delta.get(key) else { continue };
            match key {
                "function_call" => self.push_function_call(&node)?,
                "tool_calls" => calls(&node)?.iter().try_for_each(|call| self.push_call(call))?,
                _ => join(&mut self.message, key, &node, &mut self.values)?,
            }
            if key == "refusal" {
                shown.push_str(&self.visible.push(content(node.json).ok_or_else(|| node.unexpected("a string"))?));
            }
        }
        Ok(())
    }

    /// Begins or continues the call in the older form.
    fn push_function_call(&mut self, node: &Node<'_>) -> Result<(), WireError> {
        node.require_object()?;
        let json = raw_json(format!(r#"{{"type":"function","function":{}}}"#, node.json));
        let call = Node { json: &json, path: node.path.clone() }.object()?;
        let known = self.function_call.get_or_insert_with(|| Call::at(None));
        known.extend(&call, Fragment::read(&call)?, &mut self.values)?;
        self.is_open |= !known.is_blank();
        Ok(())
    }

    /// Begins or continues a call.
    fn push_call(&mut self, node: &Node<'_>) -> Result<(), WireError> {
        let call = node.object()?;
        let fragment = Fragment::read(&call)?;
        let at = match self.place(&fragment) {
            Some(at) => at,
            None if self.calls.len() == MAX_CALLS => {
                return Err(node.unexpected(format!("at most {MAX_CALLS} calls")));
            }
            None => {
                self.calls.push(Call::at(fragment.index));
                self.calls.len() - 1
            }
        };
        if let Some(known) = self.calls.get_mut(at) {
            known.extend(&call, fragment, &mut self.values)?;
        }
        self.is_open = true;
        Ok(())
    }

    /// Returns the number of the call that a fragment continues, or `None` if it begins another one. The id ties a fragment to its call,
    /// then the index, then the order: servers change, repeat and omit each of them.
    fn place(&self, new: &Fragment) -> Option<usize> {
        let last = self.calls.len().checked_sub(1)?;
        let with_id = || self.calls.iter().rposition(|call| call.id == new.id);
        let (at, is_tied) = if let Some(at) = (!new.id.is_empty()).then(with_id).flatten() {
            (at, true)
        } else if let Some(index) = new.index {
            match self.calls.iter().rposition(|call| call.index == Some(index)) {
                Some(at) => (at, true),
                None => (last, false),
            }
        } else {
            (last, true)
        };
        let call = &self.calls[at];
        let continues = if is_tied { !call.ends_before(new) } else { call.continues_at_other_index(new) };
        continues.then_some(at)
    }
}
