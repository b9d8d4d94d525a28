//! What is sent back of a content of the model.
//!
//! Source: `Content` and `Part` in the API's reference, and what the API has refused in public reports, read 2026-11: members that it does
//! not know, and parts without data.

use std::borrow::Cow;

use crate::wire::api::gemini::{IGNORED, METADATA_KEYS, NAME};
use crate::wire::api::sent_back::{Members, Shape, Takes, items, member};
use serde_json::value::RawValue;

const CONTENT: Shape = Shape { members: &[("role", Takes::Word(&["model"])), ("parts", Takes::Any)], also: &[] };
const CALL: Shape = Shape {
    members: &[
        ("id", Takes::NonEmpty),
        ("name", Takes::Name(NAME)),
        ("args", Takes::Optional(&Takes::ArgumentsObject)),
    ],
    also: &[],
};
/// The members with the data of a part. `IGNORED` has the others.
const DATA: &[&str] = &["text", "functionCall", "functionResponse"];
const SIGNATURE: &str = "thoughtSignature";

pub(super) fn messages(messages: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    messages.iter().filter_map(|json| content(json)).collect()
}

/// Returns `None` if there is nothing to send back.
fn content(json: &RawValue) -> Option<Box<RawValue>> {
    let mut content = Members::read(json.get(), &CONTENT)?;
    let sent = items(member(json.get(), "parts")?)?;
    let parts: Vec<Cow<'_, str>> = sent.iter().filter_map(|part| self::part(part.get())).collect();
    if parts.is_empty() {
        return None;
    }
    if parts.len() < sent.len() || parts.iter().any(|part| matches!(part, Cow::Owned(_))) {
        content.set("parts", format!("[{}]", parts.join(",")).into());
    }
    Some(content.message())
}

/// Returns `None` if a part says nothing. A part with a signature stays, even if its text is empty.
fn part(json: &str) -> Option<Cow<'_, str>> {
    const ALL: Shape = Shape { members: &[("functionCall", Takes::Object(&CALL))], also: &[""] };
    let mut part = Members::read(json, &ALL)?;
    let is_data = |key: &str| DATA.contains(&key) || IGNORED.contains(&key);
    let has_data = part.keys().any(|key| is_data(key) && (key != "text" || !part.is_blank("text")));
    if has_data {
        part.retain(|key| is_data(key) || METADATA_KEYS.contains(&key));
    } else if !part.is_blank(SIGNATURE) {
        part.retain(|key| ["text", "thought", SIGNATURE].contains(&key));
        if part.get("text").is_none() {
            part.set("text", Cow::Borrowed("\"\""));
        }
    } else if part.keys().all(|key| key == "text" || METADATA_KEYS.contains(&key)) {
        return None;
    }
    Some(part.end())
}
