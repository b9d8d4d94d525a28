//! What is sent back of a message of the model.
//!
//! Source: `ChatCompletionRequestAssistantMessage` in the API's published description, and what other servers have refused in public
//! reports, read 2026-11: vLLM, llama.cpp, Ollama, Mistral, DeepSeek, Groq, Cerebras and Moonshot.

use crate::wire::api::sent_back::{Members, NameRule, Part, Shape, Takes, is_empty, items, member, quoted};
use crate::wire::node::unescaped;
use serde_json::value::RawValue;

/// Thinking and signatures, which some servers have in members of their own: without them, they refuse the next request.
const THINKING: &[&str] = &["reasoning", "thinking", "thought", "signature"];

const MESSAGE: Shape = Shape {
    members: &[
        ("role", Takes::Word(&["assistant"])),
        ("content", Takes::Content(&[TEXT, REFUSAL])),
        ("refusal", Takes::NonEmpty),
        ("audio", Takes::Object(&AUDIO)),
        ("tool_calls", Takes::Objects(&CALL)),
    ],
    also: THINKING,
};
const TEXT: Part = Part {
    kind: "text",
    needs: &["text"],
    shape: Shape { members: &[("type", Takes::Any), ("text", Takes::Any)], also: &[] },
};
const REFUSAL: Part = Part {
    kind: "refusal",
    needs: &["refusal"],
    shape: Shape { members: &[("type", Takes::Any), ("refusal", Takes::Any)], also: &[] },
};
/// The server keeps the sound itself.
const AUDIO: Shape = Shape { members: &[("id", Takes::NonEmpty)], also: &[] };
const CALL: Shape = Shape {
    members: &[
        ("id", Takes::Any),
        ("type", Takes::Word(&["function", "custom"])),
        ("function", Takes::Object(&FUNCTION)),
        ("custom", Takes::Object(&CUSTOM)),
    ],
    also: OF_CALLS,
};
/// Members of calls in which gateways keep the signatures of other APIs.
const OF_CALLS: &[&str] = &["extra_content", "provider_specific", "thought", "signature"];
const NAME: NameRule = NameRule { characters: "", max_length: 64 };
const FUNCTION: Shape =
    Shape { members: &[("name", Takes::Name(NAME)), ("arguments", Takes::ArgumentsText)], also: OF_CALLS };
const CUSTOM: Shape = Shape { members: &[("name", Takes::Name(NAME)), ("input", Takes::Or("\"\""))], also: &[] };

pub(super) fn messages(messages: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    messages.iter().filter_map(|json| message(json)).collect()
}

/// Returns `None` if there is nothing to send back.
fn message(json: &RawValue) -> Option<Box<RawValue>> {
    let mut message = Members::read(json.get(), &MESSAGE)?;
    if message.get("audio").is_some_and(is_empty) {
        message.remove("audio");
    }
    let refusal = message.remove("refusal").and_then(|refusal| unescaped(&refusal)).unwrap_or_default();
    // Few servers take a refusal, and some take no list.
    let content = message.get("content").unwrap_or("null");
    if let Some(text) = text(content)
        && (content.starts_with('[') || !refusal.is_empty())
    {
        message.set("content", quoted(&(text + &refusal)).into());
    }
    let has_more = ["tool_calls", "audio"].iter().any(|key| message.get(key).is_some());
    (has_more || message.get("content") != Some("null")).then(|| message.message())
}

/// Returns the text of a content, or `None` if it has other parts.
fn text(content: &str) -> Option<String> {
    if !content.starts_with('[') {
        return Some(unescaped(content).unwrap_or_default());
    }
    let part = |part: &&RawValue| {
        let kind = unescaped(member(part.get(), "type")?)?;
        let text = ["text", "refusal"].contains(&&*kind).then(|| member(part.get(), &kind)).flatten()?;
        unescaped(text)
    };
    items(content)?.iter().map(part).collect()
}
