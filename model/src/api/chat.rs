//! OpenAI's Chat Completions, which most other servers implement.

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolc::wire;
use toolc::{Dialect, Image};

use super::{Record, Removals, raw, to_json, variables};
use crate::error::{ErrorKind, Refusal};
use crate::request::{ModelParameters, Request};

pub(super) const API: Record = Record {
    word: "chat",
    about: "Chat Completions of OpenAI, which many other servers have.",
    base_url: "https://api.openai.com/v1",
    key_variable: "OPENAI_API_KEY",
    address_variables: variables::OPENAI,
    dialect: Dialect::OpenAi,
    wire: wire::Api::ChatCompletions,
    path: |_| "/chat/completions".to_owned(),
    models_path: |_| "/models".to_owned(),
    key_header: |key| ("authorization", format!("Bearer {key}")),
    headers: |_| Vec::new(),
    body,
    user_message: |text| json!({ "role": "user", "content": text }),
    text_part: |text| json!({ "type": "text", "text": text }),
    image_part: |image, data| json!({ "type": "image_url", "image_url": { "url": data_url(image, data) } }),
    takes_gif: true,
    assistant_message: |text| json!({ "role": "assistant", "content": text }),
    refusals: &[
        // Each server has its own words for it, but all name the member: Groq, Cerebras, Fireworks and older models of DeepSeek, in
        // reports of 2026.
        Refusal { kind: ErrorKind::UnwantedThinking, text: "reasoning" },
    ],
    removals: Some(Removals {
        thinking_word: THINKING,
        thinking: |mut message| {
            if let Some(members) = message.as_object_mut() {
                members.retain(|key, _| !key.contains(THINKING));
            }
            Some(message)
        },
        tool_references: None,
    }),
};

/// Returns an image as a URL.
pub(super) fn data_url(image: &Image, data: &str) -> String {
    format!("data:{};base64,{data}", image.media_type())
}

/// A part of the names of members with thinking.
const THINKING: &str = "reasoning";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    messages: Vec<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

fn body(model: &ModelParameters<'_>, request: &Request<'_>) -> serde_json::Result<String> {
    let Request { system, messages, tools, .. } = *request;
    let system = (!system.is_empty()).then(|| raw(&json!({ "role": "system", "content": system })));
    to_json(&Body {
        model: model.name,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_completion_tokens: model.max_output_tokens,
        messages: system.iter().chain(messages).map(|message| &**message).collect(),
        tools,
    })
}
