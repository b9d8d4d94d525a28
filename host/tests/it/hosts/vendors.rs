//! The request and response formats of each vendor, as the fake server needs them.

use serde_json::{Value, json};
use toolc::Dialect;

use crate::hosts::server::Reply;

pub(crate) struct Vendor {
    /// The name of the vendor's example.
    pub(crate) example: &'static str,
    pub(crate) dialect: Dialect,
    /// The environment variable with the address of the API.
    pub(crate) base: &'static str,
    /// The environment variable with the key.
    pub(crate) key: &'static str,
    pub(crate) path: &'static str,
    /// The name and value of the header with the key, for the key `a-key`.
    pub(crate) auth: (&'static str, &'static str),
    /// The JSON Pointer of the definitions in a request.
    pub(crate) tools: &'static str,
    /// The key of the conversation in a request.
    pub(crate) conversation: &'static str,
    /// Returns a response with calls, and the parts of it that the next request must contain.
    pub(crate) calls: fn(&[Call]) -> (Reply, Vec<Value>),
    /// Returns a response with a text and no calls.
    pub(crate) says: fn(&str) -> Reply,
    /// Parses the results of the calls from messages of the conversation.
    pub(crate) results: fn(&[Value]) -> Vec<CallResult>,
}

/// A call that the model makes.
pub(crate) struct Call {
    pub(crate) id: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'static str,
}

impl Call {
    fn arguments(&self) -> Value {
        parsed(self.arguments)
    }
}

/// The result of a call in a request to the model.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) id: String,
    pub(crate) json: Value,
    pub(crate) is_error: bool,
}

pub(crate) const VENDORS: [Vendor; 4] = [CHAT, RESPONSES, ANTHROPIC, GEMINI];

const CHAT: Vendor = Vendor {
    example: "openai_chat",
    dialect: Dialect::OpenAi,
    base: "OPENAI_BASE_URL",
    key: "OPENAI_API_KEY",
    path: "/chat/completions",
    auth: ("authorization", "Bearer a-key"),
    tools: "/tools",
    conversation: "messages",
    calls: |calls| {
        let call = |call: &Call| {
            let function = json!({ "name": call.tool, "arguments": call.arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        let calls: Vec<Value> = calls.iter().map(call).collect();
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        // A member that is null is not sent back.
        let mut sent = message.clone();
        sent["refusal"] = Value::Null;
        let choice = json!({ "index": 0, "message": sent, "finish_reason": "tool_calls" });
        (Reply::json(200, &json!({ "object": "chat.completion", "choices": [choice] })), vec![message])
    },
    says: |text| {
        let message = json!({ "role": "assistant", "content": text });
        let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
        Reply::json(200, &json!({ "object": "chat.completion", "choices": [choice] }))
    },
    results: |messages| {
        let result = |message: &Value| {
            assert_eq!(message["role"], "tool");
            CallResult::without_flag(&message["tool_call_id"], parsed(text(&message["content"])))
        };
        messages.iter().map(result).collect()
    },
};

const RESPONSES: Vendor = Vendor {
    example: "openai_responses",
    dialect: Dialect::OpenAiResponses,
    path: "/responses",
    conversation: "input",
    calls: |calls| {
        let call = |call: &Call| json!({ "type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": call.tool, "arguments": call.arguments });
        let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0" });
        let output: Vec<Value> = [reasoning].into_iter().chain(calls.iter().map(call)).collect();
        (Reply::json(200, &json!({ "object": "response", "status": "completed", "output": output })), output)
    },
    says: |text| {
        let content = json!({ "type": "output_text", "text": text, "annotations": [] });
        let message = json!({ "type": "message", "role": "assistant", "status": "completed", "content": [content] });
        Reply::json(200, &json!({ "object": "response", "status": "completed", "output": [message] }))
    },
    results: |items| {
        let result = |item: &Value| {
            assert_eq!(item["type"], "function_call_output");
            CallResult::without_flag(&item["call_id"], parsed(text(&item["output"])))
        };
        items.iter().map(result).collect()
    },
    ..CHAT
};

const ANTHROPIC: Vendor = Vendor {
    example: "anthropic",
    dialect: Dialect::Anthropic,
    base: "ANTHROPIC_BASE_URL",
    key: "ANTHROPIC_API_KEY",
    path: "/v1/messages",
    auth: ("x-api-key", "a-key"),
    tools: "/tools",
    conversation: "messages",
    calls: |calls| {
        let reasoning = json!({ "type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk" });
        let call =
            |call: &Call| json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments() });
        let blocks: Vec<Value> = [reasoning].into_iter().chain(calls.iter().map(call)).collect();
        (streamed(&blocks, "tool_use"), vec![json!({ "role": "assistant", "content": blocks })])
    },
    says: |text| streamed(&[json!({ "type": "text", "text": text })], "end_turn"),
    results: |messages| {
        let [message] = messages else { panic!("all results are in one message, not in {}", messages.len()) };
        assert_eq!(message["role"], "user");
        let result = |block: &Value| {
            assert_eq!(block["type"], "tool_result");
            let (id, json) = (text(&block["tool_use_id"]).to_owned(), parsed(text(&block["content"])));
            CallResult { id, json, is_error: block["is_error"] == true }
        };
        message["content"].as_array().expect("a list of blocks").iter().map(result).collect()
    },
};

/// Streams a message of these blocks as Anthropic does: each text and each arguments object in two pieces.
fn streamed(blocks: &[Value], stop_reason: &str) -> Reply {
    let mut events = vec![json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } })];
    for (index, block) in blocks.iter().enumerate() {
        let mut start = block.clone();
        let mut deltas = Vec::new();
        for (key, kind, field) in [
            ("text", "text_delta", "text"),
            ("thinking", "thinking_delta", "thinking"),
            ("signature", "signature_delta", "signature"),
            ("input", "input_json_delta", "partial_json"),
        ] {
            let Some(value) = start.get_mut(key) else { continue };
            let whole = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            *value = if value.is_object() { json!({}) } else { json!("") };
            let (first, second) = whole.split_at(whole.len() / 2);
            deltas.extend([first, second].map(|piece| json!({ "type": kind, field: piece })));
        }
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.extend(
            deltas.iter().map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason } }));
    events.push(json!({ "type": "message_stop" }));
    Reply::events(&events)
}

const GEMINI: Vendor = Vendor {
    example: "gemini",
    dialect: Dialect::Gemini,
    base: "GOOGLE_GEMINI_BASE_URL",
    key: "GEMINI_API_KEY",
    path: "/v1beta/models/gemini-flash-latest:generateContent",
    auth: ("x-goog-api-key", "a-key"),
    tools: "/tools/0/functionDeclarations",
    conversation: "contents",
    calls: |calls| {
        let call = |call: &Call| {
            let function = json!({ "id": call.id, "name": call.tool, "args": call.arguments() });
            json!({ "functionCall": function, "thoughtSignature": "c2lnbmVk" })
        };
        let parts: Vec<Value> = calls.iter().map(call).collect();
        let content = json!({ "role": "model", "parts": parts });
        (Reply::json(200, &json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })), vec![content])
    },
    says: |text| {
        let content = json!({ "role": "model", "parts": [{ "text": text }] });
        Reply::json(200, &json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] }))
    },
    results: |contents| {
        let [content] = contents else { panic!("all results are in one content, not in {}", contents.len()) };
        assert_eq!(content["role"], "user");
        let result = |part: &Value| {
            let response = &part["functionResponse"];
            assert_eq!(response["name"], "read_file");
            let (id, response) = (text(&response["id"]).to_owned(), &response["response"]);
            match response.get("output") {
                Some(output) => CallResult { id, json: output.clone(), is_error: false },
                None => CallResult { id, json: response.clone(), is_error: response.get("error").is_some() },
            }
        };
        content["parts"].as_array().expect("a list of parts").iter().map(result).collect()
    },
};

impl CallResult {
    /// Returns a result of an API without a flag for errors: the JSON has a key `error`.
    fn without_flag(id: &Value, json: Value) -> Self {
        Self { id: text(id).to_owned(), is_error: json.get("error").is_some(), json }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text, not {value}"))
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}
