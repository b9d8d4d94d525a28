//! Brave Search: <https://api-dashboard.search.brave.com/api-reference/web/search/get>.

use serde_json::{Value, json};

use super::{KEY, Service, address, pages};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "brave",
    key: Some("BRAVE_API_KEY"),
    base: "BRAVE_BASE_URL",
    answer,
    quota: || error(429, "QUOTA_LIMITED", "Request quota limit exceeded for plan"),
    auth: || error(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."),
    rate: || {
        error(429, "RATE_LIMITED", "Request rate limit exceeded for plan")
            .with("X-RateLimit-Limit", "1, 2000")
            .with("X-RateLimit-Remaining", "0, 1985")
            .with("X-RateLimit-Reset", "7, 1419704")
    },
};

fn error(status: u16, code: &str, detail: &str) -> Reply {
    let meta = json!({ "plan": "Free", "rate_limit": 1, "rate_current": 1, "quota_limit": 2_000, "component": "rate_limiter" });
    let error = json!({ "id": "0", "status": status, "detail": detail, "meta": meta, "code": code });
    Reply::json(status, &json!({ "type": "ErrorResponse", "error": error, "time": 1_773_685_964 }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.header("x-subscription-token") != KEY {
        return (SERVICE.auth)();
    }
    let query = request.parameter("q");
    let number = |name: &str, usual: usize| request.query.get(name).map_or(Ok(usual), |text| text.parse());
    let (Ok(count), Ok(offset)) = (number("count", 20), number("offset", 0)) else { return invalid() };
    let is_lang = ["", "de", "en", "en-gb", "jp", "pt-br", "zh-hans"].contains(&request.parameter("search_lang"));
    let is_country = ["", "ALL", "DE", "GB", "US"].contains(&request.parameter("country"));
    let is_valid = request.method == "GET"
        && request.path == "/res/v1/web/search"
        && (1..=400).contains(&query.chars().count())
        && query.split_whitespace().count() <= 50
        && (1..=20).contains(&count)
        && offset <= 9
        && is_lang
        && is_country;
    if !is_valid {
        return invalid();
    }
    let results = pages(offset * count, count, total, |number| {
        json!({
            "type": "search_result", "subtype": "generic", "is_live": false, "language": "en", "family_friendly": true,
            "title": format!("Page {number} &amp; more"), "url": address(number), "description": format!("About <strong>{query}</strong> {number}"),
            "page_age": "2024-05-01T10:00:00", "age": "May 1, 2024",
        })
    });
    let mut body = json!({ "type": "search", "query": { "original": query, "more_results_available": true }, "mixed": { "type": "mixed" } });
    // It leaves out what it has not found.
    if results != Value::Array(Vec::new()) {
        body["web"] = json!({ "type": "search", "results": results, "family_friendly": true });
    }
    Reply::json(200, &body)
}

fn invalid() -> Reply {
    error(422, "VALIDATION", "Unable to validate request parameter(s)")
}
