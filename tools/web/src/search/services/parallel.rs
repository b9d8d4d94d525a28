//! Parallel.

use serde_json::{Value, json};

use crate::search::query::{Freshness, names};
use crate::search::result::Fields;
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::{Account, KeyPlace, Request, today};

static ACCOUNT: Account = Account {
    name: "parallel",
    title: "Parallel",
    key_variables: &["PARALLEL_API_KEY"],
    key_place: KeyPlace::Header("x-api-key"),
    base_variables: &["PARALLEL_BASE_URL"],
    base: Some("https://api.parallel.ai"),
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    pages: PageLimits { size: 100, count: 1 },
    text: TextLimits { characters: 0, words: 0 },
    source: "parallel-web 1.3.7, types/client_search_params.py, 2026-11-30",
    request,
    read: |answer| listed(answer, &[&["results"]], &["search_id"], &FIELDS),
};

const FIELDS: Fields =
    Fields { title: &[&["title"]], url: &[&["url"]], snippet: &[&["excerpts"]], published: &[&["publish_date"]] };

/// The excerpts of a result, in characters.
const EXCERPT: usize = 1_000;

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let mut policy = json!({});
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            policy[name] = value;
        }
    };
    set("include_domains", names(&query.include_domains).map(Into::into));
    set("exclude_domains", names(&query.exclude_domains).map(Into::into));
    set("after_date", query.freshness.map(|freshness| freshness.dates(today()).first().to_string().into()));
    let mut settings = json!({ "max_results": asking.size, "excerpt_settings": { "max_chars_per_result": EXCERPT } });
    if let Some(country) = &query.country {
        settings["location"] = country.lower().into();
    }
    if policy.as_object().is_some_and(|policy| !policy.is_empty()) {
        settings["source_policy"] = policy;
    }
    let text = asking.text();
    let body = json!({ "objective": text, "search_queries": [text], "mode": "basic", "advanced_settings": settings });
    let has_end = matches!(query.freshness, Some(Freshness::Range(range)) if range.last() < today());
    Asked::new(Request::post("v1/search", body))
        .ignoring(query.language.is_some(), "the language")
        .ignoring(has_end, "the last date")
}
