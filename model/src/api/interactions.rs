//! Gemini's Interactions. The server stores nothing: each request has the whole conversation.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::Dialect;
use toolc::wire;

use super::variables::{self, AddressVariables};
use super::{Record, gemini, to_json};
use crate::request::{ModelParameters, Request};

pub(super) const API: Record = Record {
    word: "interactions",
    about: "The Interactions API of Google's Gemini.",
    // Interactions are in the stable version since June 2026 (ai.google.dev, API versions, 2026-11-27).
    base_url: "https://generativelanguage.googleapis.com/v1",
    address_variables: AddressVariables { suffix: "/v1", ..variables::GOOGLE },
    dialect: Dialect::GeminiInteractions,
    wire: wire::Api::Interactions,
    path: |_| "/interactions".to_owned(),
    headers: |_| vec![("api-revision", REVISION.to_owned())],
    body,
    user_message: |text| json!({ "type": "user_input", "content": [{ "type": "text", "text": text }] }),
    text_part: |text| json!({ "type": "text", "text": text }),
    image_part: |image, data| json!({ "type": "image", "mime_type": image.media_type(), "data": data }),
    takes_gif: false,
    assistant_message: |text| json!({ "type": "model_output", "content": [{ "type": "text", "text": text }] }),
    ..gemini::API
};

/// The revision of the API, as google-genai 3.6.1 sends it.
const REVISION: &str = "2026-05-20";

/// The shape of `CreateModelInteraction` of google-genai 3.6.1.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    system_instruction: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Value>,
    input: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

fn body(model: &ModelParameters<'_>, request: &Request<'_>) -> serde_json::Result<String> {
    let Request { system, messages, tools, .. } = *request;
    to_json(&Body {
        model: model.name,
        stream: true,
        store: false,
        system_instruction: system,
        generation_config: model.max_output_tokens.map(|limit| json!({ "max_output_tokens": limit })),
        input: messages,
        tools,
    })
}
