//! Calls in several parts: some servers send the name first, and the arguments in a part without a name.

use std::collections::BTreeMap;

use crate::wire::WireError;
use crate::wire::node::{Node, Object};
use crate::wire::write::{object, raw_json};
use serde_json::value::RawValue;

type Entries = BTreeMap<String, Box<RawValue>>;

/// The key of a call in a part.
const CALL: &str = "functionCall";

/// Returns parts in which each call is whole, or `None` if they are so already.
pub(super) fn joined(parts: &[Node<'_>]) -> Result<Option<Vec<Box<RawValue>>>, WireError> {
    let (mut all, mut has_changed) = (Vec::<Box<RawValue>>::with_capacity(parts.len()), false);
    for part in parts {
        let whole = all.last().map(|before| continued(before, part)).transpose()?.flatten();
        match (whole, all.last_mut()) {
            (Some(whole), Some(before)) => {
                *before = whole;
                has_changed = true;
            }
            _ => all.push(part.json.to_owned()),
        }
    }
    Ok(has_changed.then_some(all))
}

/// Returns `before` with the part that continues its call, or `None` if the part does not continue it.
pub(super) fn continued(before: &RawValue, part: &Node<'_>) -> Result<Option<Box<RawValue>>, WireError> {
    let part = part.object()?;
    let Some(new) = part.get(CALL).map(|call| call.object()).transpose()? else { return Ok(None) };
    let before = Node { json: before, path: String::new() }.object()?;
    let Some(call) = before.get(CALL).map(|call| call.object()).transpose()? else { return Ok(None) };
    let text = |object: &Object<'_>, key| object.optional_text(key).map(Option::unwrap_or_default);
    let ids = [call.id("id"), new.id("id")];
    let has_other_id = ids.iter().all(|id| !id.is_empty()) && ids[0] != ids[1];
    if has_other_id || !text(&new, "name")?.is_empty() {
        return Ok(None);
    }
    let [before_arguments, arguments] = [call.arguments("args")?, new.arguments("args")?];
    let mut entries = owned(&call);
    entries.retain(|_, json| json.get() != "null");
    for (key, json) in owned(&new) {
        if key != "name" {
            entries.entry(key).or_insert(json);
        }
    }
    entries.insert("args".to_owned(), raw_json(merged(&before_arguments, &arguments)));
    let mut all = owned(&before);
    for (key, json) in owned(&part) {
        all.entry(key).or_insert(json);
    }
    all.insert(CALL.to_owned(), raw_json(object(&entries)));
    Ok(Some(raw_json(object(&all))))
}

/// Returns the arguments of two parts. Arguments that are not an object count as a whole.
fn merged(before: &str, new: &str) -> String {
    let entries = |json: &str| Node::root(json, "").and_then(|node| node.object()).map(|object| owned(&object));
    match (entries(before), entries(new)) {
        (Ok(mut all), Ok(new)) => {
            all.extend(new);
            object(&all)
        }
        (_, Ok(new)) if !new.is_empty() => object(&new),
        (Ok(before), Err(_)) if before.is_empty() => json_or_text(new),
        _ => json_or_text(before),
    }
}

/// Returns a text as JSON: as it is, or as a string.
fn json_or_text(text: &str) -> String {
    crate::wire::write::value(text).into_owned()
}

fn owned(object: &Object<'_>) -> Entries {
    object.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect()
}
