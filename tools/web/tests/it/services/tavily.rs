//! Tavily: tavily-python.

use serde_json::{Value, json};

use super::{KEY, PAGE, Service, address, has_only, pages, size};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "tavily",
    key: Some("TAVILY_API_KEY"),
    base: "TAVILY_BASE_URL",
    answer,
    quota: || error(432, "This request exceeds your plan's set usage limit. Please upgrade your plan."),
    auth: || error(401, "Unauthorized: missing or invalid API key."),
    rate: || {
        error(429, "Your request has been blocked due to excessive requests. Please reduce rate of requests.")
            .with("Retry-After", "7")
    },
};

fn error(status: u16, error: &str) -> Reply {
    Reply::json(status, &json!({ "detail": { "error": error } }))
}

fn answer(request: &Request, total: usize) -> Reply {
    let is_keyless = request.header("x-tavily-access-mode") == "keyless" && request.header("authorization").is_empty();
    if !is_keyless && request.header("authorization") != format!("Bearer {KEY}") {
        return (SERVICE.auth)();
    }
    let body = request.json();
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/search") => search(&body, total),
        ("POST", "/extract") => extract(&body, total),
        _ => error(404, "Not Found"),
    }
}

fn search(body: &Value, total: usize) -> Reply {
    let known = [
        "query",
        "max_results",
        "search_depth",
        "include_domains",
        "exclude_domains",
        "time_range",
        "start_date",
        "end_date",
    ];
    let count = size(&body["max_results"], 5);
    let is_long = body["query"].as_str().is_none_or(|query| query.chars().count() > 400);
    if is_long || !has_only(body, &known) || count > 20 {
        return error(400, "Query is too long. Max query length is 400 characters.");
    }
    let results = pages(
        0,
        count,
        total,
        |number| json!({ "title": format!("Page {number} & more"), "url": address(number), "content": format!("About {number}"), "score": 0.9, "raw_content": null }),
    );
    let body = json!({
        "query": body["query"], "follow_up_questions": null, "answer": null, "images": [], "results": results, "response_time": 1.2, "request_id": "0",
    });
    Reply::json(200, &body)
}

fn extract(body: &Value, total: usize) -> Reply {
    if !body["urls"].is_array() && !body["urls"].is_string()
        || !has_only(body, &["urls", "extract_depth", "format", "timeout"])
    {
        return error(400, "Invalid request");
    }
    let text = if total > 0 { "# A post\n\nWith text." } else { "" };
    let page = json!({ "url": PAGE, "title": "A post", "raw_content": text, "images": [] });
    Reply::json(200, &json!({ "results": [page], "failed_results": [], "response_time": 0.5, "request_id": "0" }))
}
