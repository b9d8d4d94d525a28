//! What is sent back of a message of the model.
//!
//! Source: `BetaContentBlockParam` of the SDK (2.14), and what the API has refused in public reports, read 2026-11.

use std::borrow::Cow;

use crate::wire::api::sent_back::{Members, NameRule, Part, Shape, Takes, items, member, part};
use crate::wire::node::unescaped;
use serde_json::value::RawValue;

const MESSAGE: Shape = Shape { members: &[("role", Takes::Word(&["assistant"])), ("content", Takes::Any)], also: &[] };

const BLOCKS: &[Part] = &[
    Part {
        kind: "text",
        needs: &["text"],
        shape: Shape {
            members: &[("type", Takes::Any), ("text", Takes::Any), ("citations", Takes::NonEmpty)],
            also: &[],
        },
    },
    // Servers other than Anthropic's may send no signature, but want one.
    Part {
        kind: "thinking",
        needs: &["thinking", "signature"],
        shape: Shape {
            members: &[("type", Takes::Any), ("thinking", Takes::Or("\"\"")), ("signature", Takes::Or("\"\""))],
            also: &[],
        },
    },
    Part {
        kind: "redacted_thinking",
        needs: &["data"],
        shape: Shape { members: &[("type", Takes::Any), ("data", Takes::Any)], also: &[] },
    },
    Part {
        kind: "tool_use",
        needs: &["name"],
        shape: Shape {
            members: &[
                ("type", Takes::Any),
                ("id", Takes::Any),
                ("name", Takes::Name(NameRule { characters: "", max_length: 128 })),
                ("input", Takes::ArgumentsObject),
                ("toolset_name", Takes::NonEmpty),
                // A direct call is the default, and not every server knows the member.
                ("caller", Takes::Unless("\"direct\"")),
            ],
            also: &[],
        },
    },
];

pub(super) fn messages(messages: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    messages.iter().filter_map(|json| message(json)).collect()
}

/// Returns `None` if there is nothing to send back.
fn message(json: &RawValue) -> Option<Box<RawValue>> {
    let mut message = Members::read(json.get(), &MESSAGE)?;
    let content = items(member(json.get(), "content")?)?;
    let mut blocks: Vec<Cow<'_, str>> = content.iter().filter_map(|block| part(block.get(), BLOCKS)).collect();
    // The last block may not be thinking.
    while blocks.last().is_some_and(|block| is_thinking(block)) {
        blocks.pop();
    }
    if blocks.is_empty() {
        return None;
    }
    if blocks.len() < content.len() || blocks.iter().any(|block| matches!(block, Cow::Owned(_))) {
        message.set("content", format!("[{}]", blocks.join(",")).into());
    }
    Some(message.message())
}

fn is_thinking(block: &str) -> bool {
    let kind = member(block, "type").and_then(unescaped);
    matches!(kind.as_deref(), Some("thinking" | "redacted_thinking"))
}
