//! What services ask for, and what they make of right answers.

use jiff::civil::date;
use serde_json::{Value, json};
use toolc_web::search::{DateRange, Freshness, Query, SERVICES};
use toolc_web::service::{Ended, Outcome};

use crate::server::Request;
use crate::services::{KEY, Mode, SEARCHING, Service};
use crate::{BUDGET, found};

fn query(text: &str) -> Query {
    Query::new(text).expect("a query")
}

/// Returns a query for a number of results.
fn query_for(count: usize) -> Query {
    let mut query = query("x");
    query.count = count;
    query
}

fn service(name: &str) -> &'static Service {
    SEARCHING.iter().find(|service| service.name == name).expect("a service")
}

#[test]
fn every_service_has_a_service_to_test_it() {
    let names: Vec<&str> = SERVICES.iter().map(|service| service.account.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert_eq!(names, SEARCHING.iter().map(|service| service.name).collect::<Vec<_>>());
}

#[test]
fn a_right_answer_becomes_results() {
    for service in SEARCHING {
        let running = service.start(Mode::Right);
        let found = found(&[&running], &query("rust traits"), BUDGET);
        let name = service.name;
        assert_eq!((found.ended, found.service, found.results.len()), (Ended::Answered, Some(name), 10), "{found:?}");
        let first = &found.results[0];
        assert_eq!(first.title, "Page 0 & more", "{name}");
        assert_eq!(first.url, "https://site0.example/page?utm_source=service&n=0", "{name}");
        assert!(!first.snippet.is_empty() && !first.snippet.contains('<'), "{name}: {first:?}");
        let has_date = !["firecrawl", "tavily", "xai"].contains(&name);
        assert_eq!(first.published.as_deref(), has_date.then_some("2024-05-01"), "{name}");
        assert_eq!((found.tried.len(), found.tried[0].outcome), (1, Outcome::Ok), "{name}");
        assert_eq!(running.server.requests().len(), 1, "{name}");
    }
}

/// The number of results, and the number of requests for them, of 25 pages.
#[test]
fn many_results_are_asked_for_in_pages() {
    for (name, results, requests) in [
        ("brave", 25, 2),
        ("exa", 25, 1),
        ("firecrawl", 25, 1),
        ("parallel", 25, 1),
        ("searxng", 25, 3),
        ("serpapi", 25, 3),
        ("serper", 25, 3),
        ("tavily", 20, 1),
        ("xai", 25, 1),
    ] {
        let running = service(name).start(Mode::Right);
        let found = found(&[&running], &query_for(25), BUDGET);
        assert_eq!((found.results.len(), running.server.requests().len()), (results, requests), "{name}: {found:?}");
        let numbers: Vec<bool> =
            found.results.iter().enumerate().map(|(n, result)| result.url.ends_with(&format!("n={n}"))).collect();
        assert!(numbers.iter().all(|is_next| *is_next), "{name}: {found:?}");
    }
}

#[test]
fn a_number_of_results_is_within_its_range() {
    let running = service("exa").start(Mode::Right);
    for (count, expected) in [(0, 1), (1, 1), (3, 3), (1_000, 25)] {
        let found = found(&[&running], &query_for(count), BUDGET);
        assert_eq!(found.results.len(), expected, "{count}");
    }
    let asked: Vec<Value> =
        running.server.requests().iter().map(|request| request.json()["numResults"].clone()).collect();
    assert_eq!(asked, [1, 1, 3, 100]);
}

/// Returns the parameters of a GET, or the body of a POST.
fn asked(request: &Request) -> Value {
    if request.method == "GET" { json!(request.query) } else { request.json() }
}

fn full_query() -> Query {
    let domain = |name: &str| name.parse().expect("a domain");
    let mut query = query("rust traits");
    query.count = 5;
    query.freshness = Some(Freshness::Range(DateRange::new(date(2024, 1, 2), date(2024, 3, 4)).expect("a range")));
    query.include_domains = vec![domain("example.com"), domain("rust-lang.org")];
    query.exclude_domains = vec![domain("old.example.com")];
    query.language = Some("de-AT".parse().expect("a language"));
    query.country = Some("DE".parse().expect("a country"));
    query
}

#[test]
fn a_query_with_everything_becomes_the_parameters_of_a_service() {
    let words = "rust traits (site:example.com OR site:rust-lang.org) -site:old.example.com";
    let (include, exclude) = (json!(["example.com", "rust-lang.org"]), json!(["old.example.com"]));
    let google = "cdr:1,cd_min:01/02/2024,cd_max:03/04/2024";
    let policy = json!({ "include_domains": include, "exclude_domains": exclude, "after_date": "2024-01-02" });
    let settings = json!({
        "max_results": 5, "excerpt_settings": { "max_chars_per_result": 1_000 }, "location": "de", "source_policy": policy,
    });
    let cases: [(&str, Value, &[&str]); 8] = [
        (
            "brave",
            json!({
                "q": words, "count": "5", "freshness": "2024-01-02to2024-03-04", "search_lang": "de", "country": "DE", "result_filter": "web",
                "text_decorations": "false",
            }),
            &[],
        ),
        (
            "exa",
            json!({
                "query": "rust traits", "numResults": 5, "type": "auto", "contents": { "highlights": true }, "includeDomains": include,
                "startPublishedDate": "2024-01-02T00:00:00.000Z", "endPublishedDate": "2024-03-04T23:59:59.999Z", "userLocation": "DE",
            }),
            &["the language"],
        ),
        (
            "firecrawl",
            json!({ "query": "rust traits", "limit": 5, "sources": ["web"], "includeDomains": include, "tbs": google, "country": "DE" }),
            &["the language"],
        ),
        (
            "parallel",
            json!({ "objective": "rust traits", "search_queries": ["rust traits"], "mode": "basic", "advanced_settings": settings }),
            &["the language", "the last date"],
        ),
        ("searxng", json!({ "q": words, "format": "json", "language": "de-DE" }), &["the range of dates"]),
        (
            "serpapi",
            json!({ "engine": "google", "q": words, "num": "5", "hl": "de", "lr": "lang_de", "gl": "de", "tbs": google, "api_key": KEY }),
            &[],
        ),
        ("serper", json!({ "q": words, "num": 5, "hl": "de", "gl": "de", "tbs": google }), &[]),
        (
            "tavily",
            json!({
                "query": "rust traits", "max_results": 5, "search_depth": "basic", "include_domains": include, "exclude_domains": exclude,
                "start_date": "2024-01-02", "end_date": "2024-03-04",
            }),
            &["the language", "the country"],
        ),
    ];
    for (name, expected, ignored) in cases {
        let running = service(name).start(Mode::Right);
        // No page is of these domains.
        let found = found(&[&running], &full_query(), BUDGET);
        assert_eq!((found.ended, found.tried[0].outcome), (Ended::Empty, Outcome::Empty), "{name}: {found:?}");
        assert!(found.tried[0].detail.as_deref().is_some_and(|text| text.contains("of other domains")), "{found:?}");
        assert_eq!(asked(&running.server.requests()[0]), expected, "{name}");
        let mut every = full_query();
        (every.include_domains, every.exclude_domains) = (Vec::new(), Vec::new());
        let found = crate::found(&[&running], &every, BUDGET);
        assert_eq!((found.results.len(), &*found.ignored), (5, ignored), "{name}");
    }
}

#[test]
fn freshness_is_a_word_of_the_service_or_a_date() {
    for (name, parameter, expected) in [
        ("brave", "freshness", "pw"),
        ("firecrawl", "tbs", "qdr:w"),
        ("searxng", "time_range", "week"),
        ("serpapi", "tbs", "qdr:w"),
        ("serper", "tbs", "qdr:w"),
        ("tavily", "time_range", "week"),
    ] {
        let running = service(name).start(Mode::Right);
        let mut query = query("x");
        query.freshness = Some(Freshness::Week);
        let found = found(&[&running], &query, BUDGET);
        assert!(found.ignored.is_empty() && found.results.len() == 10, "{name}: {found:?}");
        assert_eq!(asked(&running.server.requests()[0])[parameter], expected, "{name}");
    }
}

#[test]
fn a_long_query_is_cut_where_a_service_would_refuse_it() {
    let long = query(&"word ".repeat(300));
    for service in SEARCHING {
        let running = service.start(Mode::Right);
        let found = found(&[&running], &long, BUDGET);
        assert_eq!(found.results.len(), 10, "{}: {found:?}", service.name);
        let is_limited = ["brave", "firecrawl", "serpapi", "serper", "tavily"].contains(&service.name);
        assert_eq!(found.ignored.len(), usize::from(is_limited), "{}: {found:?}", service.name);
    }
}
