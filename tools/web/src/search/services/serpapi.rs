//! `SerpAPI`, with results of Google.

use serde_json::Value;

use crate::search::result::{Fields, Hit};
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::{Account, Failure, KeyPlace, Outcome, Request, Sign, clean, texts};

static ACCOUNT: Account = Account {
    name: "serpapi",
    title: "SerpAPI",
    key_variables: &["SERPAPI_API_KEY", "SERP_API_KEY", "SERPAPI_KEY"],
    key_place: KeyPlace::Parameter("api_key"),
    base_variables: &["SERPAPI_BASE_URL"],
    base: Some("https://serpapi.com"),
    signs: &[
        Sign { status: 0, part: "run out of searches", outcome: Outcome::Quota, advice: "" },
        Sign { status: 0, part: "invalid api key", outcome: Outcome::Auth, advice: "check SERPAPI_API_KEY" },
    ],
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    // Google no longer gives more than ten results a page (serpapi/public-roadmap#3227), and each page is a search.
    pages: PageLimits { size: 10, count: 3 },
    text: TextLimits { characters: 2_048, words: 32 },
    source: "serpapi 1.2.0, google-search-results 2.4.2 and serpapi.com/search-api, 2026-11-30",
    request,
    read,
};

const FIELDS: Fields =
    Fields { title: &[&["title"]], url: &[&["link"]], snippet: &[&["snippet"]], published: &[&["date"]] };

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let language = query.language.as_ref();
    Asked::new(
        Request::get("search.json")
            .with("engine", Some("google"))
            .with("q", Some(asking.text_with_sites()))
            .with("num", Some(asking.size))
            .with("start", (asking.page > 0).then_some(asking.page * 10))
            .with("hl", language.map(super::super::query::Language::language))
            .with("lr", language.map(|language| format!("lang_{}", language.language())))
            .with("gl", query.country.as_ref().map(super::super::query::Country::lower))
            .with("tbs", query.freshness.map(super::super::query::Freshness::google)),
    )
}

/// A search without results has a message instead of them, and so have some failures.
fn read(answer: &Value) -> Result<Vec<Hit>, Failure> {
    let hits = listed(answer, &[&["organic_results"]], &["search_metadata", "search_information", "error"], &FIELDS)?;
    let error = texts(answer, &[&["error"]]).map(|error| clean(&error, 300)).unwrap_or_default();
    let lower = error.to_lowercase();
    if error.is_empty()
        || !hits.is_empty()
        || lower.contains("hasn't returned any results")
        || lower.contains("no results")
    {
        return Ok(hits);
    }
    let sign = ACCOUNT.signs.iter().find(|sign| lower.contains(sign.part));
    Err(Failure::new(sign.map_or(Outcome::Broken, |sign| sign.outcome), error))
}
