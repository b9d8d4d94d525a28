//! The items of a stream: those of the last event, and what it omits of the events before it.

use std::collections::BTreeMap;

use crate::text::json;
use crate::wire::WireError;
use crate::wire::api::arguments::fingerprint;
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

/// The items that events have sent, by their index.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// Those that are complete.
    pub(super) done: BTreeMap<u64, Box<RawValue>>,
    /// Those that have begun. A server may complete them only in the last event, or never.
    begun: BTreeMap<u64, Box<RawValue>>,
    /// The texts of messages.
    texts: BTreeMap<u64, String>,
}

impl Items {
    /// Adds an item that has begun.
    pub(super) fn begin(&mut self, event: &Object<'_>) {
        let index = index(event);
        if let Some(item) = event.get("item").filter(|item| item.object().is_ok())
            && self.begun.len() < MAX_ITEMS
        {
            self.begun.insert(index, item.json.to_owned());
        }
    }

    /// Adds a piece of the text of a message.
    pub(super) fn push_text(&mut self, event: &Object<'_>, text: &str) {
        let index = index(event);
        if self.texts.len() < MAX_ITEMS || self.texts.contains_key(&index) {
            self.texts.entry(index).or_default().push_str(text);
        }
    }

    /// Counts what has only begun as done, because no other event follows: calls, and the texts of messages.
    pub(super) fn complete(&mut self) -> Result<(), WireError> {
        for (index, item) in std::mem::take(&mut self.begun) {
            if kind(&item)? != "message" {
                self.done.entry(index).or_insert(item);
            }
        }
        for (index, text) in std::mem::take(&mut self.texts) {
            if !text.is_empty() && !self.done.contains_key(&index) {
                let mut message =
                    String::from(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"#);
                json::push_string(&mut message, &text);
                message.push_str(r#","annotations":[]}]}"#);
                self.done.insert(index, raw_json(message));
            }
        }
        Ok(())
    }

    /// Returns the complete items, and those of the last event that are not among them.
    pub(super) fn with(&self, output: &[Node<'_>]) -> Result<Vec<Box<RawValue>>, WireError> {
        let mut all: Vec<Box<RawValue>> = self.done.values().cloned().collect();
        let known = self.done.values().map(|item| Identity::of(item)).collect::<Result<Vec<_>, _>>()?;
        for item in output {
            let identity = Identity::of(item.json)?;
            if !known.iter().any(|known| known.is_same(&identity)) {
                all.push(item.json.to_owned());
            }
        }
        Ok(all)
    }
}

fn index(event: &Object<'_>) -> u64 {
    event.get("output_index").and_then(|index| index.number().ok()).unwrap_or_default()
}

fn kind(item: &RawValue) -> Result<String, WireError> {
    Ok(Node { json: item, path: String::new() }.object()?.optional_text("type")?.unwrap_or_default())
}

/// What tells an item from others.
struct Identity {
    ids: [Option<String>; 2],
    /// The name and the arguments of a call, or the whole of another item.
    content: (String, u64),
}

impl Identity {
    fn of(item: &RawValue) -> Result<Self, WireError> {
        let object = Node { json: item, path: String::new() }.object()?;
        let text = |key| Some(object.id(key)).filter(|id| !id.is_empty());
        let arguments = ["arguments", "input"].iter().find_map(|key| object.get(key)?.text().ok());
        let content = match (text("name"), arguments) {
            (Some(name), Some(arguments)) => (name, fingerprint(&arguments)),
            _ => (String::new(), fingerprint(item.get())),
        };
        Ok(Self { ids: [text("id"), text("call_id")], content })
    }

    fn is_same(&self, other: &Self) -> bool {
        let same_id = |at: usize| self.ids[at].is_some() && self.ids[at] == other.ids[at];
        same_id(0) || same_id(1) || self.content == other.content
    }
}
