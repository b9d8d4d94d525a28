//! The requests of each API: the path, the headers and the body.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::Dialect;
use toolc::wire;

use crate::client::{Request, Settings};

/// The version of Anthropic's API.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// The revision of Gemini's Interactions, as google-genai 3.6.1 sends it.
const INTERACTIONS_REVISION: &str = "2026-05-20";
/// The output limit of Anthropic's API if the settings have none. That API requires one.
const ANTHROPIC_OUTPUT_TOKENS: u32 = 16_384;

/// The API of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI's Chat Completions, which most other servers implement.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Gemini's Interactions. The server stores nothing: each request has the whole conversation.
    Interactions,
}

impl Api {
    /// All APIs.
    pub const ALL: [Self; 5] =
        [Self::ChatCompletions, Self::Responses, Self::Anthropic, Self::Gemini, Self::Interactions];

    /// Returns the name of the API in settings: `chat`, `responses`, `anthropic`, `gemini` or `interactions`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Interactions => "interactions",
        }
    }

    /// Returns the API with this name, or `None` if no API has it.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.word() == word)
    }

    /// Returns the address of the vendor's own server.
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            // Interactions are in the stable version since June 2026 (ai.google.dev, API versions, 2026-11-27).
            Self::Interactions => "https://generativelanguage.googleapis.com/v1",
        }
    }

    /// Returns the environment variable that usually holds the key.
    pub const fn default_key_variable(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini | Self::Interactions => "GEMINI_API_KEY",
        }
    }

    /// Returns the dialect of the definitions in requests to the API.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::ChatCompletions => Dialect::OpenAi,
            Self::Responses => Dialect::OpenAiResponses,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::Interactions => Dialect::GeminiInteractions,
        }
    }

    /// Returns the API of [`toolc::wire`] that reads its answers and writes results.
    pub const fn wire(self) -> wire::Api {
        match self {
            Self::ChatCompletions => wire::Api::ChatCompletions,
            Self::Responses => wire::Api::Responses,
            Self::Anthropic => wire::Api::Anthropic,
            Self::Gemini => wire::Api::Gemini,
            Self::Interactions => wire::Api::Interactions,
        }
    }

    /// Returns the path of a request, after the base URL.
    pub(crate) fn path(self, model: &str) -> String {
        match self {
            Self::ChatCompletions => "/chat/completions".to_owned(),
            Self::Responses => "/responses".to_owned(),
            Self::Anthropic => "/v1/messages".to_owned(),
            Self::Gemini => format!("/models/{}:streamGenerateContent?alt=sse", path_segment(model)),
            Self::Interactions => "/interactions".to_owned(),
        }
    }

    /// Returns the path of the list of models, after the base URL. Asking for it costs nothing.
    pub(crate) fn path_of_models(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses => "/models",
            Self::Anthropic => "/v1/models?limit=1",
            Self::Gemini | Self::Interactions => "/models?pageSize=1",
        }
    }

    /// Returns the headers with the key, the version and the beta features.
    pub(crate) fn headers(self, key: Option<&str>, betas: &[&str]) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let Some(key) = key {
            headers.push(match self {
                Self::ChatCompletions | Self::Responses => ("authorization", format!("Bearer {key}")),
                Self::Anthropic => ("x-api-key", key.to_owned()),
                Self::Gemini | Self::Interactions => ("x-goog-api-key", key.to_owned()),
            });
        }
        match self {
            Self::Anthropic => {
                headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
                if !betas.is_empty() {
                    headers.push(("anthropic-beta", betas.join(",")));
                }
            }
            Self::Interactions => headers.push(("api-revision", INTERACTIONS_REVISION.to_owned())),
            _ => {}
        }
        headers
    }

    /// Returns the body of a request for a stream, as JSON.
    pub(crate) fn body(self, settings: &Settings, request: &Request<'_>) -> String {
        let Request { system, messages, tools, tool_choice, container, betas: _ } = *request;
        let model = &settings.model;
        let limit = settings.max_output_tokens;
        let body = match self {
            Self::ChatCompletions => {
                let system = (!system.is_empty()).then(|| raw(&json!({ "role": "system", "content": system })));
                let messages: Vec<&RawValue> = system.iter().chain(messages).map(|message| &**message).collect();
                let stream_options = Some(StreamOptions { include_usage: true });
                to_json(&ChatBody {
                    model,
                    stream: true,
                    stream_options,
                    max_completion_tokens: limit,
                    messages,
                    tools,
                })
            }
            Self::Responses => to_json(&ResponsesBody {
                model,
                stream: true,
                // OpenAI stores nothing, so the reasoning is requested in encrypted form, to send it back.
                store: false,
                include: ["reasoning.encrypted_content"],
                max_output_tokens: limit,
                instructions: system,
                input: messages,
                tools,
                tool_choice,
            }),
            Self::Anthropic => {
                let system = (!system.is_empty())
                    .then(|| [json!({ "type": "text", "text": system, "cache_control": { "type": "ephemeral" } })]);
                to_json(&AnthropicBody {
                    model,
                    stream: true,
                    max_tokens: limit.unwrap_or(ANTHROPIC_OUTPUT_TOKENS),
                    system,
                    messages: &with_cache_mark(messages),
                    tools,
                    tool_choice,
                    container,
                })
            }
            Self::Gemini => to_json(&GeminiBody {
                system_instruction: (!system.is_empty()).then(|| json!({ "parts": [{ "text": system }] })),
                generation_config: limit.map(|limit| json!({ "maxOutputTokens": limit })),
                contents: messages,
                tools: tools.map(|function_declarations| [GeminiTools { function_declarations }]),
            }),
            // The shape is that of `CreateModelInteraction` of google-genai 3.6.1.
            Self::Interactions => to_json(&InteractionsBody {
                model,
                stream: true,
                store: false,
                system_instruction: system,
                generation_config: limit.map(|limit| json!({ "max_output_tokens": limit })),
                input: messages,
                tools,
            }),
        };
        body.unwrap_or_default()
    }
}

/// Returns a message of the user.
pub fn user_message(api: Api, text: &str) -> Box<RawValue> {
    raw(&match api {
        Api::ChatCompletions | Api::Responses | Api::Anthropic => json!({ "role": "user", "content": text }),
        Api::Gemini => json!({ "role": "user", "parts": [{ "text": text }] }),
        Api::Interactions => json!({ "type": "user_input", "content": [{ "type": "text", "text": text }] }),
    })
}

/// Returns a message of the model that the host has written, such as the part of an answer that arrived before it was cancelled.
pub fn assistant_message(api: Api, text: &str) -> Box<RawValue> {
    raw(&match api {
        Api::ChatCompletions | Api::Responses | Api::Anthropic => json!({ "role": "assistant", "content": text }),
        Api::Gemini => json!({ "role": "model", "parts": [{ "text": text }] }),
        Api::Interactions => json!({ "type": "model_output", "content": [{ "type": "text", "text": text }] }),
    })
}

pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn to_json(body: &impl Serialize) -> Option<String> {
    serde_json::to_string(body).ok()
}

/// Marks the last message, so that Anthropic caches the conversation up to its end. A message of the model is not marked.
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

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    messages: Vec<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct ResponsesBody<'a> {
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

#[derive(Serialize)]
struct AnthropicBody<'a> {
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Value>,
    contents: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[GeminiTools<'a>; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiTools<'a> {
    function_declarations: &'a RawValue,
}

#[derive(Serialize)]
struct InteractionsBody<'a> {
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

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_name_of_a_model_stays_within_its_path() {
        assert_eq!(path_segment("a b?c#d:e/../f"), "a%20b%3Fc%23d%3Ae/../f");
    }
}
