//! Brave Search.

use crate::search::query::{Country, Freshness, Language};
use crate::search::result::Fields;
use crate::search::service::{Asked, Asking, PageLimits, SearchService, TextLimits, listed};
use crate::service::{Account, KeyPlace, Outcome, Request, Sign, today};

static ACCOUNT: Account = Account {
    name: "brave",
    title: "Brave Search",
    key_variables: &["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
    key_place: KeyPlace::Header("x-subscription-token"),
    base_variables: &["BRAVE_BASE_URL"],
    base: Some("https://api.search.brave.com"),
    signs: &[
        Sign { status: 0, part: "subscription_token", outcome: Outcome::Auth, advice: "check BRAVE_API_KEY" },
        Sign { status: 0, part: "subscription token", outcome: Outcome::Auth, advice: "check BRAVE_API_KEY" },
        Sign { status: 429, part: "quota", outcome: Outcome::Quota, advice: "" },
    ],
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    pages: PageLimits { size: 20, count: 5 },
    text: TextLimits { characters: 400, words: 50 },
    source: "api-dashboard.search.brave.com/api-reference/web/search/get and brave/brave-search-mcp-server, 2026-11-30",
    request,
    read: |answer| listed(answer, &[&["web", "results"]], &["query", "type"], &FIELDS),
};

const FIELDS: Fields = Fields {
    title: &[&["title"]],
    url: &[&["url"]],
    snippet: &[&["description"], &["extra_snippets"]],
    published: &[&["page_age"], &["age"]],
};

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    let (language, country) = (query.language.as_ref(), query.country.as_ref());
    let (known_language, known_country) = (language.and_then(search_lang), country.and_then(known));
    let request = Request::get("res/v1/web/search")
        .with("q", Some(asking.text_with_sites()))
        .with("count", Some(asking.size))
        .with("offset", (asking.page > 0).then_some(asking.page))
        .with("freshness", query.freshness.map(freshness))
        .with("search_lang", known_language)
        .with("country", known_country)
        .with("result_filter", Some("web"))
        .with("text_decorations", Some(false));
    Asked::new(request)
        .ignoring(language.is_some() && known_language.is_none(), "the language")
        .ignoring(country.is_some() && known_country.is_none(), "the country")
}

fn freshness(freshness: Freshness) -> String {
    let range = || {
        let dates = freshness.dates(today());
        format!("{}to{}", dates.first(), dates.last())
    };
    freshness.word(["pd", "pw", "pm", "py"]).map_or_else(range, str::to_owned)
}

/// The values of `search_lang`. Others are refused.
const LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "en", "en-gb", "es", "et", "eu", "fi", "fr", "gl", "gu", "he", "hi",
    "hr", "hu", "is", "it", "jp", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl", "pt-br", "pt-pt",
    "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "vi", "zh-hans", "zh-hant",
];
/// Languages that have other names there.
const NAMES: &[(&str, &str)] = &[
    ("ja", "jp"),
    ("no", "nb"),
    ("pt", "pt-pt"),
    ("zh", "zh-hans"),
    ("zh-cn", "zh-hans"),
    ("zh-hk", "zh-hant"),
    ("zh-tw", "zh-hant"),
];
/// The values of `country`. Others are refused.
const COUNTRIES: &[&str] = &[
    "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CN", "DE", "DK", "ES", "FI", "FR", "GB", "HK", "ID", "IN", "IT",
    "JP", "KR", "MX", "MY", "NL", "NO", "NZ", "PH", "PL", "PT", "RU", "SA", "SE", "TR", "TW", "US", "ZA",
];

fn search_lang(language: &Language) -> Option<&'static str> {
    let known = |tag: &str| {
        let named = NAMES.iter().find(|(name, _)| *name == tag).map(|(_, value)| *value);
        named.or_else(|| LANGUAGES.iter().copied().find(|language| *language == tag))
    };
    known(language.tag()).or_else(|| known(language.language()))
}

fn known(country: &Country) -> Option<&'static str> {
    COUNTRIES.iter().copied().find(|known| *known == country.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_the_names_of_the_service() {
        let lang = |tag: &str| search_lang(&tag.parse().expect(tag));
        let expected = [
            ("de", "de"),
            ("de-AT", "de"),
            ("en-GB", "en-gb"),
            ("ja", "jp"),
            ("zh-TW", "zh-hant"),
            ("zh", "zh-hans"),
            ("pt-BR", "pt-br"),
        ];
        for (tag, value) in expected {
            assert_eq!(lang(tag), Some(value), "{tag}");
        }
        assert_eq!(lang("tlh"), None);
    }
}
