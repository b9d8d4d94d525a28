//! A streamed call, fragment by fragment.

use crate::wire::WireError;
use crate::wire::api::chat::joined::{Entries, Joined, join, object, without};
use crate::wire::node::{Measure, Node, Object, is_whole};
use serde_json::value::RawValue;

/// The keys of the details of a call: the key, and the key of its arguments.
const DETAILS: [(&str, &str); 2] = [("function", "arguments"), ("custom", "input")];

/// A call that is being assembled.
#[derive(Default)]
pub(super) struct Call {
    entries: Entries,
    /// The first index, if the server sends one. Some servers send several calls with one index, each complete.
    pub(super) index: Option<u64>,
    pub(super) id: String,
    name: String,
    arguments: Measure,
    has_name_pieces: bool,
    /// Whether it is a call of a text tool, whose text ends anywhere.
    is_text: bool,
}

/// What a chunk sends of a call.
pub(super) struct Fragment {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    name: String,
    arguments: String,
    is_text: bool,
}

impl Fragment {
    pub(super) fn read(call: &Object<'_>) -> Result<Self, WireError> {
        let index = call.get("index").and_then(|index| {
            let text = index.text().ok();
            text.map_or_else(|| index.number().ok(), |text| text.trim().parse().ok())
        });
        let id = call.id("id");
        let (mut name, mut arguments, mut is_text) = (String::new(), String::new(), false);
        for (key, of_arguments) in DETAILS {
            let Some(details) = call.get(key) else { continue };
            let details = details.object()?;
            name = details.optional_text("name")?.unwrap_or_default();
            let sent = details.get(of_arguments);
            arguments =
                sent.map_or_else(String::new, |sent| sent.text().unwrap_or_else(|_| sent.json.get().to_owned()));
            is_text = key == "custom";
        }
        Ok(Self { index, id, name, arguments, is_text })
    }

    /// Returns whether the arguments are only the beginning of a value.
    fn is_beginning(&self) -> bool {
        !self.arguments.trim().is_empty() && !is_whole(&self.arguments)
    }

    fn begins_object(&self) -> bool {
        self.arguments.trim_start().starts_with('{')
    }
}

impl Call {
    /// Returns a call of which nothing has been read.
    pub(super) fn at(index: Option<u64>) -> Self {
        Self { index, ..Self::default() }
    }

    /// Returns whether the server has sent nothing of the call.
    pub(super) fn is_blank(&self) -> bool {
        self.id.is_empty() && self.name.is_empty() && self.arguments.is_blank()
    }

    /// Returns whether the arguments have begun, and are not complete.
    fn is_open(&self) -> bool {
        !self.arguments.is_blank() && !self.arguments.is_whole()
    }

    /// Returns whether a fragment with the id or the index of this call begins another call. Only a fragment with a name does: some
    /// servers repeat the id and the name in each fragment, or send another id in each.
    pub(super) fn ends_before(&self, new: &Fragment) -> bool {
        if new.name.is_empty() || self.name.is_empty() {
            return false;
        }
        if !new.id.is_empty() && new.id == self.id {
            // Some servers have one id for all calls.
            let has_other_index = new.index.is_some() && self.index.is_some() && new.index != self.index;
            let has_other_name = new.name != self.name;
            return match (self.arguments.is_blank(), self.is_open()) {
                (true, _) => has_other_name && has_other_index,
                (_, true) => false,
                _ => has_other_name || (has_other_index && !new.arguments.trim().is_empty()),
            };
        }
        let has_other_id = !new.id.is_empty() && !self.id.is_empty();
        if self.arguments.is_blank() {
            if self.is_name_piece(new) {
                return false;
            }
            // With one name and without ids, it is another call unless it only has the beginning of the arguments.
            let is_beginning = new.is_text || new.is_beginning();
            return has_other_id || new.name != self.name || (self.id.is_empty() && !is_beginning);
        }
        if self.is_text {
            return has_other_id;
        }
        let is_repetition =
            !self.id.is_empty() && new.id.is_empty() && new.name == self.name && new.arguments.trim().is_empty();
        // An open object within an object has a key before it.
        let is_interleaved = self.is_open() && has_other_id && new.begins_object();
        (self.arguments.is_whole() && !is_repetition) || is_interleaved
    }

    /// Returns whether a fragment with an index that no call has continues this call, the last one. Some servers count the fragments.
    pub(super) fn continues_at_other_index(&self, new: &Fragment) -> bool {
        if !new.name.is_empty() {
            return self.is_open() && new.name == self.name && new.id.is_empty() && !new.begins_object();
        }
        if new.arguments.trim().is_empty() {
            return new.id.is_empty();
        }
        !self.arguments.is_whole()
    }

    /// Returns whether the name of a fragment continues the name of this call, which has no arguments yet.
    fn is_name_piece(&self, new: &Fragment) -> bool {
        let is_same_call =
            if new.id.is_empty() { new.index.is_some() && new.index == self.index } else { new.id == self.id };
        is_same_call && new.name != self.name
    }

    /// Appends a fragment. `values` counts all values.
    pub(super) fn extend(
        &mut self,
        call: &Object<'_>,
        fragment: Fragment,
        values: &mut usize,
    ) -> Result<(), WireError> {
        let continues_name = self.arguments.is_blank()
            && !self.name.is_empty()
            && !fragment.name.is_empty()
            && self.is_name_piece(&fragment);
        self.has_name_pieces |= continues_name;
        let is_name_known = self.has_name_pieces && (continues_name || fragment.name == self.name);
        for (key, _) in call.all().filter(|(key, _)| *key != "index") {
            let Some(node) = call.get(key) else { continue };
            match key {
                // The first id and the first type count.
                "id" if self.id.is_empty() => {
                    self.entries.insert(key.to_owned(), Joined::text(&fragment.id));
                }
                "id" => {}
                "type" if self.entries.contains_key("type") => {}
                "function" | "custom" if is_name_known => {
                    let details = without(&node.object()?, "name");
                    join(&mut self.entries, key, &Node { json: &details, path: node.path }, values)?;
                }
                _ => join(&mut self.entries, key, &node, values)?,
            }
        }
        let Fragment { index: _, id, name, arguments, is_text } = fragment;
        self.arguments.push(&arguments);
        self.is_text |= is_text;
        if self.id.is_empty() {
            self.id = id;
        }
        match name.strip_prefix(&*self.name) {
            // The first piece, or the name so far.
            Some(_) => self.name = name,
            None if continues_name => self.name.push_str(&name),
            None => {}
        }
        Ok(())
    }

    /// Returns the whole call.
    pub(super) fn json(mut self) -> Result<Box<RawValue>, WireError> {
        for (key, _) in DETAILS.iter().filter(|_| self.has_name_pieces) {
            if let Some(details) = self.entries.get_mut(*key)
                && let Some(entries) = details.entries()?
            {
                entries.insert("name".to_owned(), Joined::text(&self.name));
            }
        }
        Ok(object(&self.entries))
    }
}
