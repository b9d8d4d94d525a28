//! The accounts of services that both search and read pages. Those that do one of the two are next to what they do.

use super::account::{Account, KeyPlace, KeyUse, Sign};
use super::outcome::Outcome;

/// exa-py 2.28.0 (`api.py`), and its codes of errors, read on 2026-11-30.
pub(crate) static EXA: Account = Account {
    name: "exa",
    title: "Exa",
    key_variables: &["EXA_API_KEY"],
    key_place: KeyPlace::Header("x-api-key"),
    base_variables: &["EXA_BASE_URL"],
    base: Some("https://api.exa.ai"),
    signs: &[
        Sign { status: 0, part: "no_more_credits", outcome: Outcome::Quota, advice: "" },
        Sign { status: 0, part: "budget_exceeded", outcome: Outcome::Quota, advice: "" },
        Sign { status: 0, part: "invalid_api_key", outcome: Outcome::Auth, advice: "check EXA_API_KEY" },
    ],
    ..Account::BARE
};

/// firecrawl-py 4.55.0 (`v2/utils/error_handler.py`), read on 2026-11-30.
pub(crate) static FIRECRAWL: Account = Account {
    name: "firecrawl",
    title: "Firecrawl",
    key_variables: &["FIRECRAWL_API_KEY"],
    key_use: KeyUse::Public,
    base_variables: &["FIRECRAWL_API_URL", "FIRECRAWL_BASE_URL"],
    base: Some("https://api.firecrawl.dev"),
    signs: &[
        Sign {
            status: 0,
            part: "third_party_data_terms",
            outcome: Outcome::Auth,
            advice: "accept these terms in its dashboard",
        },
        Sign { status: 0, part: "insufficient credits", outcome: Outcome::Quota, advice: "" },
        Sign { status: 0, part: "scrape_timeout", outcome: Outcome::Timeout, advice: "" },
        // It uses this status for pages that it does not read.
        Sign { status: 403, part: "", outcome: Outcome::Blocked, advice: "" },
    ],
    ..Account::BARE
};

/// tavily-python 0.8.5 (`tavily.py`, `errors.py`), read on 2026-11-30: 432 and 433 are the limits of a plan and of pay-as-you-go. Without a
/// key, it searches and extracts a few pages.
pub(crate) static TAVILY: Account = Account {
    name: "tavily",
    title: "Tavily",
    key_variables: &["TAVILY_API_KEY"],
    key_use: KeyUse::Optional,
    keyless: Some(("x-tavily-access-mode", "keyless")),
    base_variables: &["TAVILY_BASE_URL"],
    base: Some("https://api.tavily.com"),
    signs: &[
        Sign { status: 432, part: "", outcome: Outcome::Quota, advice: "" },
        Sign { status: 433, part: "", outcome: Outcome::Quota, advice: "" },
        Sign { status: 429, part: "usage limit", outcome: Outcome::Quota, advice: "" },
    ],
    ..Account::BARE
};
