//! Serper: its clients in public repositories.

use serde_json::json;

use super::{KEY, Service, address, has_only, pages, size};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "serper",
    key: Some("SERPER_API_KEY"),
    base: "SERPER_BASE_URL",
    answer,
    quota: || error(400, "Not enough credits"),
    auth: || error(403, "Unauthorized."),
    rate: || error(429, "Too many requests").with("Retry-After", "7"),
};

fn error(status: u16, message: &str) -> Reply {
    Reply::json(status, &json!({ "message": message, "statusCode": status }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("x-api-key") != KEY {
        return (SERVICE.auth)();
    }
    let body = request.json();
    let is_valid = request.method == "POST"
        && request.path == "/search"
        && has_only(&body, &["q", "num", "page", "hl", "gl", "tbs"]);
    if !is_valid || !body["q"].is_string() {
        return error(400, "Missing query parameter");
    }
    let organic = pages(
        (size(&body["page"], 1) - 1) * 10,
        10,
        total,
        |number| json!({ "title": format!("Page {number} & more"), "link": address(number), "snippet": format!("About {number}"), "date": "May 1, 2024", "position": number + 1 }),
    );
    Reply::json(
        200,
        &json!({ "searchParameters": { "q": body["q"], "type": "search", "engine": "google" }, "organic": organic, "credits": 1 }),
    )
}
