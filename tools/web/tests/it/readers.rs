//! Readers, and the addresses that they do not get.

use std::time::Duration;

use serde_json::{Value, json};
use toolc_web::readers::{ConfiguredReader, PublicAddress, READERS, Read, read};
use toolc_web::service::{Budget, Chain, Ended, Outcome, Rests};
use url::Url;

use crate::server::{Reply, Server};
use crate::services::{KEY, Mode, PAGE, READING, Running};
use crate::{BUDGET, client, configured_reader, never};

fn ask(running: &[&Running], budget: Budget) -> Read {
    let readers: Vec<ConfiguredReader> = running.iter().map(|running| configured_reader(running)).collect();
    let (client, rests) = (client(), Rests::default());
    let chain = Chain { client: &client, rests: &rests, budget, is_cancelled: &never };
    let address = PublicAddress::new(&Url::parse(PAGE).expect("an address")).expect("it has no secret");
    read(&chain, &readers, &address)
}

#[test]
fn every_reader_has_a_service_to_test_it() {
    let names: Vec<&str> = READERS.iter().map(|reader| reader.account.name).collect();
    assert_eq!(names, READING.iter().map(|service| service.name).collect::<Vec<_>>());
}

#[test]
fn a_right_answer_becomes_a_page() {
    for service in READING {
        let running = service.start(Mode::Right);
        let read = ask(&[&running], BUDGET);
        assert_eq!((read.ended, read.reader), (Ended::Answered, Some(service.name)), "{read:?}");
        let page = read.page.expect("a page");
        assert_eq!(
            (page.markdown.as_str(), page.title.as_deref(), page.is_cut),
            ("# A post\n\nWith text.", Some("A post"), false)
        );
        let has_date = service.name != "tavily";
        assert_eq!(page.published.as_deref(), has_date.then_some("2024-05-01"), "{}", service.name);
        let request = running.server.requests().remove(0);
        let body = request.json();
        assert!([&body["url"], &body["urls"][0]].contains(&&json!(PAGE)), "{}: {body}", service.name);
    }
}

#[test]
fn every_fault_of_every_reader_has_its_outcome() {
    for (mode, expected) in [
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
        for service in READING {
            let running = service.start(mode);
            let each = if mode == Mode::Slow { Duration::from_millis(300) } else { BUDGET.each };
            let read = ask(&[&running], Budget { each, ..BUDGET });
            assert_eq!(read.tried[0].outcome, expected, "{} {mode:?}: {read:?}", service.name);
            assert_eq!(read.page.is_some(), expected == Outcome::Ok, "{} {mode:?}", service.name);
            assert!(!format!("{read:?}").contains(KEY), "{read:?}");
        }
    }
}

#[test]
fn the_next_reader_is_asked_for_a_page_without_text() {
    let running: Vec<Running> = READING
        .iter()
        .zip([Mode::Empty, Mode::Auth, Mode::Right, Mode::Right])
        .map(|(service, mode)| service.start(mode))
        .collect();
    let read = ask(&running.iter().collect::<Vec<_>>(), BUDGET);
    let tried: Vec<_> = read.tried.iter().map(|tried| tried.outcome).collect();
    assert_eq!(
        (tried.as_slice(), read.reader),
        (&[Outcome::Empty, Outcome::Auth, Outcome::Ok][..], Some("jina")),
        "{read:?}"
    );
}

/// Asks a reader that answers with this.
fn answered(name: &str, body: &Value) -> Read {
    let body = body.clone();
    let service = READING.iter().find(|service| service.name == name).expect("a service");
    ask(&[&Running { service, server: Server::start(move |_| Reply::json(200, &body)) }], BUDGET)
}

#[test]
fn the_message_of_a_missing_page_is_not_a_page() {
    let exa = |tag: &str, status: u16| json!({ "results": [], "statuses": [{ "id": PAGE, "status": "error", "error": { "tag": tag, "httpStatusCode": status } }] });
    let firecrawl = |status: Value| json!({ "success": true, "data": { "markdown": "Not found", "metadata": { "statusCode": status } } });
    let jina = |status: u16| json!({ "data": { "content": "Not found", "warning": format!("Target URL returned error {status}: Not Found") } });
    for (name, body, expected) in [
        ("exa", exa("CRAWL_NOT_FOUND", 404), Outcome::Broken),
        ("exa", exa("CRAWL_LIVECRAWL_TIMEOUT", 504), Outcome::Timeout),
        ("exa", exa("SOURCE_NOT_AVAILABLE", 403), Outcome::Blocked),
        ("exa", json!({ "results": [], "statuses": [{ "status": "error" }] }), Outcome::Broken),
        ("exa", json!({ "results": [] }), Outcome::Empty),
        ("firecrawl", firecrawl(json!(404)), Outcome::Broken),
        ("firecrawl", firecrawl(json!("403")), Outcome::Blocked),
        ("firecrawl", firecrawl(json!(200)), Outcome::Ok),
        ("firecrawl", json!({ "success": false, "error": "no" }), Outcome::Broken),
        ("jina", jina(404), Outcome::Broken),
        ("jina", jina(429), Outcome::Blocked),
        ("jina", json!({ "data": { "content": " \n# \n", "title": "x" } }), Outcome::Empty),
        (
            "tavily",
            json!({ "results": [], "failed_results": [{ "url": PAGE, "error": "Failed to fetch url" }] }),
            Outcome::Broken,
        ),
    ] {
        let read = answered(name, &body);
        assert_eq!(read.tried[0].outcome, expected, "{name} {body}: {read:?}");
    }
}

#[test]
fn a_page_is_bounded() {
    let text = "word ".repeat(1 << 20);
    let read = answered("jina", &json!({ "data": { "content": text, "title": "x".repeat(5_000) } }));
    let page = read.page.expect("a page");
    assert!(page.is_cut && page.markdown.len() == 4 << 20, "{}", page.markdown.len());
    assert!(page.title.is_some_and(|title| title.chars().count() == 301));
}
