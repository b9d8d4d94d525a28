//! Parallel: parallel-web.

use serde_json::json;

use super::{KEY, Service, address, has_only, pages, size};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "parallel",
    key: Some("PARALLEL_API_KEY"),
    base: "PARALLEL_BASE_URL",
    answer,
    quota: || error(402, "Payment required: insufficient credit in account"),
    auth: || error(401, "Unauthorized: invalid or missing credentials"),
    rate: || error(429, "Too many requests: quota temporarily exceeded").with("Retry-After", "7"),
};

fn error(status: u16, message: &str) -> Reply {
    Reply::json(status, &json!({ "type": "error", "error": { "ref_id": "r", "message": message } }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("x-api-key") != KEY {
        return (SERVICE.auth)();
    }
    let body = request.json();
    let settings = &body["advanced_settings"];
    let has_settings =
        settings.is_null() || has_only(settings, &["max_results", "excerpt_settings", "location", "source_policy"]);
    let is_valid = request.method == "POST"
        && request.path == "/v1/search"
        && body["search_queries"].as_array().is_some_and(|queries| !queries.is_empty())
        && has_only(&body, &["objective", "search_queries", "mode", "advanced_settings"])
        && has_settings;
    if !is_valid {
        return error(422, "Request validation error");
    }
    let results = pages(
        0,
        size(&settings["max_results"], 10),
        total,
        |number| json!({ "url": address(number), "title": format!("Page {number} & more"), "publish_date": "2024-05-01", "excerpts": ["First.", "Second."] }),
    );
    Reply::json(
        200,
        &json!({ "search_id": "search_0", "session_id": "session_0", "results": results, "warnings": null, "usage": [] }),
    )
}
