//! Exa: exa-py.

use serde_json::{Value, json};

use super::{KEY, PAGE, Service, address, has_only, pages, size};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "exa",
    key: Some("EXA_API_KEY"),
    base: "EXA_BASE_URL",
    answer,
    quota: || error(402, "NO_MORE_CREDITS", "You have exceeded your credits limit."),
    auth: || error(401, "INVALID_API_KEY", "Invalid API key"),
    rate: || Reply::json(429, &json!({ "error": "You've exceeded your Exa rate limit of 5 requests per second" })),
};

fn error(status: u16, tag: &str, error: &str) -> Reply {
    Reply::json(status, &json!({ "requestId": "r", "error": error, "tag": tag }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("x-api-key") != KEY {
        return (SERVICE.auth)();
    }
    let body = request.json();
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/search") => search(&body, total),
        ("POST", "/contents") => contents(&body, total),
        _ => error(404, "NOT_FOUND", "Not found"),
    }
}

fn search(body: &Value, total: usize) -> Reply {
    let known = [
        "query",
        "numResults",
        "type",
        "contents",
        "includeDomains",
        "excludeDomains",
        "startPublishedDate",
        "endPublishedDate",
        "userLocation",
    ];
    let count = size(&body["numResults"], 10);
    let has_both = body.get("includeDomains").is_some() && body.get("excludeDomains").is_some();
    if !body["query"].is_string() || !has_only(body, &known) || !(1..=100).contains(&count) || has_both {
        return error(400, "INVALID_REQUEST_BODY", "Invalid request body");
    }
    let results = pages(0, count, total, |number| {
        json!({
            "id": address(number), "title": format!("Page {number} & more"), "url": address(number), "publishedDate": "2024-05-01T00:00:00.000Z",
            "author": "", "image": null, "highlights": [format!("First of {number}."), "Second."], "highlightScores": [0.5, 0.25],
        })
    });
    Reply::json(
        200,
        &json!({ "requestId": "r", "resolvedSearchType": "neural", "results": results, "searchTime": 12.5, "costDollars": { "total": 0.005 } }),
    )
}

fn contents(body: &Value, total: usize) -> Reply {
    if !has_only(body, &["urls", "text"]) {
        return error(400, "INVALID_REQUEST_BODY", "Invalid request body");
    }
    let text = if total > 0 { "# A post\n\nWith text." } else { "" };
    let page = json!({ "id": PAGE, "title": "A post", "url": PAGE, "publishedDate": "2024-05-01T00:00:00.000Z", "author": "", "text": text });
    let statuses = json!([{ "id": PAGE, "status": "success", "source": "cached" }]);
    Reply::json(
        200,
        &json!({ "requestId": "r", "results": [page], "statuses": statuses, "costDollars": { "total": 0.001 } }),
    )
}
