//! What is sent back of the items of a response.
//!
//! Source: `InputItem` in the API's published description, and what OpenAI and other servers have refused in public reports, read 2026-11.

use std::collections::HashSet;

use crate::wire::api::sent_back::{Members, NameRule, Part, Shape, Takes, is_empty, member};
use crate::wire::node::unescaped;
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

const STATUS: Takes = Takes::Word(&["completed", "incomplete", "in_progress"]);
const NAME: NameRule = NameRule { characters: "", max_length: 64 };

const OUTPUT_TEXT: Part = Part {
    kind: "output_text",
    needs: &["text"],
    shape: Shape {
        members: &[("type", Takes::Any), ("text", Takes::Any), ("annotations", Takes::Or("[]"))],
        also: &[],
    },
};
const REFUSAL: Part = Part {
    kind: "refusal",
    needs: &["refusal"],
    shape: Shape { members: &[("type", Takes::Any), ("refusal", Takes::Any)], also: &[] },
};
/// The members of a call, apart from its arguments.
macro_rules! call_with {
    ($($arguments:expr),+) => {
        Shape {
            members: &[
                ("type", Takes::Any),
                ("id", Takes::NonEmpty),
                ("call_id", Takes::Any),
                ("name", Takes::Name(NAME)),
                $($arguments,)+
                ("status", Takes::Optional(&STATUS)),
                ("namespace", Takes::NonEmpty),
                ("caller", Takes::Any),
                ("async", Takes::Any),
            ],
            also: &[],
        }
    };
}

const ITEMS: &[Part] = &[
    Part {
        kind: "message",
        needs: &["content"],
        shape: Shape {
            members: &[
                ("type", Takes::Any),
                ("id", Takes::NonEmpty),
                ("role", Takes::Word(&["assistant"])),
                ("status", Takes::Optional(&STATUS)),
                ("phase", Takes::NonEmpty),
                ("content", Takes::Parts(&[OUTPUT_TEXT, REFUSAL])),
            ],
            also: &[],
        },
    },
    Part { kind: "function_call", needs: &["name"], shape: call_with!(("arguments", Takes::ArgumentsText)) },
    Part { kind: "custom_tool_call", needs: &["name"], shape: call_with!(("input", Takes::Or("\"\""))) },
    // The server has stored nothing, so reasoning is only known by its content.
    Part {
        kind: "reasoning",
        needs: &["encrypted_content", "content"],
        shape: Shape {
            members: &[
                ("type", Takes::Any),
                ("id", Takes::NonEmpty),
                ("summary", Takes::Or("[]")),
                ("content", Takes::NonEmpty),
                ("encrypted_content", Takes::NonEmpty),
            ],
            also: &[],
        },
    },
];

pub(super) fn messages(items: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    let is_reasoning = |item: &RawValue| kind(item) == "reasoning";
    // Reasoning belongs to the item after it.
    let end = items.iter().rposition(|item| !is_reasoning(item)).map_or(0, |last| last + 1);
    let (mut all, mut ids) = (Vec::with_capacity(end), HashSet::new());
    // Without their reasoning, the server refuses items that it knows by their ids.
    let mut are_known = true;
    for item in &items[..end] {
        let Some(taken) = crate::wire::api::sent_back::part(item.get(), ITEMS) else {
            are_known &= !is_reasoning(item);
            continue;
        };
        let id = member(&taken, "id").filter(|id| !is_empty(id)).map(str::to_owned);
        let is_used = id.is_some_and(|id| !ids.insert(id));
        let has_own_id = ["message", "function_call", "custom_tool_call"].contains(&&*kind(item));
        all.push(if has_own_id && (is_used || !are_known) { without_id(&taken) } else { raw_json(taken.into_owned()) });
    }
    all
}

fn kind(item: &RawValue) -> String {
    member(item.get(), "type").and_then(unescaped).unwrap_or_default()
}

fn without_id(item: &str) -> Box<RawValue> {
    const ALL: Shape = Shape { members: &[], also: &[""] };
    let Some(mut members) = Members::read(item, &ALL) else { return raw_json(item.to_owned()) };
    members.remove("id");
    members.message()
}
