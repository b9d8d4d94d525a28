//! Gemini's `generateContent`.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::Dialect;
use toolc::wire;

use super::{Record, to_json, variables};
use crate::error::{ErrorKind, Refusal};
use crate::request::{ModelParameters, Request};

pub(super) const API: Record = Record {
    word: "gemini",
    about: "The Gemini API of Google: `generateContent`.",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    key_variable: "GEMINI_API_KEY",
    address_variables: variables::GOOGLE,
    dialect: Dialect::Gemini,
    wire: wire::Api::Gemini,
    path: |model| format!("/models/{}:streamGenerateContent?alt=sse", path_segment(model)),
    models_path: |most| format!("/models?pageSize={most}"),
    key_header: |key| ("x-goog-api-key", key.to_owned()),
    headers: |_| Vec::new(),
    body,
    user_message: |text| json!({ "role": "user", "parts": [{ "text": text }] }),
    text_part: |text| json!({ "text": text }),
    image_part: |image, data| json!({ "inlineData": { "mimeType": image.media_type(), "data": data } }),
    takes_gif: false,
    assistant_message: |text| json!({ "role": "model", "parts": [{ "text": text }] }),
    refusals: &[
        // The status of a wrong key is 400.
        Refusal { kind: ErrorKind::Unauthorized, text: "API key not valid" },
    ],
    removals: None,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Value>,
    contents: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tools<'a>; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: &'a RawValue,
}

fn body(model: &ModelParameters<'_>, request: &Request<'_>) -> serde_json::Result<String> {
    let Request { system, messages, tools, .. } = *request;
    to_json(&Body {
        system_instruction: (!system.is_empty()).then(|| json!({ "parts": [{ "text": system }] })),
        generation_config: model.max_output_tokens.map(|limit| json!({ "maxOutputTokens": limit })),
        contents: messages,
        tools: tools.map(|function_declarations| [Tools { function_declarations }]),
    })
}

/// Escapes what would end a segment of a path. Models are named `gemini-flash-latest` or `tunedModels/x`.
fn path_segment(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_model_stays_within_its_path() {
        assert_eq!(path_segment("a b?c#d:e/../f"), "a%20b%3Fc%23d%3Ae/../f");
    }
}
