//! Firecrawl, also on a server of the user.

use serde_json::{Value, json};

use crate::search::result::{Fields, Hit};
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::accounts::FIRECRAWL;
use crate::service::{Failure, Outcome, Request, texts};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &FIRECRAWL,
    pages: PageLimits { size: 100, count: 1 },
    text: TextLimits { characters: 500, words: 0 },
    source: "firecrawl-py 4.55.0, v2/methods/search.py, 2026-11-30",
    request,
    read,
};

const FIELDS: Fields = Fields {
    title: &[&["title"], &["metadata", "title"]],
    url: &[&["url"], &["metadata", "sourceURL"], &["metadata", "url"]],
    snippet: &[&["description"], &["snippet"], &["metadata", "description"]],
    published: &[&["date"]],
};

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    // It takes one of the two lists.
    let (include, exclude) = query.one_list();
    let mut body = json!({ "query": asking.text(), "limit": asking.size, "sources": ["web"] });
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    set("includeDomains", include.map(Into::into));
    set("excludeDomains", exclude.map(Into::into));
    set("tbs", query.freshness.map(|freshness| freshness.google().into()));
    set("country", query.country.as_ref().map(|country| country.code().into()));
    Asked::new(Request::post("v2/search", body)).ignoring(query.language.is_some(), "the language")
}

fn read(answer: &Value) -> Result<Vec<Hit>, Failure> {
    if answer.get("success") == Some(&Value::Bool(false)) {
        let why = texts(answer, &[&["error"], &["message"]]).unwrap_or_else(|| "without a reason".to_owned());
        return Err(Failure::new(Outcome::Broken, format!("the search has failed: {why}")));
    }
    // An older server has the results in `data` itself. A search without results has no `web`.
    listed(answer, &[&["data", "web"], &["data"]], &["data"], &FIELDS)
}
