//! The items of a stream: those of the last event, and what it omits of the events before it.
//!
//! What ties an event to its item is the id, then the index, then the order: some servers give all items the index 0, others send no index,
//! and others change the id in each event.

use crate::text::json;
use crate::wire::WireError;
use crate::wire::api::MAX_CALLS;
use crate::wire::api::arguments::fingerprint;
use crate::wire::api::responses::arguments::{Piece, arguments_of, filled, is_call};
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

/// The items that events have sent, in the order in which they have begun.
#[derive(Debug, Default)]
pub(super) struct Items(Vec<Item>);

/// An item, and what tells it from others.
#[derive(Debug, Default)]
struct Item {
    id: String,
    index: Option<u64>,
    /// The type, the name and the `call_id`, as far as events have sent them.
    labels: [String; 3],
    /// Its beginning. A server may complete it only in the last event, or never.
    begun: Option<Box<RawValue>>,
    /// The complete item.
    done: Option<Box<RawValue>>,
    /// The text of a message.
    text: String,
    /// The arguments of a call, as far as events of their own have sent them.
    arguments: String,
}

/// What ties an event to its item.
struct Tie {
    id: String,
    index: Option<u64>,
    labels: [String; 3],
}

impl Tie {
    /// Reads an event with an item.
    fn of_item(event: &Object<'_>, item: &Object<'_>) -> Self {
        Self { id: item.id("id"), index: index(event), labels: ["type", "name", "call_id"].map(|key| item.id(key)) }
    }

    /// Reads an event with a piece of an item of this type.
    fn of_piece(event: &Object<'_>, kind: &str) -> Self {
        Self { id: event.id("item_id"), index: index(event), labels: [kind.to_owned(), String::new(), String::new()] }
    }
}

impl Item {
    fn is_open(&self) -> bool {
        self.done.is_none()
    }

    fn has_id_of(&self, tie: &Tie) -> bool {
        !tie.id.is_empty() && tie.id == self.id
    }

    fn has_other_id(&self, tie: &Tie) -> bool {
        !tie.id.is_empty() && !self.id.is_empty() && tie.id != self.id
    }

    /// Returns whether the type, the name and the `call_id` may be those of one item.
    fn fits(&self, tie: &Tie) -> bool {
        let may_be_same = |(a, b): (&String, &String)| a.is_empty() || b.is_empty() || a == b;
        self.labels.iter().zip(&tie.labels).all(may_be_same)
    }

    fn has_index_of(&self, tie: &Tie) -> bool {
        tie.index.is_some() && tie.index == self.index
    }

    /// Returns whether the index does not tell the item from that of an event.
    fn may_have_index_of(&self, tie: &Tie) -> bool {
        tie.index.is_none() || self.index.is_none() || tie.index == self.index
    }

    fn learn(&mut self, tie: Tie) {
        for (known, new) in self.labels.iter_mut().zip(tie.labels) {
            if known.is_empty() {
                *known = new;
            }
        }
        if self.id.is_empty() {
            self.id = tie.id;
        }
        self.index = self.index.or(tie.index);
    }
}

impl Items {
    /// Adds an item that has begun.
    pub(super) fn begin(&mut self, event: &Object<'_>) {
        let Some(node) = event.get("item") else { return };
        let Ok(object) = node.object() else { return };
        let tie = Tie::of_item(event, &object);
        let is_repeated = |item: &Item| item.has_id_of(&tie) && item.fits(&tie) && item.may_have_index_of(&tie);
        // Its pieces may have come before it.
        let is_new = |item: &Item| item.begun.is_none() && item.is_open();
        let is_of_pieces =
            |item: &Item| is_new(item) && item.has_index_of(&tie) && !item.has_other_id(&tie) && item.fits(&tie);
        let at = self.last(is_repeated).or_else(|| self.last(is_of_pieces));
        if let Some(item) = self.at_or_new(at, tie) {
            item.begun = Some(node.json.to_owned());
        }
    }

    /// Adds a piece of the text of a message.
    pub(super) fn push_text(&mut self, event: &Object<'_>, text: &str) {
        if let Some(item) = self.of_piece(Tie::of_piece(event, "message")) {
            item.text.push_str(text);
        }
    }

    /// Adds a piece of the arguments of a call, or all of them.
    pub(super) fn push_arguments(&mut self, kind: &str, event: &Object<'_>) -> Result<(), WireError> {
        let Some((kind, piece)) = Piece::read(kind, event)? else { return Ok(()) };
        if let Some(item) = self.of_piece(Tie::of_piece(event, kind)) {
            match piece {
                Piece::Next(text) => item.arguments.push_str(&text),
                Piece::Whole(text) => item.arguments = text,
            }
        }
        Ok(())
    }

    /// Adds a complete item.
    ///
    /// # Errors
    /// Returns an error if the event has no item, or if there are too many.
    pub(super) fn finish(&mut self, event: &Object<'_>) -> Result<(), WireError> {
        let node = event.require("item", "an item")?;
        let tie = Tie::of_item(event, &node.object()?);
        let has_id = |item: &Item| item.has_id_of(&tie) && item.fits(&tie);
        let is_open = |item: &Item| item.is_open() && item.fits(&tie);
        // Pieces without the beginning of their item have nothing but their id to tell them from others.
        let is_at_index = |item: &Item| {
            is_open(item) && item.has_index_of(&tie) && (item.begun.is_some() || !item.has_other_id(&tie))
        };
        let is_repeated = |item: &Item| {
            let is_equal = item.done.as_ref().is_some_and(|done| done.get() == node.json.get());
            is_equal && item.has_index_of(&tie) && !item.has_other_id(&tie)
        };
        let is_next = |item: &Item| is_open(item) && item.may_have_index_of(&tie) && !item.has_index_of(&tie);
        let at = self.last(has_id).or_else(|| self.first(is_at_index)).or_else(|| self.last(is_repeated));
        let at = at.or_else(|| self.first(is_next));
        let item = self.at_or_new(at, tie);
        let item = item.ok_or_else(|| node.unexpected(format!("at most {MAX_ITEMS} items")))?;
        item.done = Some(node.json.to_owned());
        Ok(())
    }

    /// Returns whether there is neither a complete item, nor what [`Self::complete`] counts as one.
    pub(super) fn is_empty(&self) -> bool {
        let is_message = |item: &Item| item.labels[0] == "message";
        self.0.iter().all(|item| item.is_open() && item.text.is_empty() && (item.begun.is_none() || is_message(item)))
    }

    /// Counts what has only begun as done, because no other event follows: calls, and the texts of messages.
    pub(super) fn complete(&mut self) {
        for item in self.0.iter_mut().filter(|item| item.is_open()) {
            if item.labels[0] != "message" {
                item.done = item.begun.take();
            }
            if item.is_open() && !item.text.is_empty() {
                let mut message =
                    String::from(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"#);
                json::push_string(&mut message, &item.text);
                message.push_str(r#","annotations":[]}]}"#);
                item.done = Some(raw_json(message));
            }
        }
    }

    /// Sets the arguments in the complete items, and returns the `output` of the last event with the arguments that it omits.
    pub(super) fn fill(&mut self, output: &[Node<'_>]) -> Result<Vec<Box<RawValue>>, WireError> {
        for item in &mut self.0 {
            if let Some(done) = &item.done
                && let Some(whole) = filled(&Node { json: done, path: String::new() }, &item.arguments)?
            {
                item.done = Some(whole);
            }
        }
        let mut all = Vec::with_capacity(output.len());
        for (at, node) in output.iter().enumerate() {
            let object = node.object()?;
            let tie = Tie { index: Some(at as u64), ..Tie::of_item(&object, &object) };
            let has_id = |item: &Item| item.has_id_of(&tie) && item.fits(&tie);
            let has_call_id = |item: &Item| !tie.labels[2].is_empty() && item.labels == tie.labels;
            let has_index = |item: &Item| item.has_index_of(&tie) && item.fits(&tie);
            let found = self.last(has_id).or_else(|| self.last(has_call_id)).or_else(|| self.last(has_index));
            let arguments = found.map(|at| self.0[at].whole_arguments()).transpose()?.flatten();
            let whole = arguments.map(|text| filled(node, &text)).transpose()?.flatten();
            all.push(whole.unwrap_or_else(|| node.json.to_owned()));
        }
        Ok(all)
    }

    /// Returns the complete items, and those of the last event that are not among them.
    pub(super) fn with(&self, output: &[Node<'_>]) -> Result<Vec<Box<RawValue>>, WireError> {
        let mut done: Vec<&Item> = self.0.iter().filter(|item| !item.is_open()).collect();
        if done.iter().all(|item| item.index.is_some()) {
            done.sort_by_key(|item| item.index);
        }
        let mut all: Vec<Box<RawValue>> = done.into_iter().filter_map(|item| item.done.clone()).collect();
        let known = all.iter().map(|item| Identity::of(item)).collect::<Result<Vec<_>, _>>()?;
        for item in output {
            let identity = Identity::of(item.json)?;
            if !known.iter().any(|known| known.is_same(&identity)) {
                all.push(item.json.to_owned());
            }
        }
        Ok(all)
    }

    /// Returns the item of a piece.
    fn of_piece(&mut self, tie: Tie) -> Option<&mut Item> {
        let has_id = |item: &Item| item.has_id_of(&tie) && item.fits(&tie);
        let is_open = |item: &Item| {
            let is_same = item.begun.is_some() || !item.has_other_id(&tie);
            item.is_open() && is_same && item.fits(&tie)
        };
        let is_at_index = |item: &Item| is_open(item) && item.has_index_of(&tie);
        let is_last = |item: &Item| is_open(item) && item.may_have_index_of(&tie);
        let is_late = |item: &Item| item.has_index_of(&tie) && !item.has_other_id(&tie) && item.fits(&tie);
        let at = self.last(has_id).or_else(|| self.last(is_at_index)).or_else(|| self.last(is_last));
        let at = at.or_else(|| self.last(is_late));
        self.at_or_new(at, tie)
    }

    /// Returns the item at this position, or else a new one, unless there are too many.
    fn at_or_new(&mut self, at: Option<usize>, tie: Tie) -> Option<&mut Item> {
        let at = match at {
            None if self.0.len() == MAX_ITEMS => return None,
            None => {
                self.0.push(Item::default());
                self.0.len() - 1
            }
            Some(at) => at,
        };
        let item = &mut self.0[at];
        item.learn(tie);
        Some(item)
    }

    /// Returns the position of the first of the last items for which `is_it` returns true. Their number is limited, because each event
    /// looks for its item.
    fn first(&self, is_it: impl Fn(&Item) -> bool) -> Option<usize> {
        let start = self.0.len().saturating_sub(MAX_CALLS);
        self.0[start..].iter().position(is_it).map(|at| start + at)
    }

    /// Does the same as [`Self::first`] for the last item.
    fn last(&self, is_it: impl Fn(&Item) -> bool) -> Option<usize> {
        let start = self.0.len().saturating_sub(MAX_CALLS);
        self.0[start..].iter().rposition(is_it).map(|at| start + at)
    }
}

impl Item {
    /// Returns the arguments of a call, as far as they are known.
    fn whole_arguments(&self) -> Result<Option<String>, WireError> {
        let of_item = self.done.as_ref().map(|done| arguments_of(done)).transpose()?.flatten();
        let of_events =
            || Some(self.arguments.clone()).filter(|_| is_call(&self.labels[0]) || self.labels[0].is_empty());
        Ok(of_item.filter(|text| !text.trim().is_empty()).or_else(of_events))
    }
}

fn index(event: &Object<'_>) -> Option<u64> {
    event.get("output_index")?.number().ok()
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
