//! OpenAI's Responses.

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolc::Dialect;
use toolc::wire;

use super::{Record, chat, to_json};
use crate::request::{ModelParameters, Request};

pub(super) const API: Record = Record {
    word: "responses",
    about: "The Responses API of OpenAI.",
    dialect: Dialect::OpenAiResponses,
    wire: wire::Api::Responses,
    path: |_| "/responses".to_owned(),
    body,
    text_part: |text| json!({ "type": "input_text", "text": text }),
    image_part: |image, data| json!({ "type": "input_image", "image_url": chat::data_url(image, data) }),
    refusals: &[],
    removals: None,
    ..chat::API
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    include: [&'a str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'a RawValue>,
}

fn body(model: &ModelParameters<'_>, request: &Request<'_>) -> serde_json::Result<String> {
    let Request { system, messages, tools, tool_choice, .. } = *request;
    to_json(&Body {
        model: model.name,
        stream: true,
        // OpenAI stores nothing, so the reasoning is requested in encrypted form, to send it back.
        store: false,
        include: ["reasoning.encrypted_content"],
        max_output_tokens: model.max_output_tokens,
        instructions: system,
        input: messages,
        tools,
        tool_choice,
    })
}
