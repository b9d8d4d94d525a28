//! Calls in several parts: some servers send the name first, and the arguments in a part without a name, possibly after thoughts, signatures
//! or other calls.

use std::collections::BTreeMap;

use crate::wire::WireError;
use crate::wire::node::{Node, Object};
use crate::wire::write::{object, raw_json};
use serde_json::value::RawValue;

type Entries = BTreeMap<String, Box<RawValue>>;

/// The key of a call in a part.
const CALL: &str = "functionCall";
/// The number of parts before one without a name among which its call is searched.
pub(super) const MAX_PARTS_BETWEEN: usize = 1024;

/// A part as the server has sent it, with those that continue its call.
#[derive(Debug)]
pub(super) struct Whole {
    json: Box<RawValue>,
    call: Option<Call>,
}

/// What tells which part continues a call.
#[derive(Debug)]
struct Call {
    id: String,
    has_name: bool,
    arguments: Sent,
    /// Whether another part has continued the call.
    is_continued: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Sent {
    Nothing,
    Empty,
    Some,
}

impl Call {
    fn read(call: &Object<'_>) -> Result<Self, WireError> {
        let arguments = match call.get("args") {
            None => Sent::Nothing,
            Some(_) if call.arguments("args").is_ok_and(|text| is_empty_object(&text)) => Sent::Empty,
            Some(_) => Sent::Some,
        };
        let has_name = call.optional_text("name")?.is_some_and(|name| !name.is_empty());
        Ok(Self { id: call.id("id"), has_name, arguments, is_continued: false })
    }
}

impl Whole {
    pub(super) fn read(part: &Node<'_>) -> Result<Self, WireError> {
        let call = part.object()?.get(CALL).map(|call| call.object()).transpose()?;
        let call = call.map(|call| Call::read(&call)).transpose()?;
        Ok(Self { json: part.json.to_owned(), call })
    }

    pub(super) fn into_json(self) -> Box<RawValue> {
        self.json
    }

    /// Adds the part to the call of `before` that it continues, or else returns it.
    pub(super) fn continue_one_of<'w>(
        self,
        before: impl Iterator<Item = &'w mut Self>,
    ) -> Result<Option<Self>, WireError> {
        let Some(new) = self.call.as_ref().filter(|new| !new.has_name) else { return Ok(Some(self)) };
        let mut calls: Vec<&mut Self> = before.filter(|whole| whole.call.is_some()).collect();
        let find =
            |is_it: &dyn Fn(&Call) -> bool| calls.iter().position(|whole| whole.call.as_ref().is_some_and(is_it));
        let may_be_same = |call: &Call| call.id.is_empty() || new.id.is_empty() || call.id == new.id;
        let waits = |call: &Call| may_be_same(call) && call.has_name && !call.is_continued;
        let at = find(&|call| !new.id.is_empty() && call.id == new.id)
            .or_else(|| find(&|call| waits(call) && call.arguments == Sent::Nothing))
            .or_else(|| find(&|call| waits(call) && call.arguments == Sent::Empty))
            .or_else(|| calls.len().checked_sub(1).filter(|last| calls[*last].call.as_ref().is_some_and(may_be_same)));
        let Some(whole) = at.and_then(|at| calls.get_mut(at)) else { return Ok(Some(self)) };
        whole.json = joined(&whole.json, &self.json)?;
        if let Some(call) = &mut whole.call {
            call.is_continued = true;
            if call.id.is_empty() {
                call.id.clone_from(&new.id);
            }
        }
        Ok(None)
    }
}

/// Returns parts in which each call is whole, or `None` if they are so already.
pub(super) fn whole_parts(parts: &[Node<'_>]) -> Result<Option<Vec<Box<RawValue>>>, WireError> {
    let mut all = Vec::<Whole>::with_capacity(parts.len());
    for part in parts {
        let start = all.len().saturating_sub(MAX_PARTS_BETWEEN);
        let new = Whole::read(part)?.continue_one_of(all[start..].iter_mut())?;
        all.extend(new);
    }
    Ok((all.len() < parts.len()).then(|| all.into_iter().map(Whole::into_json).collect()))
}

fn is_empty_object(json: &str) -> bool {
    Node::root(json, "").and_then(|node| node.object()).is_ok_and(|object| object.all().next().is_none())
}

/// Returns `before` with the part that continues its call.
fn joined(before: &RawValue, part: &RawValue) -> Result<Box<RawValue>, WireError> {
    let [before, part] = [before, part].map(|json| Node { json, path: String::new() });
    let (before, part) = (before.object()?, part.object()?);
    let (call, new) = (before.require(CALL, "a call")?.object()?, part.require(CALL, "a call")?.object()?);
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
    Ok(raw_json(object(&all)))
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
