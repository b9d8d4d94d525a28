//! The streams of each vendor, as their servers send them.

use serde_json::{Value, json};

/// A call that the model makes: its id, the tool, the arguments.
pub(crate) type Call<'a> = (&'a str, &'a str, Value);

pub(crate) struct Vendor {
    /// The name of the API in `--model`.
    pub(crate) api: &'static str,
    /// The environment variables with the address and the key.
    pub(crate) base: &'static str,
    pub(crate) key: &'static str,
    /// The key of the conversation in a request.
    pub(crate) conversation: &'static str,
    /// Returns the events of an answer.
    pub(crate) answer: fn(text: &str, calls: &[Call<'_>]) -> Vec<String>,
    /// Returns the body of the error about a conversation that is too long.
    pub(crate) overflow: &'static str,
}

pub(crate) const VENDORS: [Vendor; 5] = [
    Vendor {
        api: "chat",
        base: "OPENAI_BASE_URL",
        key: "OPENAI_API_KEY",
        conversation: "messages",
        answer: chat,
        overflow: r#"{"error":{"code":"context_length_exceeded","type":"invalid_request_error","message":"Too many tokens."}}"#,
    },
    Vendor {
        api: "responses",
        base: "OPENAI_BASE_URL",
        key: "OPENAI_API_KEY",
        conversation: "input",
        answer: responses,
        overflow: r#"{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}"#,
    },
    Vendor {
        api: "anthropic",
        base: "ANTHROPIC_BASE_URL",
        key: "ANTHROPIC_API_KEY",
        conversation: "messages",
        answer: anthropic,
        overflow: r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
    },
    Vendor {
        api: "gemini",
        base: "GOOGLE_GEMINI_BASE_URL",
        key: "GEMINI_API_KEY",
        conversation: "contents",
        answer: gemini,
        overflow: r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
    },
    Vendor {
        api: "interactions",
        base: "GOOGLE_GEMINI_BASE_URL",
        key: "GEMINI_API_KEY",
        conversation: "input",
        answer: interactions,
        overflow: r#"{"error":{"code":"invalid_request","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
    },
];

/// Splits a text into two parts, as a stream would.
fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first, second]
}

fn chat(text: &str, calls: &[Call<'_>]) -> Vec<String> {
    let chunk =
        |delta: Value, reason: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let mut events = vec![chunk(json!({ "content": "", "role": "assistant" }), Value::Null)];
    events.extend(halves(text).map(|part| chunk(json!({ "content": part }), Value::Null)));
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        // Messages keep the order of keys, and only sorted ones are the same whether a crate enables `preserve_order`.
        let function = json!({ "arguments": "", "name": name });
        let call = json!({ "function": function, "id": id, "index": index, "type": "function" });
        events.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
        for part in halves(&arguments.to_string()) {
            let call = json!({ "index": index, "function": { "arguments": part } });
            events.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
        }
    }
    events.push(chunk(json!({}), if calls.is_empty() { "stop" } else { "tool_calls" }.into()));
    let details = json!({ "cached_tokens": 40 });
    events.push(json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": details } }));
    events.iter().map(Value::to_string).chain(["[DONE]".to_owned()]).collect()
}

fn responses(text: &str, calls: &[Call<'_>]) -> Vec<String> {
    let mut items = vec![json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0" })];
    if !text.is_empty() {
        let content = json!({ "type": "output_text", "text": text, "annotations": [] });
        items.push(json!({ "type": "message", "role": "assistant", "status": "completed", "content": [content] }));
    }
    items.extend(calls.iter().map(|(id, name, arguments)| {
        json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string(), "status": "completed" })
    }));
    let mut events: Vec<Value> =
        halves(text).iter().map(|part| json!({ "type": "response.output_text.delta", "delta": part })).collect();
    events.extend(
        items
            .iter()
            .enumerate()
            .map(|(index, item)| json!({ "type": "response.output_item.done", "output_index": index, "item": item })),
    );
    let usage = json!({ "input_tokens": 100, "output_tokens": 7, "input_tokens_details": { "cached_tokens": 40 } });
    let response = json!({ "status": "completed", "output": items, "usage": usage });
    events.push(json!({ "type": "response.completed", "response": response }));
    events.iter().map(Value::to_string).collect()
}

fn anthropic(text: &str, calls: &[Call<'_>]) -> Vec<String> {
    let usage = json!({ "input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 1 });
    let mut events = vec![json!({ "type": "message_start", "message": { "role": "assistant", "usage": usage } })];
    let mut blocks = Vec::new();
    if !text.is_empty() {
        let deltas = halves(text).map(|part| json!({ "type": "text_delta", "text": part }));
        blocks.push((json!({ "type": "text", "text": "" }), deltas));
    }
    blocks.extend(calls.iter().map(|(id, name, arguments)| {
        let deltas =
            halves(&arguments.to_string()).map(|part| json!({ "type": "input_json_delta", "partial_json": part }));
        (json!({ "type": "tool_use", "id": id, "name": name, "input": {} }), deltas)
    }));
    for (index, (block, deltas)) in blocks.into_iter().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.extend(deltas.map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    events
        .push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 7 } }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(Value::to_string).collect()
}

fn gemini(text: &str, calls: &[Call<'_>]) -> Vec<String> {
    let usage = json!({ "promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 7 });
    let chunk = |parts: Value| json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] });
    let mut events: Vec<Value> = halves(text).iter().map(|part| chunk(json!([{ "text": part }]))).collect();
    events.extend(calls.iter().map(|(id, name, arguments)| {
        chunk(
            json!([{ "functionCall": { "id": id, "name": name, "args": arguments }, "thoughtSignature": "c2lnbmVk" }]),
        )
    }));
    let last = json!({ "content": { "role": "model", "parts": [] }, "finishReason": "STOP" });
    events.push(json!({ "candidates": [last], "usageMetadata": usage }));
    events.iter().map(Value::to_string).collect()
}

fn interactions(text: &str, calls: &[Call<'_>]) -> Vec<String> {
    let mut steps = vec![(json!({ "type": "thought", "signature": "c2lnbmVk" }), Vec::new())];
    if !text.is_empty() {
        let deltas = halves(text).map(|part| json!({ "type": "text", "text": part }));
        steps.push((json!({ "type": "model_output" }), deltas.to_vec()));
    }
    steps.extend(calls.iter().map(|(id, name, arguments)| {
        let arguments = arguments.to_string();
        let deltas = halves(&arguments).map(|part| json!({ "type": "arguments_delta", "arguments": part }));
        (json!({ "type": "function_call", "id": id, "name": name, "arguments": {} }), deltas.to_vec())
    }));
    let mut events = Vec::new();
    for (index, (step, deltas)) in steps.into_iter().enumerate() {
        events.push(json!({ "event_type": "step.start", "index": index, "step": step }));
        events.extend(
            deltas.into_iter().map(|delta| json!({ "event_type": "step.delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "event_type": "step.stop", "index": index }));
    }
    let status = if calls.is_empty() { "completed" } else { "requires_action" };
    let usage = json!({ "total_input_tokens": 100, "total_cached_tokens": 40, "total_output_tokens": 7 });
    let interaction = json!({ "id": "v1_i", "status": status, "usage": usage });
    events.push(json!({ "event_type": "interaction.completed", "interaction": interaction }));
    events.iter().map(Value::to_string).collect()
}
