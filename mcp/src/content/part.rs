//! Reads parts of a result that lack something, or have it in another form: what is in them is kept.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};

use super::shorten_for_note;

/// Members of a part that are for display or for programs. If they cannot be read, the part is read without them.
const OPTIONAL: [&str; 8] =
    ["annotations", "_meta", "icons", "title", "description", "mimeType", "size", "lastModified"];

/// The address of a resource for which the server names none.
const UNNAMED: &str = "unnamed:";

/// Returns a part in the form of the protocol. A note takes the place of one that cannot be read.
pub(super) fn readable(part: Value) -> Value {
    let Some(error) = problem(&part) else { return part };
    if let Value::String(text) = &part {
        return json!({ "type": "text", "text": text });
    }
    let kind = part.get("type").and_then(Value::as_str).map(str::to_owned);
    if let Value::Object(members) = part
        && let Some(read) = completed(members)
    {
        return read;
    }
    let reason = shorten_for_note(&error);
    let note = match kind {
        Some(kind) => format!("[content of the type {:?} is left out: {reason}]", shorten_for_note(&kind)),
        None => format!("[content without a type is left out: {reason}]"),
    };
    json!({ "type": "text", "text": note })
}

/// Returns why a part does not have the form of the protocol.
fn problem(part: &Value) -> Option<String> {
    serde_json::from_value::<ContentBlock>(part.clone()).err().map(|error| error.to_string())
}

/// Returns a part with what the protocol requires, if its content is there.
fn completed(mut members: Map<String, Value>) -> Option<Value> {
    let kind = kind(&members)?;
    members.insert("type".to_owned(), kind.into());
    match kind {
        "text" => {
            let text = members.remove("text").map(text);
            members.insert("text".to_owned(), text?.into());
        }
        "image" | "audio" => {
            if !members.get("mimeType").is_some_and(Value::is_string) {
                members.insert("mimeType".to_owned(), "".into());
            }
        }
        "resource_link" => {
            let text = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned);
            let (uri, name) = (text("uri"), text("name").or_else(|| text("title")));
            let name = name.or_else(|| uri.clone()).or_else(|| text("description"))?;
            members.insert("name".to_owned(), name.into());
            members.insert("uri".to_owned(), uri.unwrap_or_else(|| UNNAMED.to_owned()).into());
        }
        _ => {
            let inner = match members.remove("resource") {
                Some(Value::Object(inner)) => inner,
                // Some servers write the members of the resource into the part, or its text in its place.
                other => {
                    let mut inner = members.clone();
                    if let Some(content) = other.filter(|content| !content.is_null())
                        && !inner.contains_key("text")
                        && !inner.contains_key("blob")
                    {
                        inner.insert("text".to_owned(), content);
                    }
                    inner
                }
            };
            members.insert("resource".to_owned(), resource(inner));
        }
    }
    let part = Value::Object(members);
    if problem(&part).is_none() { Some(part) } else { without_optional(part) }
}

/// Returns a part without the optional members that cannot be read.
fn without_optional(mut part: Value) -> Option<Value> {
    for key in OPTIONAL {
        for place in ["", "/resource"] {
            let Some(members) = part.pointer_mut(place).and_then(Value::as_object_mut) else { continue };
            // Images and sounds require it.
            if key == "mimeType" && members.contains_key("data") {
                continue;
            }
            let Some(removed) = members.remove(key) else { continue };
            if problem(&part).is_none() {
                return Some(part);
            }
            let is_valid_alone = matches!((key, &removed), ("title" | "description" | "mimeType", Value::String(_)));
            if is_valid_alone && let Some(members) = part.pointer_mut(place).and_then(Value::as_object_mut) {
                members.insert(key.to_owned(), removed);
            }
        }
    }
    problem(&part).is_none().then_some(part)
}

/// Returns the type of a part: the declared one, or the one that its members show.
fn kind(members: &Map<String, Value>) -> Option<&'static str> {
    const KINDS: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];
    let has = |key: &str| members.get(key).is_some_and(|value| !value.is_null());
    match members.get("type") {
        Some(Value::String(declared)) => KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(declared)),
        _ if has("text") => Some("text"),
        _ if has("resource") => Some("resource"),
        _ if has("uri") => Some("resource_link"),
        _ => None,
    }
}

/// Returns a resource with an address, and with a text or data.
fn resource(mut members: Map<String, Value>) -> Value {
    members.retain(|key, value| key != "type" && !value.is_null());
    if !members.get("uri").is_some_and(Value::is_string) {
        members.insert("uri".to_owned(), UNNAMED.into());
    }
    match (members.remove("blob"), members.remove("text")) {
        (Some(Value::String(blob)), None) => members.insert("blob".to_owned(), blob.into()),
        (_, Some(content)) => members.insert("text".to_owned(), text(content).into()),
        // A resource without content is a link.
        _ => members.insert("text".to_owned(), "".into()),
    };
    members.into()
}

/// Returns a value as text.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_lacks_something_keeps_its_content() {
        for (part, pointer, content) in [
            (json!({ "type": "text", "text": "a", "annotations": { "priority": "high" } }), "/text", "a"),
            (json!({ "type": "text", "text": "a", "annotations": "none", "_meta": 7 }), "/text", "a"),
            (
                json!({ "type": "text", "text": "a", "annotations": { "audience": "everyone", "priority": 9 } }),
                "/text",
                "a",
            ),
            (json!({ "type": "text", "text": "a", "annotations": { "lastModified": 7 } }), "/text", "a"),
            (json!({ "type": "text", "text": 7 }), "/text", "7"),
            (json!({ "type": "text", "text": null }), "/text", ""),
            (json!({ "type": "TEXT", "text": "a" }), "/text", "a"),
            (json!({ "text": "a" }), "/text", "a"),
            (json!("a"), "/text", "a"),
            (json!({ "type": "image", "data": "AAAA" }), "/data", "AAAA"),
            (json!({ "type": "image", "data": "AAAA", "mimeType": null, "annotations": 7 }), "/data", "AAAA"),
            (json!({ "type": "audio", "data": "AAAA", "_meta": [] }), "/data", "AAAA"),
            (json!({ "type": "resource_link", "uri": "file:///a" }), "/name", "file:///a"),
            (json!({ "type": "resource_link", "uri": "file:///a", "name": null, "title": "A" }), "/name", "A"),
            (json!({ "type": "resource_link", "uri": "file:///a", "name": "a", "size": -1 }), "/uri", "file:///a"),
            (
                json!({ "type": "resource_link", "uri": "file:///a", "name": "a", "size": 1.5, "icons": "x" }),
                "/uri",
                "file:///a",
            ),
            (
                json!({ "type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": 7, "description": "d" }),
                "/description",
                "d",
            ),
            (json!({ "type": "resource", "resource": { "text": "a" } }), "/resource/text", "a"),
            (
                json!({ "type": "resource", "resource": { "uri": null, "text": { "n": 1 } } }),
                "/resource/text",
                "{\"n\":1}",
            ),
            (json!({ "type": "resource", "resource": { "uri": "m:a" } }), "/resource/uri", "m:a"),
            (
                json!({ "type": "resource", "resource": { "uri": "m:a", "blob": "AAAA", "mimeType": 7 } }),
                "/resource/blob",
                "AAAA",
            ),
            (json!({ "type": "resource", "uri": "m:a", "text": "a" }), "/resource/text", "a"),
            (json!({ "type": "resource", "resource": "plain words" }), "/resource/text", "plain words"),
            (json!({ "type": "resource", "resource": [1] }), "/resource/text", "[1]"),
            (json!({ "type": "resource", "resource": "m:a", "text": "a" }), "/resource/text", "a"),
            (json!({ "type": "resource_link", "name": "a" }), "/name", "a"),
            (json!({ "type": "resource_link", "uri": null, "title": "A" }), "/name", "A"),
            (json!({ "type": "resource_link", "description": "d" }), "/description", "d"),
        ] {
            let read = readable(part.clone());
            assert_eq!(problem(&read), None, "{part}: {read}");
            assert_eq!(read.pointer(pointer).and_then(Value::as_str), Some(content), "{part}: {read}");
        }
    }

    #[test]
    fn a_part_without_content_becomes_a_note() {
        for part in [
            json!({ "type": "image" }),
            json!({ "type": "video", "data": "AAAA" }),
            json!(7),
            json!({}),
            json!({ "type": "resource_link" }),
        ] {
            let read = readable(part.clone());
            assert!(read["text"].as_str().is_some_and(|text| text.contains("is left out")), "{part}: {read}");
        }
    }
}
