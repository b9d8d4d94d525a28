//! xAI: a model that searches the web, and cites what it has found. A request takes seconds to a minute, and costs a call of the model.

use std::time::Duration;

use serde_json::{Value, json};

use crate::search::query::DateRange;
use crate::search::result::Hit;
use crate::search::service::{Asked, Asking, MAX_HITS, PageLimits, SearchService, TextLimits};
use crate::service::{Account, Failure, Outcome, Request, Sign, at, clean, texts, today};

const MODEL: &str = "XAI_SEARCH_MODEL";
/// The maximum number of domains that it takes.
const MAX_DOMAINS: usize = 5;
/// The length of the excerpt of its answer before a citation, in characters.
const EXCERPT: usize = 400;

static ACCOUNT: Account = Account {
    name: "xai",
    title: "xAI",
    key_variables: &["XAI_API_KEY"],
    base_variables: &["XAI_BASE_URL"],
    base: Some("https://api.x.ai"),
    settings: &[(MODEL, "grok-4-1-fast")],
    patience: Some(Duration::from_mins(1)),
    // It uses general statuses for both.
    signs: &[
        Sign { status: 0, part: "incorrect api key", outcome: Outcome::Auth, advice: "check XAI_API_KEY" },
        Sign { status: 0, part: "available credits", outcome: Outcome::Quota, advice: "" },
        Sign { status: 0, part: "spending limit", outcome: Outcome::Quota, advice: "" },
    ],
    ..Account::BARE
};

pub(super) static PROVIDER: SearchService = SearchService {
    account: &ACCOUNT,
    pages: PageLimits { size: 100, count: 1 },
    text: TextLimits { characters: 0, words: 0 },
    source: "docs.x.ai/docs/guides/tools/search-tools and docs.x.ai/developers/tools/citations, 2026-11-30",
    request,
    read,
};

fn request(asking: &Asking<'_>) -> Asked {
    let query = asking.query;
    // It takes one of the two lists.
    let (include, exclude) = query.one_list();
    let has_many = [&include, &exclude].into_iter().flatten().any(|domains| domains.len() > MAX_DOMAINS);
    let mut tool = json!({ "type": "web_search" });
    for (name, domains) in [("allowed_domains", include), ("excluded_domains", exclude)] {
        if let Some(domains) = domains.filter(|domains| domains.len() <= MAX_DOMAINS) {
            tool["filters"] = json!({ name: domains });
        }
    }
    let body = json!({
        "model": asking.access.setting(MODEL),
        "store": false,
        "input": [{ "role": "user", "content": prompt(asking) }],
        "tools": [tool],
    });
    Asked::new(Request::post("v1/responses", body)).ignoring(has_many, "the domains, of which it takes five")
}

/// Asks for a list of pages. What has no parameter is said.
fn prompt(asking: &Asking<'_>) -> String {
    let query = asking.query;
    let mut prompt = format!(
        "Search the web for the query below, and list up to {} of the most relevant pages. Write one line about each, with its citation.",
        asking.size
    );
    if let Some(freshness) = query.freshness {
        let range: DateRange = freshness.dates(today());
        prompt.push_str(&format!(" Only pages published from {} to {}.", range.first(), range.last()));
    }
    if let Some(language) = &query.language {
        prompt.push_str(&format!(" Only pages in the language `{}`.", language.tag()));
    }
    if let Some(country) = &query.country {
        prompt.push_str(&format!(" Prefer pages from the country `{}`.", country.code()));
    }
    format!("{prompt}\n\nQuery: {}", asking.text())
}

/// Reads the pages that the answer cites, and after them the other pages that the model has looked at.
fn read(answer: &Value) -> Result<Vec<Hit>, Failure> {
    let Some(output) = at(answer, &["output"]).and_then(Value::as_array) else {
        return Err(Failure::broken("there is no list `output` in the answer"));
    };
    let contents = output.iter().filter_map(|item| item.get("content")?.as_array()).flatten();
    let mut hits: Vec<Hit> = contents.flat_map(cited).take(MAX_HITS).collect();
    let others = at(answer, &["citations"]).and_then(Value::as_array).into_iter().flatten();
    hits.extend(
        others.filter_map(Value::as_str).take(MAX_HITS).map(|url| Hit { url: Some(url.to_owned()), ..Hit::default() }),
    );
    Ok(hits)
}

/// Returns the pages that a text cites.
fn cited(content: &Value) -> Vec<Hit> {
    let text: Vec<char> = texts(content, &[&["text"]]).unwrap_or_default().chars().collect();
    let annotations = at(content, &["annotations"]).and_then(Value::as_array).into_iter().flatten();
    let citation = |annotation: &Value| {
        let url = texts(annotation, &[&["url"]])?;
        // The title of a citation is mostly its number.
        let title = texts(annotation, &[&["title"]]).filter(|title| title.parse::<u32>().is_err());
        let start =
            at(annotation, &["start_index"]).and_then(Value::as_u64).and_then(|start| usize::try_from(start).ok());
        let snippet = start.map(|start| before(&text, start));
        Some(Hit { title, url: Some(url), snippet, published: None })
    };
    annotations.filter_map(citation).collect()
}

/// Returns the line before a place of a text. A place after the end is the end.
fn before(text: &[char], start: usize) -> String {
    let text = &text[..start.min(text.len())];
    let text = &text[text.len().saturating_sub(EXCERPT)..];
    let line = text.iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1);
    let line: String = text[line..].iter().collect();
    clean(line.trim_matches(|letter: char| letter.is_whitespace() || "-*•".contains(letter)), EXCERPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_results_with_the_line_before_them() {
        let text = "Found:\n- Rust has traits [[1]](https://a.example/)\n- More [[2]](https://b.example/)";
        let annotation = |title: &str, url: &str, start: usize| json!({ "type": "url_citation", "title": title, "url": url, "start_index": start });
        let annotations =
            json!([annotation("1", "https://a.example/", 25), annotation("B", "https://b.example/", 9_999)]);
        let answer = json!({
            "output": [
                { "type": "web_search_call", "status": "completed" },
                { "type": "message", "content": [{ "type": "output_text", "text": text, "annotations": annotations }] },
            ],
            "citations": ["https://c.example/", 7],
        });
        let hits = read(&answer).expect("results");
        let urls: Vec<_> = hits.iter().filter_map(|hit| hit.url.as_deref()).collect();
        assert_eq!(urls, ["https://a.example/", "https://b.example/", "https://c.example/"]);
        assert_eq!((hits[0].title.as_deref(), hits[0].snippet.as_deref()), (None, Some("Rust has traits")));
        assert_eq!((hits[1].title.as_deref(), hits[2].snippet.as_deref()), (Some("B"), None));
        assert!(read(&json!({ "id": "x" })).is_err());
        assert!(read(&json!({ "output": [] })).expect("an answer").is_empty());
    }
}
