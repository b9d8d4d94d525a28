//! Arguments that a stream sends in events of their own. Some servers omit them in the item of the call, and in the last event.

use crate::text::json;
use crate::wire::WireError;
use crate::wire::api::edits::{Edits, ValuePlace};
use crate::wire::node::{Node, Object};
use serde_json::value::RawValue;

/// The types of calls with arguments, the key of these, and the beginning of the types of the events with them.
const CALLS: [(&str, &str, &str); 2] = [
    ("function_call", "arguments", "response.function_call_arguments."),
    ("custom_tool_call", "input", "response.custom_tool_call_input."),
];

/// What an event sends of the arguments.
pub(super) enum Piece {
    Next(String),
    Whole(String),
}

impl Piece {
    /// Returns the type of the call, and the arguments in an event. Returns `None` if it has none.
    pub(super) fn read(kind: &str, event: &Object<'_>) -> Result<Option<(&'static str, Self)>, WireError> {
        let Some((call, _, begin)) = CALLS.iter().find(|(_, _, begin)| kind.starts_with(begin)) else {
            return Ok(None);
        };
        let piece = match &kind[begin.len()..] {
            "delta" => event.optional_text("delta")?.map(Self::Next),
            "done" => CALLS.iter().find_map(|(_, key, _)| {
                let whole = event.get(key)?.text().ok()?;
                (!whole.trim().is_empty()).then_some(Self::Whole(whole))
            }),
            _ => None,
        };
        Ok(piece.map(|piece| (*call, piece)))
    }
}

/// Returns whether an event of this type has arguments.
pub(super) fn is_event(kind: &str) -> bool {
    CALLS.iter().any(|(_, _, begin)| kind.starts_with(begin))
}

/// Returns whether items of this type are calls with arguments.
pub(super) fn is_call(kind: &str) -> bool {
    CALLS.iter().any(|(call, ..)| *call == kind)
}

/// Returns the arguments in an item, if it is a call.
pub(super) fn arguments_of(item: &RawValue) -> Result<Option<String>, WireError> {
    let item = Node { json: item, path: String::new() }.object()?;
    let Some(key) = key(&item)? else { return Ok(None) };
    Ok(item.get(key).and_then(|arguments| arguments.text().ok()))
}

/// Returns the item with these arguments, if it is a call that has none.
pub(super) fn filled(node: &Node<'_>, text: &str) -> Result<Option<Box<RawValue>>, WireError> {
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
    Ok(CALLS.iter().find(|(call, ..)| *call == kind).map(|(_, key, _)| *key))
}
