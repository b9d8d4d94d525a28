//! `SearXNG`, on a server of the user, and its predecessor `searx`.

use serde_json::Value;

use crate::search::query::{Freshness, Query};
use crate::search::result::{Fields, Hit};
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::{Account, Failure, KeyUse, Outcome, Request, Sign, at, clean, text};

static ACCOUNT: Account = Account {
    name: "searxng",
    title: "SearXNG",
    key_use: KeyUse::Optional,
    base_variables: &["SEARXNG_URL", "SEARXNG_BASE_URL"],
    signs: &[
        Sign {
            status: 403,
            part: "",
            outcome: Outcome::Auth,
            advice: "this server does not allow answers in JSON: add `json` to `search.formats` in its settings.yml, or ask another server",
        },
        Sign {
            status: 429,
            part: "",
            outcome: Outcome::Rate,
            advice: "the limiter of this server refuses the request",
        },
    ],
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    // Its pages have as many results as its engines give, mostly 10 to 30.
    pages: PageLimits { size: 100, count: 4 },
    text: TextLimits { characters: 0, words: 0 },
    source: "searxng/searxng, docs/dev/search_api.rst, searx/webutils.py and searx/webadapter.py, 2026-11-30",
    request,
    read,
};

const FIELDS: Fields = Fields {
    title: &[&["title"]],
    url: &[&["url"]],
    snippet: &[&["content"]],
    published: &[&["publishedDate"], &["pubdate"]],
};

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let is_range = matches!(query.freshness, Some(Freshness::Range(_)));
    let request = Request::get("search")
        .with("q", Some(asking.text_with_sites()))
        .with("format", Some("json"))
        .with("pageno", (asking.page > 0).then_some(asking.page + 1))
        .with("language", language(query))
        .with("time_range", query.freshness.and_then(|freshness| freshness.word(["day", "week", "month", "year"])));
    Asked::new(request)
        .ignoring(is_range, "the range of dates")
        .ignoring(query.country.is_some() && query.language.is_none(), "the country")
}

/// Returns a language, with a country if one is given: `de-AT`.
fn language(query: &Query) -> Option<String> {
    let language = query.language.as_ref()?;
    let with_country = query.country.as_ref().map(|country| format!("{}-{}", language.language(), country.code()));
    Some(with_country.unwrap_or_else(|| match language.tag().split_once('-') {
        Some((language, country)) if country.len() == 2 => format!("{language}-{}", country.to_ascii_uppercase()),
        _ => language.tag().to_owned(),
    }))
}

fn read(answer: &Value) -> Result<Vec<Hit>, Failure> {
    let hits = listed(answer, &[&["results"]], &[], &FIELDS)?;
    match unresponsive(answer) {
        Some(failure) if hits.is_empty() => Err(failure),
        _ => Ok(hits),
    }
}

/// Returns the failure of the engines that have not answered: `[["engine", "reason"], ...]`.
fn unresponsive(answer: &Value) -> Option<Failure> {
    let engines = at(answer, &["unresponsive_engines"])?.as_array().filter(|engines| !engines.is_empty())?;
    let reasons: Vec<String> =
        engines.iter().take(10).filter_map(text).map(|reason| clean(&reason.replace(" … ", ": "), 100)).collect();
    let all = reasons.join(", ").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    let outcome = if has(&["captcha", "denied", "too many requests", "suspended", "blocked", "403", "429"]) {
        Outcome::Blocked
    } else if has(&["timeout", "timed out"]) {
        Outcome::Timeout
    } else {
        Outcome::Broken
    };
    Some(Failure::new(
        outcome,
        format!("no engine has found anything, and these have not answered: {}", reasons.join(", ")),
    ))
}
