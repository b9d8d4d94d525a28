//! Arguments that a stream sends in events of their own. Some servers omit them in the item of the call, and in the last event.

use std::collections::BTreeMap;

use crate::text::json;
use crate::wire::WireError;
use crate::wire::api::edits::{Edits, ValuePlace};
use crate::wire::node::{MAX_ITEMS, Node, Object};
use serde_json::value::RawValue;

/// The types of calls with arguments, and the key of these.
const KEYS: [(&str, &str); 2] = [("function_call", "arguments"), ("custom_tool_call", "input")];
/// The beginnings of the types of the events with arguments.
const EVENTS: [&str; 2] = ["response.function_call_arguments.", "response.custom_tool_call_input."];

/// The arguments so far, by the index of the item.
#[derive(Debug, Default)]
pub(super) struct Arguments(BTreeMap<u64, String>);

/// Returns whether an event of this type has arguments.
pub(super) fn is_event(kind: &str) -> bool {
    EVENTS.iter().any(|begin| kind.starts_with(begin))
}

impl Arguments {
    /// Adds the arguments in an event: the next piece, or all of them.
    pub(super) fn push(&mut self, kind: &str, event: &Object<'_>) -> Result<(), WireError> {
        let Some(index) = event.get("output_index").and_then(|index| index.number().ok()) else { return Ok(()) };
        if self.0.len() == MAX_ITEMS && !self.0.contains_key(&index) {
            return Ok(());
        }
        let known = self.0.entry(index).or_default();
        if kind.rsplit('.').next() == Some("delta") {
            known.push_str(&event.optional_text("delta")?.unwrap_or_default());
        } else if kind.rsplit('.').next() == Some("done") {
            for (_, key) in KEYS {
                if let Some(all) = event.get(key).and_then(|all| all.text().ok()).filter(|all| !all.trim().is_empty()) {
                    *known = all;
                }
            }
        }
        Ok(())
    }

    /// Sets the arguments in `items`, and returns the `output` of the last event with the arguments that it omits.
    pub(super) fn fill(
        &self,
        output: &[Node<'_>],
        items: &mut BTreeMap<u64, Box<RawValue>>,
    ) -> Result<Vec<Box<RawValue>>, WireError> {
        for (index, item) in items.iter_mut() {
            let node = Node { json: item, path: String::new() };
            if let Some(text) = self.0.get(index)
                && let Some(filled) = filled(&node, text)?
            {
                *item = filled;
            }
        }
        let mut all = Vec::with_capacity(output.len());
        for (at, node) in output.iter().enumerate() {
            let index = at as u64;
            let known = match items.get(&index) {
                Some(item) => same_call(node, &Node { json: item, path: String::new() })?,
                None => self.0.get(&index).cloned(),
            };
            let whole = known.map(|text| filled(node, &text)).transpose()?.flatten();
            all.push(whole.unwrap_or_else(|| node.json.to_owned()));
        }
        Ok(all)
    }
}

/// Returns the arguments of `item` if it is the same call as `node`.
fn same_call(node: &Node<'_>, item: &Node<'_>) -> Result<Option<String>, WireError> {
    let (node, item) = (node.object()?, item.object()?);
    for key in ["type", "name", "call_id"] {
        if node.id(key) != item.id(key) {
            return Ok(None);
        }
    }
    let Some(key) = key(&item)? else { return Ok(None) };
    Ok(item.get(key).and_then(|arguments| arguments.text().ok()))
}

/// Returns the item with these arguments, if it is a call that has none.
fn filled(node: &Node<'_>, text: &str) -> Result<Option<Box<RawValue>>, WireError> {
    let object = node.object()?;
    let Some(key) = key(&object)? else { return Ok(None) };
    let is_blank = match object.get(key) {
        Some(sent) => sent.text().is_ok_and(|sent| sent.trim().is_empty()),
        None => true,
    };
    if !is_blank || text.trim().is_empty() {
        return Ok(None);
    }
    let (mut edits, mut value) = (Edits::default(), String::new());
    json::push_string(&mut value, text);
    edits.set_json(&ValuePlace { node, object: &object, key }, &value);
    Ok(Some(edits.apply(node.json)))
}

/// Returns the key of the arguments of an item, if it is a call.
fn key(item: &Object<'_>) -> Result<Option<&'static str>, WireError> {
    let kind = item.optional_text("type")?.unwrap_or_default();
    Ok(KEYS.iter().find(|(known, _)| *known == kind).map(|(_, key)| *key))
}
