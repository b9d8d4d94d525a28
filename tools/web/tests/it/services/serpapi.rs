//! `SerpAPI`: serpapi (`PyPI`) and <https://serpapi.com/search-api>.

use serde_json::{Value, json};

use super::{KEY, Service, address, pages};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "serpapi",
    key: Some("SERPAPI_API_KEY"),
    base: "SERPAPI_BASE_URL",
    answer,
    quota: || error(429, "Your account has run out of searches."),
    auth: || error(401, "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key"),
    rate: || {
        error(429, "You are exceeding the throughput of your plan, 50 searches per hour.").with("Retry-After", "7")
    },
};

fn error(status: u16, error: &str) -> Reply {
    Reply::json(status, &json!({ "error": error }))
}

fn answer(request: &Request, total: usize) -> Reply {
    if request.parameter("api_key") != KEY {
        return (SERVICE.auth)();
    }
    if request.method != "GET" || !["/search", "/search.json"].contains(&request.path.as_str()) {
        return error(404, "Not found");
    }
    if request.parameter("engine") != "google" {
        return error(400, "Unsupported `engine` parameter.");
    }
    if request.parameter("q").is_empty() {
        return error(400, "Missing query `q` parameter.");
    }
    let start = request.parameter("start").parse().unwrap_or(0);
    let results = pages(start, 10, total, |number| {
        json!({
            "position": number + 1, "title": format!("Page {number} & more"), "link": address(number), "displayed_link": "site › page",
            "snippet": format!("About {number}"), "date": "May 1, 2024",
        })
    });
    let is_empty = results == Value::Array(Vec::new());
    let state = if is_empty { "Fully empty" } else { "Results for exact spelling" };
    let mut body = json!({
        "search_metadata": { "id": "0", "status": "Success", "total_time_taken": 1.2 }, "search_parameters": { "engine": "google" },
        "search_information": { "organic_results_state": state },
    });
    if is_empty {
        body["error"] = "Google hasn't returned any results for this query.".into();
    } else {
        body["organic_results"] = results;
    }
    Reply::json(200, &body)
}
