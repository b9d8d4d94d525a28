//! Writing JSON texts that contain other JSON texts.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use crate::text::json;
use serde_json::value::RawValue;

/// Wraps JSON text that this crate has written.
pub(super) fn raw_json(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub(super) fn list<T: Borrow<RawValue>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(|item| item.borrow().get()).collect();
    format!("[{}]", items.join(","))
}

pub(super) fn object(entries: &BTreeMap<String, Box<RawValue>>) -> String {
    let mut out = String::new();
    for (key, value) in entries {
        out.push(if out.is_empty() { '{' } else { ',' });
        json::push_string(&mut out, key);
        out.push(':');
        out.push_str(value.get());
    }
    out.push_str(if out.is_empty() { "{}" } else { "}" });
    out
}

/// Returns the JSON of a response, to embed in other JSON. A hook may have written a text that is not JSON: it becomes a string.
pub(super) fn value(json: &str) -> Cow<'_, str> {
    if serde_json::from_str::<&RawValue>(json).is_ok() {
        return json.trim().into();
    }
    let mut text = String::new();
    json::push_string(&mut text, json);
    text.into()
}
