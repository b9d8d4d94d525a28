//! A streamed message, chunk by chunk.

use std::collections::BTreeMap;

use crate::wire::api::chat::content::{Content, Visible};
use crate::wire::api::chat::joined::{Entries, Joined, content, join, object};
use crate::wire::api::chat::{choice, read, stop, usage};
use crate::wire::api::ids::identity;
use crate::wire::api::response::{ResponseBuilder, record_stop_reason};
use crate::wire::api::{MAX_CALLS, ResponseAssembler};
use crate::wire::node::{Measure, Node, Object};
use crate::wire::write::{list, raw_json};
use crate::wire::{ModelResponse, Usage, WireError};
use serde_json::value::RawValue;

#[derive(Default)]
pub(super) struct Chunks {
    /// The message without its content and its calls.
    message: Entries,
    content: Content,
    /// The calls, by their index. Some servers send several calls with one index, each complete.
    calls: BTreeMap<(u64, usize), Call>,
    /// The total number of values.
    values: usize,
    reason: String,
    /// Whether a call has begun or continued since the last stop reason.
    is_open: bool,
    usage: Option<Usage>,
    /// The [identity] of the response.
    identity: String,
    visible: Visible,
}

/// A call that is being assembled.
#[derive(Default)]
struct Call {
    entries: Entries,
    id: String,
    name: String,
    arguments: Measure,
    /// Whether it is a call of a text tool, whose text ends anywhere.
    is_text: bool,
}

/// What a chunk sends of a call.
struct Fragment {
    id: String,
    name: String,
    arguments: String,
    is_text: bool,
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
        let Some(choices) = data.get("choices") else { return Ok(()) };
        let Some(choice) = choice(&choices)? else { return Ok(()) };
        let choice = choice.object()?;
        if let Some(delta) = choice.get("delta") {
            self.push_delta(&delta.object()?, shown)?;
        }
        let reason = choice.optional_text("finish_reason")?.filter(|reason| !reason.is_empty());
        self.is_open &= reason.is_none();
        record_stop_reason(&mut self.reason, reason, |reason| stop(reason, false));
        Ok(())
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        if self.reason.is_empty() || self.is_open {
            return Err(WireError::ended_early("a stream that ends with a `finish_reason`"));
        }
        let mut message = std::mem::take(&mut self.message);
        message.entry("role".to_owned()).or_insert_with(|| Joined::Text("assistant".to_owned()));
        message.insert("content".to_owned(), Joined::Whole(self.content.json()));
        if !self.calls.is_empty() {
            let calls: Vec<Box<RawValue>> = self.calls.values().map(|call| object(&call.entries)).collect();
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
    fn push_delta(&mut self, delta: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        // The text comes before a refusal.
        if let Some(node) = delta.get("content") {
            self.content.push(&node, &mut self.values, |text| shown.push_str(&self.visible.push(text)))?;
        }
        for (key, _) in delta.all().filter(|(key, _)| *key != "content") {
            let Some(node) = delta.get(key) else { continue };
            match key {
                "tool_calls" => node.items()?.iter().try_for_each(|call| self.push_call(call))?,
                _ => join(&mut self.message, key, &node, &mut self.values)?,
            }
            if key == "refusal" {
                shown.push_str(&self.visible.push(content(node.json).ok_or_else(|| node.unexpected("a string"))?));
            }
        }
        Ok(())
    }

    /// Begins or continues a call.
    fn push_call(&mut self, node: &Node<'_>) -> Result<(), WireError> {
        let call = node.object()?;
        // Some servers omit the index, and send each call whole.
        let index = call.get("index").map_or(Ok(0), |index| index.number())?;
        let fragment = Fragment::read(&call)?;
        let last = self.calls.range((index, 0)..=(index, usize::MAX)).next_back();
        let key = match last {
            None => (index, 0),
            Some(((_, at), known)) => (index, at + usize::from(known.ends_before(&fragment))),
        };
        if self.calls.len() == MAX_CALLS && !self.calls.contains_key(&key) {
            return Err(node.unexpected(format!("at most {MAX_CALLS} calls")));
        }
        let known = self.calls.entry(key).or_default();
        for (key, _) in call.all().filter(|(key, _)| *key != "index") {
            let Some(node) = call.get(key) else { continue };
            join(&mut known.entries, key, &node, &mut self.values)?;
        }
        known.extend(fragment);
        self.is_open = true;
        Ok(())
    }
}

impl Fragment {
    fn read(call: &Object<'_>) -> Result<Self, WireError> {
        let id = call.optional_text("id")?.unwrap_or_default();
        let (mut name, mut arguments, mut is_text) = (String::new(), String::new(), false);
        for (key, of_arguments) in [("function", "arguments"), ("custom", "input")] {
            let Some(details) = call.get(key) else { continue };
            let details = details.object()?;
            name = details.optional_text("name")?.unwrap_or_default();
            let sent = details.get(of_arguments);
            arguments =
                sent.map_or_else(String::new, |sent| sent.text().unwrap_or_else(|_| sent.json.get().to_owned()));
            is_text = key == "custom";
        }
        Ok(Self { id, name, arguments, is_text })
    }
}

impl Call {
    /// Returns whether a fragment with the index of this call begins another call. Only a fragment with a name does, and none with the
    /// id of this call: some servers repeat both in each fragment.
    fn ends_before(&self, new: &Fragment) -> bool {
        if new.name.is_empty() || self.name.is_empty() || (!new.id.is_empty() && new.id == self.id) {
            return false;
        }
        let has_other_id = !new.id.is_empty() && !self.id.is_empty();
        if self.arguments.is_blank() {
            // With one name and without ids, it is another call unless it only has the beginning of the arguments.
            let is_beginning = || {
                let mut arguments = Measure::default();
                arguments.push(&new.arguments);
                new.is_text || !(arguments.is_blank() || arguments.is_whole())
            };
            return has_other_id || new.name != self.name || (self.id.is_empty() && !is_beginning());
        }
        if self.is_text {
            return has_other_id;
        }
        let is_repetition =
            !self.id.is_empty() && new.id.is_empty() && new.name == self.name && new.arguments.trim().is_empty();
        self.arguments.is_whole() && !is_repetition
    }

    fn extend(&mut self, fragment: Fragment) {
        self.arguments.push(&fragment.arguments);
        self.is_text |= fragment.is_text;
        if self.id.is_empty() {
            self.id = fragment.id;
        }
        if self.name.is_empty() {
            self.name = fragment.name;
        }
    }
}
