//! Anthropic's Messages.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::Dialect;
use toolc::wire;

use super::{Header, IsDefined, Record, Removals, raw, to_json, variables};
use crate::error::{ErrorKind, Refusal};
use crate::request::{ModelParameters, Request};

pub(super) const API: Record = Record {
    word: "anthropic",
    about: "The Messages API of Anthropic.",
    base_url: "https://api.anthropic.com",
    key_variable: "ANTHROPIC_API_KEY",
    address_variables: variables::ANTHROPIC,
    dialect: Dialect::Anthropic,
    wire: wire::Api::Anthropic,
    path: |_| "/v1/messages".to_owned(),
    models_path: |most| format!("/v1/models?limit={most}"),
    key_header: |key| ("x-api-key", key.to_owned()),
    headers,
    body,
    user_message: |text| json!({ "role": "user", "content": text }),
    text_part: |text| json!({ "type": "text", "text": text }),
    image_part: |image, data| json!({ "type": "image", "source": { "type": "base64", "media_type": image.media_type(), "data": data } }),
    takes_gif: true,
    assistant_message: |text| json!({ "role": "assistant", "content": text }),
    refusals: &[
        // The setting that the guide to preserved thinking names (read on 2026-11-27), and the texts of older models.
        Refusal { kind: ErrorKind::StaleThinking, text: "block_binding.prefix_mismatch_behavior" },
        Refusal { kind: ErrorKind::StaleThinking, text: "blocks in the latest assistant message cannot be modified" },
        Refusal { kind: ErrorKind::StaleThinking, text: "Invalid `signature` in `thinking` block" },
        // A reference to a tool that the request does not define (anthropics/claude-code#81863, of 2026-07).
        Refusal { kind: ErrorKind::UndefinedTool, text: "not found in available tools" },
    ],
    removals: Some(Removals {
        thinking_word: "thinking",
        thinking: without_thinking,
        tool_references: Some(remove_tool_references),
    }),
};

/// The version of the API.
const VERSION: &str = "2023-06-01";
/// The output limit if the settings have none. The API requires one.
const OUTPUT_TOKENS: u32 = 16_384;

fn headers(betas: &[&str]) -> Vec<Header> {
    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    headers
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Value; 1]>,
    messages: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
}

fn body(model: &ModelParameters<'_>, request: &Request<'_>) -> serde_json::Result<String> {
    let Request { system, messages, tools, tool_choice, container, .. } = *request;
    let system = (!system.is_empty())
        .then(|| [json!({ "type": "text", "text": system, "cache_control": { "type": "ephemeral" } })]);
    to_json(&Body {
        model: model.name,
        stream: true,
        max_tokens: model.max_output_tokens.unwrap_or(OUTPUT_TOKENS),
        system,
        messages: &with_cache_mark(messages),
        tools,
        tool_choice,
        container,
    })
}

/// Marks the last message, so that the conversation is cached up to its end. A message of the model is not marked.
fn with_cache_mark(messages: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    let mut messages = messages.to_vec();
    if let Some(last) = messages.last_mut()
        && let Ok(mut message) = serde_json::from_str::<Value>(last.get())
        && message["role"] != "assistant"
    {
        if let Value::String(text) = &message["content"] {
            message["content"] = json!([{ "type": "text", "text": text }]);
        }
        if let Some(block) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
            block["cache_control"] = json!({ "type": "ephemeral" });
            *last = raw(&message);
        }
    }
    messages
}

/// Removes the thinking of the model.
fn without_thinking(mut message: Value) -> Option<Value> {
    let Some(blocks) = message["content"].as_array_mut() else { return Some(message) };
    blocks.retain(|block| !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking")));
    (!blocks.is_empty()).then_some(message)
}

/// Removes references to tools that are not defined, which results of tool search contain.
fn remove_tool_references(message: &mut Value, is_defined: IsDefined<'_>) {
    for block in message["content"].as_array_mut().into_iter().flatten() {
        match block["type"].as_str() {
            Some("tool_search_tool_result") => remove_references(&mut block["content"], is_defined),
            Some("tool_result") => replace_references(&mut block["content"], is_defined),
            _ => {}
        }
    }
}

/// Returns the tool that a block refers to, if it is not defined.
fn undefined<'b>(block: &'b Value, is_defined: IsDefined<'_>) -> Option<&'b str> {
    let name = block["tool_name"].as_str().filter(|_| block["type"] == "tool_reference")?;
    (!is_defined(name)).then_some(name)
}

/// Removes references from the result of the vendor's search, which may be empty.
fn remove_references(result: &mut Value, is_defined: IsDefined<'_>) {
    if let Some(references) = result["tool_references"].as_array_mut() {
        references.retain(|block| undefined(block, is_defined).is_none());
    }
}

/// Replaces references in the result of a search that a host runs.
fn replace_references(result: &mut Value, is_defined: IsDefined<'_>) {
    for block in result.as_array_mut().into_iter().flatten() {
        if let Some(name) = undefined(block, is_defined) {
            *block = json!({ "type": "text", "text": format!("The tool `{name}` is no longer available.") });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Api, assistant_message, user_message};
    use super::*;

    #[test]
    fn the_last_message_of_the_user_is_marked_for_the_cache() {
        let messages = [user_message(Api::Anthropic, "a"), user_message(Api::Anthropic, "b")];
        let marked = with_cache_mark(&messages);
        assert_eq!(marked[0].get(), messages[0].get());
        let expected = json!({"role": "user", "content": [
            {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}}
        ]});
        assert_eq!(serde_json::from_str::<Value>(marked[1].get()).unwrap(), expected);
        let answer = [assistant_message(Api::Anthropic, "b")];
        assert_eq!(with_cache_mark(&answer)[0].get(), answer[0].get());
    }
}
