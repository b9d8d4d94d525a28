//! Where repaired values come from: follows a path in the arguments as the model sent them and in the repaired ones at the same time.
//!
//! A path of the repaired arguments can differ from what the model sent: an array was made from a single value, an object was
//! read from a string, a key was spelled in another way. Errors and reports name the place in what the model sent. A path
//! continues inside a string that contains JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::reader::Reader;
use super::rules::RepairRule;
use crate::data::name::may_be_alias;
use crate::data::table::Table;
use crate::text::names::same_name;

/// What a repaired array or object was made from.
pub(super) enum Origin {
    /// The value that was sent.
    Same,
    /// The content of the string that was sent.
    Opened(Value, RepairRule),
    /// The value that was sent is the only item.
    Wrapped,
}

/// A step of a path in the repaired arguments.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    Key(&'p str),
    Index(usize),
}

/// A place in what the model sent.
pub(super) struct SentValue<'v> {
    pub(super) pointer: String,
    /// The value that was sent there, or `None` if there is none.
    pub(super) sent: Option<Cow<'v, Value>>,
    /// The number of steps before the value was made the only item of an array, if nothing but that leads to the place.
    pub(super) wrapped_at: Option<usize>,
}

impl Reader<'_> {
    /// Returns what `repaired` was made from, if it is an array or object.
    pub(super) fn origin(&self, sent: &Value, repaired: &Value) -> Origin {
        match (sent, repaired) {
            (Value::Array(_), _) | (Value::Object(_), Value::Object(_)) => Origin::Same,
            (_, Value::Array(items)) if items.len() == 1 && items[0] == *sent => Origin::Wrapped,
            (Value::String(text), Value::Array(_) | Value::Object(_)) => match self.opened(text) {
                Some((value, rule)) if value.is_array() == repaired.is_array() => Origin::Opened(value, rule),
                _ if repaired.is_array() => Origin::Wrapped,
                _ => Origin::Same,
            },
            (_, Value::Array(_)) => Origin::Wrapped,
            _ => Origin::Same,
        }
    }

    /// Returns the place in `sent` of the value at `path` in `repaired`.
    pub(super) fn place<'v>(&self, path: &[Step<'_>], sent: &'v Value, repaired: &Value) -> SentValue<'v> {
        let mut place = SentValue { pointer: String::new(), sent: Some(Cow::Borrowed(sent)), wrapped_at: None };
        let mut repaired = Some(repaired);
        // One more round than steps, for the value at the end of the path.
        for index in 0..=path.len() {
            if let (Some(sent), Some(now)) = (&place.sent, repaired) {
                match self.origin(sent, now) {
                    Origin::Same => {}
                    Origin::Opened(value, _) => place.sent = Some(Cow::Owned(value)),
                    Origin::Wrapped => {
                        place.wrapped_at = place.wrapped_at.or(Some(index));
                        repaired = now.get(0);
                        continue;
                    }
                }
            }
            let Some(step) = path.get(index) else { break };
            place.wrapped_at = None;
            match *step {
                Step::Index(index) => {
                    place.pointer += &format!("/{index}");
                    place.sent = place.sent.and_then(|sent| child(sent, |value| value.get(index)));
                    repaired = repaired.and_then(|value| value.get(index));
                }
                Step::Key(key) => {
                    let maps = (place.sent.as_deref().and_then(Value::as_object), repaired.and_then(Value::as_object));
                    let sent_key = match maps {
                        (Some(sent), Some(repaired)) => {
                            sent_key(self.table, key, sent, repaired).unwrap_or(key).to_owned()
                        }
                        _ => key.to_owned(),
                    };
                    push_key(&mut place.pointer, &sent_key);
                    place.sent = place.sent.and_then(|sent| child(sent, |value| value.get(&sent_key)));
                    repaired = repaired.and_then(|value| value.get(key));
                }
            }
        }
        place
    }
}

/// Returns the key by which the model sent the property `key` of a repaired object.
pub(super) fn sent_key<'k>(
    table: &Table,
    key: &'k str,
    sent: &'k Map<String, Value>,
    repaired: &Map<String, Value>,
) -> Option<&'k str> {
    if sent.contains_key(key) {
        return Some(key);
    }
    if !repaired.contains_key(key) {
        return None;
    }
    sent.keys().find(|other| is_renamed(table, other, key, repaired)).map(String::as_str)
}

/// Returns whether the name `key` replaces the key `sent` in a repaired object.
pub(super) fn is_renamed(table: &Table, sent: &str, key: &str, repaired: &Map<String, Value>) -> bool {
    !repaired.contains_key(sent) && (same_name(sent, key) || may_be_alias(sent, key) || table.has_alias(key, sent))
}

/// Appends a key to a JSON pointer.
pub(super) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&key[..key.floor_char_boundary(200)].replace('~', "~0").replace('/', "~1"));
}

fn child<'v>(value: Cow<'v, Value>, get: impl for<'a> Fn(&'a Value) -> Option<&'a Value>) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => get(value).map(Cow::Borrowed),
        Cow::Owned(value) => get(&value).cloned().map(Cow::Owned),
    }
}
