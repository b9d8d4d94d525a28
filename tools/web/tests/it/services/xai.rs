//! xAI: <https://docs.x.ai/docs/guides/tools/search-tools>.

use serde_json::{Value, json};

use super::{KEY, Service, address, has_only};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "xai",
    key: Some("XAI_API_KEY"),
    base: "XAI_BASE_URL",
    answer,
    quota: || {
        error(
            403,
            "The caller does not have permission to execute the specified operation",
            "Your team has used all available credits or reached its monthly spending limit.",
        )
    },
    auth: || {
        error(
            400,
            "Client specified an invalid argument",
            "Incorrect API key provided: ke***ef. You can obtain an API key from https://console.x.ai.",
        )
    },
    rate: || error(429, "Some resource has been exhausted", "Too many requests for team").with("Retry-After", "7"),
};

fn error(status: u16, code: &str, error: &str) -> Reply {
    Reply::json(status, &json!({ "code": code, "error": error }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("authorization") != format!("Bearer {KEY}") {
        return (SERVICE.auth)();
    }
    let body = request.json();
    let tool = &body["tools"][0];
    let is_valid = request.method == "POST"
        && request.path == "/v1/responses"
        && has_only(&body, &["model", "store", "input", "tools"])
        && body["model"].as_str().is_some_and(|model| !model.is_empty())
        && body["input"][0]["content"].is_string()
        && tool["type"] == "web_search"
        && (tool.get("filters").is_none() || has_only(&tool["filters"], &["allowed_domains", "excluded_domains"]));
    if !is_valid {
        return error(422, "Failed to deserialize the JSON body", "invalid type");
    }
    let mut text = String::new();
    let mut annotations: Vec<Value> = Vec::new();
    for number in 0..total {
        text.push_str(&format!("- About page {number} "));
        let start = text.chars().count();
        text.push_str(&format!("[[{number}]]({})\n", address(number)));
        annotations.push(json!({
            "type": "url_citation", "url": address(number), "title": format!("Page {number} & more"), "start_index": start,
            "end_index": text.chars().count() - 1,
        }));
    }
    let content = json!([{ "type": "output_text", "text": text, "logprobs": null, "annotations": annotations }]);
    let message =
        json!({ "type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": content });
    let call = json!({ "type": "web_search_call", "id": "ws_0", "status": "completed", "action": { "type": "search", "query": "x", "sources": [] } });
    Reply::json(
        200,
        &json!({ "id": "0", "object": "response", "status": "completed", "model": body["model"], "output": [call, message], "citations": [] }),
    )
}
