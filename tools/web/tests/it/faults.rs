//! What services do wrong, and what it is called.

use std::time::Duration;

use serde_json::json;
use toolc_web::search::{Found, Query};
use toolc_web::service::{Budget, Outcome};

use crate::server::{Reply, Server};
use crate::services::{KEY, Mode, Running, SEARCHING, Service};
use crate::{BUDGET, found};

fn ask(service: &'static Service, mode: Mode) -> (Running, Found) {
    let running = service.start(mode);
    // Only an answer that never comes may run out of time.
    let time = Duration::from_millis(300);
    let budget = if mode == Mode::Slow { Budget { total: time, each: time } } else { BUDGET };
    let found = found(&[&running], &Query::new("x").expect("a query"), budget);
    (running, found)
}

#[test]
fn every_fault_of_every_service_has_its_outcome() {
    for (mode, expected) in [
        (Mode::Right, Outcome::Ok),
        (Mode::Empty, Outcome::Empty),
        (Mode::Quota, Outcome::Quota),
        (Mode::Auth, Outcome::Auth),
        (Mode::Rate, Outcome::Rate),
        (Mode::Slow, Outcome::Timeout),
        (Mode::Down, Outcome::Broken),
        (Mode::Html, Outcome::Broken),
        (Mode::Challenge, Outcome::Blocked),
        (Mode::OtherJson, Outcome::Broken),
        (Mode::Deep, Outcome::Broken),
        (Mode::HalfJson, Outcome::Broken),
        (Mode::Early, Outcome::Broken),
        (Mode::Huge, Outcome::Broken),
        (Mode::Missing, Outcome::Ok),
        (Mode::Nulls, Outcome::Ok),
        (Mode::Strings, Outcome::Ok),
    ] {
        for service in SEARCHING {
            let (_running, found) = ask(service, mode);
            let tried = &found.tried[0];
            assert_eq!(tried.outcome, expected, "{} {mode:?}: {found:?}", service.name);
            assert_eq!(found.results.len(), if expected == Outcome::Ok { 10 } else { 0 }, "{} {mode:?}", service.name);
            let is_explained = tried.detail.is_some() || matches!(expected, Outcome::Ok | Outcome::Empty);
            assert!(is_explained, "{} {mode:?}: {found:?}", service.name);
            assert_eq!(tried.must_be_shown(), mode == Mode::Auth, "{}", service.name);
        }
    }
}

#[test]
fn a_failure_is_explained_in_the_words_of_the_service() {
    for (name, mode, expected) in [
        ("brave", Mode::Auth, "The provided subscription token is invalid.: check BRAVE_API_KEY"),
        ("exa", Mode::Quota, "status 402: You have exceeded your credits limit."),
        ("serper", Mode::Quota, "status 400: Not enough credits"),
        ("searxng", Mode::Auth, "add `json` to `search.formats` in its settings.yml"),
        ("searxng", Mode::Rate, "the limiter of this server refuses the request"),
        ("tavily", Mode::Html, "a page for browsers instead of JSON"),
        ("tavily", Mode::Challenge, "captcha"),
        ("tavily", Mode::Huge, "more than 8388608 bytes"),
        ("tavily", Mode::HalfJson, "not valid JSON"),
        ("tavily", Mode::OtherJson, "there is no list `results` in it"),
        ("tavily", Mode::Slow, "within 0.3 s"),
        ("tavily", Mode::Down, "status 503: no JSON, but: upstream connect error"),
    ] {
        let service = SEARCHING.iter().find(|service| service.name == name).expect("a service");
        let (_running, found) = ask(service, mode);
        let detail = found.tried[0].detail.as_deref().unwrap_or_default();
        assert!(detail.contains(expected), "{name} {mode:?}: {detail}");
    }
}

/// Asks an instance of `SearXNG` that answers with this.
fn searxng(body: &serde_json::Value) -> Found {
    let body = body.clone();
    let server = Server::start(move |_| Reply::json(200, &body));
    let service = SEARCHING.iter().find(|service| service.name == "searxng").expect("a service");
    found(&[&Running { service, server }], &Query::new("x").expect("a query"), BUDGET)
}

#[test]
fn an_empty_list_with_silent_engines_is_a_failure() {
    for (engines, expected) in [
        (json!([]), Outcome::Empty),
        (json!(null), Outcome::Empty),
        (json!([["google", "Suspended: CAPTCHA"], ["bing", "timeout"]]), Outcome::Blocked),
        (json!([["google", "too many requests"]]), Outcome::Blocked),
        (json!([["google", "timeout"], ["bing", "HTTP connection error"]]), Outcome::Timeout),
        (json!([["google", "unexpected crash"]]), Outcome::Broken),
        (json!(["google"]), Outcome::Broken),
    ] {
        let found = searxng(&json!({ "query": "x", "results": [], "unresponsive_engines": engines }));
        assert_eq!(found.tried[0].outcome, expected, "{engines}: {found:?}");
        let names_engine = found.tried[0].detail.as_deref().is_some_and(|detail| detail.contains("google"));
        assert_eq!(names_engine, expected != Outcome::Empty, "{found:?}");
    }
    let result = json!({ "url": "https://a.example/", "title": "A" });
    let found = searxng(&json!({ "results": [result], "unresponsive_engines": [["google", "timeout"]] }));
    assert_eq!(found.results.len(), 1, "{found:?}");
}

#[test]
fn a_failure_of_a_later_page_keeps_the_earlier_ones() {
    let service = SEARCHING.iter().find(|service| service.name == "brave").expect("a service");
    let server = Server::start(move |request| {
        if request.parameter("offset").is_empty() { (service.answer)(request, 100) } else { (service.rate)() }
    });
    let running = Running { service, server };
    let mut query = Query::new("x").expect("a query");
    query.count = 50;
    let found = found(&[&running], &query, BUDGET);
    assert_eq!((found.results.len(), found.tried[0].outcome), (20, Outcome::Ok), "{found:?}");
    assert!(
        found.tried[0].detail.as_deref().is_some_and(|detail| detail.starts_with("page 2: status 429")),
        "{found:?}"
    );
}

#[test]
fn results_without_addresses_are_another_form() {
    let service = SEARCHING.iter().find(|service| service.name == "serper").expect("a service");
    for organic in
        [json!([{ "href": "https://a.example/" }]), json!([1, null, "x", []]), json!([{ "link": "javascript:x" }])]
    {
        let body = json!({ "organic": organic });
        let server = Server::start(move |_| Reply::json(200, &body));
        let found = found(&[&Running { service, server }], &Query::new(KEY).expect("a query"), BUDGET);
        assert_eq!(found.tried[0].outcome, Outcome::Broken, "{organic}: {found:?}");
    }
}
