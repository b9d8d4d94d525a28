//! Serper, with results of Google.

use serde_json::{Value, json};

use crate::search::result::Fields;
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::{Account, KeyPlace, Outcome, Request, Sign};

static ACCOUNT: Account = Account {
    name: "serper",
    title: "Serper",
    key_variables: &["SERPER_API_KEY"],
    key_place: KeyPlace::Header("x-api-key"),
    base_variables: &["SERPER_BASE_URL"],
    base: Some("https://google.serper.dev"),
    // It uses the status 400 for an empty account.
    signs: &[Sign { status: 0, part: "not enough credits", outcome: Outcome::Quota, advice: "" }],
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    // Each page is paid for.
    pages: PageLimits { size: 10, count: 3 },
    text: TextLimits { characters: 2_048, words: 32 },
    source: "clients of google.serper.dev in public repositories (no page of its own was found), 2026-11-30",
    request,
    read: |answer| listed(answer, &[&["organic"]], &["searchParameters", "credits"], &FIELDS),
};

const FIELDS: Fields =
    Fields { title: &[&["title"]], url: &[&["link"]], snippet: &[&["snippet"]], published: &[&["date"]] };

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let mut body = json!({ "q": asking.text_with_sites(), "num": asking.size });
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    set("page", (asking.page > 0).then(|| (asking.page + 1).into()));
    set("hl", query.language.as_ref().map(|language| language.language().into()));
    set("gl", query.country.as_ref().map(|country| country.lower().into()));
    set("tbs", query.freshness.map(|freshness| freshness.google().into()));
    Asked::new(Request::post("search", body))
}
