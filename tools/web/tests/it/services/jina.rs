//! Jina Reader: `jina-ai/reader`.

use serde_json::json;

use super::{KEY, PAGE, Service};
use crate::server::{Reply, Request};

pub(super) static SERVICE: Service = Service {
    name: "jina",
    key: Some("JINA_API_KEY"),
    base: "JINA_READER_URL",
    answer,
    quota: || {
        error(402, 40_203, "InsufficientBalanceError", "Account balance not enough to run this query, please recharge.")
    },
    auth: || error(401, 40_103, "AuthenticationFailedError", "Invalid API key, please get a new one"),
    rate: || error(429, 42_903, "RateLimitTriggeredError", "Per IP rate limit exceeded").with("Retry-After", "7"),
};

fn error(status: u16, code: u32, name: &str, message: &str) -> Reply {
    let readable = format!("{name}: {message}");
    let body = json!({ "data": null, "code": status, "name": name, "status": code, "message": message, "readableMessage": readable });
    Reply::json(status, &body)
}

fn answer(request: &Request, total: usize) -> Reply {
    let authorization = request.header("authorization");
    if !authorization.is_empty() && authorization != format!("Bearer {KEY}") {
        return (SERVICE.auth)();
    }
    if request.method != "POST" || request.path != "/" || !request.json()["url"].is_string() {
        return error(400, 40_001, "ParamValidationError", "Invalid URL");
    }
    let content = if total > 0 { "# A post\n\nWith text." } else { "" };
    let usage = json!({ "tokens": 7 });
    let data = json!({
        "title": "A post", "description": "", "url": PAGE, "content": content, "publishedTime": "Wed, 01 May 2024 10:00:00 GMT", "usage": usage,
    });
    Reply::json(200, &json!({ "code": 200, "status": 20_000, "data": data, "meta": { "usage": usage } }))
}
