//! Exa.

use serde_json::json;

use crate::search::result::Fields;
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::accounts::EXA;
use crate::service::{Request, today};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &EXA,
    pages: PageLimits { size: 100, count: 1 },
    text: TextLimits { characters: 0, words: 0 },
    source: "exa-py 2.28.0, 2026-11-30",
    request,
    read: |answer| listed(answer, &[&["results"]], &["requestId", "resolvedSearchType"], &FIELDS),
};

const FIELDS: Fields = Fields {
    title: &[&["title"]],
    url: &[&["url"], &["id"]],
    snippet: &[&["highlights"], &["summary"], &["text"]],
    published: &[&["publishedDate"]],
};

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    // It takes one of the two lists.
    let (include, exclude) = query.one_list();
    let mut body = json!({
        "query": asking.text(),
        "numResults": asking.size,
        "type": "auto",
        "contents": { "highlights": true },
    });
    let mut set = |name: &str, value: Option<serde_json::Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    set("includeDomains", include.map(Into::into));
    set("excludeDomains", exclude.map(Into::into));
    set("userLocation", query.country.as_ref().map(|country| country.code().into()));
    if let Some(freshness) = query.freshness {
        let dates = freshness.dates(today());
        set("startPublishedDate", Some(format!("{}T00:00:00.000Z", dates.first()).into()));
        set("endPublishedDate", Some(format!("{}T23:59:59.999Z", dates.last()).into()));
    }
    Asked::new(Request::post("search", body)).ignoring(query.language.is_some(), "the language")
}
