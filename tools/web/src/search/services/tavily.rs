//! Tavily.

use serde_json::{Value, json};

use crate::search::query::names;
use crate::search::result::Fields;
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::accounts::TAVILY;
use crate::service::{Request, today};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &TAVILY,
    pages: PageLimits { size: 20, count: 1 },
    text: TextLimits { characters: 400, words: 0 },
    source: "tavily-python 0.8.5 and docs.tavily.com, 2026-11-30",
    request,
    read: |answer| listed(answer, &[&["results"]], &["query", "response_time"], &FIELDS),
};

const FIELDS: Fields =
    Fields { title: &[&["title"]], url: &[&["url"]], snippet: &[&["content"]], published: &[&["published_date"]] };

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let mut body = json!({ "query": asking.text(), "max_results": asking.size, "search_depth": "basic" });
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    set("include_domains", names(&query.include_domains).map(Into::into));
    set("exclude_domains", names(&query.exclude_domains).map(Into::into));
    if let Some(freshness) = query.freshness {
        let word = freshness.word(["day", "week", "month", "year"]);
        let dates = freshness.dates(today());
        set("time_range", word.map(Into::into));
        set("start_date", word.is_none().then(|| dates.first().to_string().into()));
        set("end_date", word.is_none().then(|| dates.last().to_string().into()));
    }
    // It wants the English name of a country, and the form of its `language` is not published.
    Asked::new(Request::post("search", body))
        .ignoring(query.language.is_some(), "the language")
        .ignoring(query.country.is_some(), "the country")
}
