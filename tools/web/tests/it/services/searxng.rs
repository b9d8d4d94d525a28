//! `SearXNG`: `searx/webutils.py`.

use serde_json::json;

use super::{Service, address, pages};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "searxng",
    key: None,
    base: "SEARXNG_URL",
    answer,
    quota: || Reply::text(402, "text/html", "<!doctype html><title>402 Payment Required</title>"),
    auth: || Reply::text(403, "text/html", "<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1>"),
    rate: || {
        Reply::text(429, "text/html", "<!doctype html><title>429 Too Many Requests</title>").with("Retry-After", "7")
    },
};

fn answer(request: &Request, total: usize) -> Reply {
    if request.parameter("format") != "json" {
        return Reply::text(200, "text/html", "<!doctype html><title>Results</title>");
    }
    let is_range = ["", "day", "week", "month", "year"].contains(&request.parameter("time_range"));
    if request.path != "/search" || request.parameter("q").is_empty() || !is_range {
        return Reply::json(400, &json!({ "error": "Invalid value" }));
    }
    let page: usize = request.query.get("pageno").map_or(Ok(1), |text| text.parse()).unwrap_or(1);
    let results = pages((page - 1) * 10, 10, total, |number| {
        json!({
            "title": format!("Page {number} & more"), "url": address(number), "content": format!("About {number}"), "engine": "google",
            "parsed_url": ["https", format!("site{number}.example"), "/page", "", "", ""], "template": "default.html", "engines": ["google", "bing"],
            "positions": [1, 2], "publishedDate": "2024-05-01T00:00:00", "score": 4.0, "category": "general", "pretty_url": "site",
        })
    });
    let body = json!({
        "query": request.parameter("q"), "number_of_results": 0, "results": results, "answers": [], "corrections": [], "infoboxes": [],
        "suggestions": [], "unresponsive_engines": [],
    });
    Reply::json(200, &body)
}
