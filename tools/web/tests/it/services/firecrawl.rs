//! Firecrawl: firecrawl-py.

use serde_json::{Value, json};

use super::{KEY, PAGE, Service, address, has_only, pages, size};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "firecrawl",
    key: Some("FIRECRAWL_API_KEY"),
    base: "FIRECRAWL_API_URL",
    answer,
    quota: || error(402, "Insufficient credits to perform this request. For more credits, you can upgrade your plan."),
    auth: || error(401, "Unauthorized: Invalid token"),
    rate: || error(429, "Rate limit exceeded. Consumed (req/min): 11, Remaining (req/min): 0. Please retry after 23s"),
};

fn error(status: u16, error: &str) -> Reply {
    Reply::json(status, &json!({ "success": false, "error": error }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("authorization") != format!("Bearer {KEY}") {
        return (SERVICE.auth)();
    }
    let body = request.json();
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v2/search") => search(&body, total),
        ("POST", "/v2/scrape") => scrape(&body, total),
        _ => error(404, "Cannot POST"),
    }
}

fn search(body: &Value, total: usize) -> Reply {
    let known = [
        "query",
        "limit",
        "sources",
        "includeDomains",
        "excludeDomains",
        "tbs",
        "country",
        "timeout",
        "ignoreInvalidURLs",
        "origin",
        "integration",
    ];
    let limit = size(&body["limit"], 5);
    let has_both = body.get("includeDomains").is_some() && body.get("excludeDomains").is_some();
    if !body["query"].is_string() || !has_only(body, &known) || !(1..=100).contains(&limit) || has_both {
        return error(400, "Bad Request");
    }
    let web = pages(
        0,
        limit,
        total,
        |number| json!({ "url": address(number), "title": format!("Page {number} & more"), "description": format!("About {number}"), "position": number + 1 }),
    );
    let data = if total == 0 { json!({}) } else { json!({ "web": web }) };
    Reply::json(200, &json!({ "success": true, "data": data, "creditsUsed": 2, "id": "0" }))
}

fn scrape(body: &Value, total: usize) -> Reply {
    let known = [
        "url",
        "formats",
        "onlyMainContent",
        "removeBase64Images",
        "fastMode",
        "blockAds",
        "storeInCache",
        "maxAge",
        "mobile",
        "origin",
    ];
    if !body["url"].is_string() || !has_only(body, &known) {
        return error(400, "Bad Request");
    }
    let markdown = if total > 0 { "# A post\n\nWith text." } else { "" };
    let metadata = json!({ "title": "A post", "sourceURL": PAGE, "url": PAGE, "statusCode": 200, "publishedTime": "2024-05-01T00:00:00Z" });
    Reply::json(200, &json!({ "success": true, "data": { "markdown": markdown, "metadata": metadata } }))
}
