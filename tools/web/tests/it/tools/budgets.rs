//! The limits of a crawl, each of which ends it with its word.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::ToolCall;
use toolc::cancel::CancelHandle;
use toolc::testing::{Caller, wait};
use toolc_catalog::web::WebTools as _;
use toolc_catalog::web::web_crawl::{Args, ReturnsEnded, Scope};
use toolc_test_support::wait_until;
use toolc_web::{WebHandlers, WebSettings};

use super::{Tools, asked, page, settings};
use crate::server::{End, Reply, Server};

/// A site in which each page links to three others, without an end, and one does not answer.
fn endless() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/robots.txt" | "/sitemap.xml" => Reply::missing(),
        "/slow" => Reply { end: End::Never, ..Reply::html("") },
        path => {
            let path = path.trim_end_matches('/');
            Reply::html(&page(path, ["a", "b", "c"].map(|name| format!("{path}-{name}")).iter().map(String::as_str)))
        }
    })
}

pub(super) fn args(url: Option<String>, resume: Option<String>) -> Args {
    Args {
        url,
        resume,
        scope: Scope::Host,
        include: None,
        exclude: None,
        max_pages: 100,
        max_depth: 50,
        max_minutes: 30,
    }
}

#[test]
fn no_more_pages_are_read_than_a_call_may() {
    let server = endless();
    let tools = Tools::new(&[&server]);
    let (mut resume, mut pages) = (Value::Null, 0);
    for most in [1, 2, 3, 10, 31] {
        let before = server.requests().len();
        let start = json!({ "url": format!("{}/x", server.url()), "max_pages": most, "scope": "host" });
        let arguments = if resume.is_null() { start } else { json!({ "resume": resume, "max_pages": most }) };
        let crawled = tools.crawl(&arguments);
        pages += most;
        assert_eq!((crawled.ended(), crawled.rows.len()), ("max_pages", pages));
        assert!(server.requests().len() - before <= most + 2, "no page is fetched in vain");
        resume = crawled.returns["resume"].clone();
    }
    let mut paths = asked(&server);
    let count = paths.len();
    paths.dedup();
    assert_eq!((paths.len(), count), (pages, pages), "no page is read twice");
}

#[test]
fn the_size_of_all_pages_is_bounded() {
    let server = endless();
    let tools = Tools::with(&[&server], &[], |settings| WebSettings { crawl_bytes: 20_000, ..settings });
    let crawled = tools.crawl(&json!({ "url": format!("{}/x", server.url()), "scope": "host", "max_pages": 5_000 }));
    assert_eq!(crawled.ended(), "max_bytes");
    assert!((10..100).contains(&crawled.rows.len()), "{}", crawled.rows.len());
    let more = tools.crawl(&json!({ "resume": crawled.returns["resume"], "max_pages": 5_000 }));
    assert!(more.rows.len() > crawled.rows.len());
}

#[test]
fn the_size_of_all_rows_is_bounded() {
    // In a row, each quote takes two bytes.
    let server = Server::start(|request| match request.path.strip_prefix("/text-") {
        Some(number) => Reply::text(200, "text/plain", &format!("{number} {}", "\"\"\"\"\"\"word ".repeat(500))),
        None if request.path == "/" => {
            let links: Vec<String> = (0..20).map(|number| format!("/text-{number}")).collect();
            Reply::html(&page("start", links.iter().map(String::as_str)))
        }
        None => Reply::missing(),
    });
    let tools = Tools::with(&[&server], &[], |settings| WebSettings { crawl_bytes: 50_000, ..settings });
    let mut crawled = tools.crawl(&json!({ "url": server.url() }));
    let size = |crawled: &super::Crawled| {
        std::fs::metadata(crawled.returns["file"].as_str().expect("a path")).expect("the rows").len()
    };
    let largest = 500 * 17 + 200;
    assert_eq!(crawled.ended(), "max_bytes");
    assert!((50_000..50_000 + largest).contains(&size(&crawled)), "{}", size(&crawled));
    while crawled.ended() != "complete" {
        let before = size(&crawled);
        crawled = tools.crawl(&json!({ "resume": crawled.returns["resume"] }));
        assert!(size(&crawled) < before + 50_000 + largest, "{}", size(&crawled));
    }
    assert_eq!(crawled.rows.len(), 21);
}

#[test]
fn a_crawl_whose_time_is_over_ends() {
    let server = endless();
    let home = tempfile::TempDir::new().expect("a folder");
    let handlers = WebHandlers::new(settings(&[server.port], home.path()));
    let caller = Caller::new();
    let no_time = Args { max_minutes: 0, ..args(Some(format!("{}/x", server.url())), None) };
    let ended = wait(handlers.web_crawl(no_time, &caller.call("web_crawl"))).expect("it has ended");
    assert_eq!((ended.ended, ended.pages, ended.left), (ReturnsEnded::Time, 0, 1));
    let more = wait(handlers.web_crawl(Args { max_pages: 7, ..args(None, ended.resume) }, &caller.call("web_crawl")));
    assert_eq!(more.expect("it continues").pages, 7);
}

/// A site whose page `/slow` does not answer the first time.
fn slow() -> Server {
    let asked = AtomicBool::new(false);
    Server::start(move |request| match request.path.as_str() {
        "/" => Reply::html(&page("start", ["/slow", "/a", "/b"])),
        "/a" | "/b" => Reply::html(&page(&request.path, [])),
        "/slow" if asked.swap(true, Ordering::SeqCst) => Reply::html(&page("slow", [])),
        "/slow" => Reply { end: End::Never, ..Reply::html("") },
        _ => Reply::missing(),
    })
}

#[test]
fn a_cancelled_crawl_ends_at_once_and_keeps_what_it_has() {
    let server = slow();
    let home = tempfile::TempDir::new().expect("a folder");
    let handlers = WebHandlers::new(settings(&[server.port], home.path()));
    let caller = Caller::new();
    let ended = std::thread::scope(|scope| {
        let run = || {
            let ended = wait(handlers.web_crawl(args(Some(server.url()), None), &caller.call("web_crawl")));
            (ended.expect("it has ended"), Instant::now())
        };
        let crawl = scope.spawn(run);
        wait_until("all pages", || caller.progress().len() == 3 && asked(&server).contains(&"/slow".to_owned()));
        caller.cancel();
        let cancelled = Instant::now();
        let (ended, at) = crawl.join().expect("no panic");
        // The page that does not answer would take 20 seconds.
        assert!(at.saturating_duration_since(cancelled) < Duration::from_secs(10));
        ended
    });
    assert_eq!((ended.ended, ended.pages, ended.left), (ReturnsEnded::Cancelled, 3, 1));
    let rows = std::fs::read_to_string(&ended.file).expect("the rows");
    assert_eq!(rows.lines().count(), 3);
}

#[test]
fn the_result_of_a_cancelled_call_names_the_crawl() {
    let server = slow();
    let (tools, cancel) = (Tools::new(&[&server]), CancelHandle::new());
    let arguments = json!({ "url": server.url() }).to_string();
    let call = ToolCall::new("web_crawl", &arguments).with_cancel(&cancel);
    let cancelled = std::thread::scope(|scope| {
        let crawl = scope.spawn(|| tools.harness.send(&call));
        // Rows are written before the page that does not answer is visited again.
        wait_until("the rows", || {
            let results = std::fs::read_dir(tools.home.path().join("results")).into_iter().flatten().flatten();
            let rows = results.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
            rows.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).any(|text| text.lines().count() == 3)
        });
        cancel.cancel();
        crawl.join().expect("no panic").value()
    });
    assert_eq!((&cancelled["ended"], &cancelled["left"]), (&json!("cancelled"), &json!(1)), "{cancelled}");
    let name = cancelled["resume"].as_str().expect("a name");
    assert!(cancelled["file"].as_str().is_some_and(|file| file.ends_with(&format!("web_crawl-{name}.jsonl"))));
    // The crawl of the call still saves its state, for which this one waits.
    assert_eq!(tools.crawl(&json!({ "resume": name })).sorted(), ["/", "/a", "/b", "/slow"]);
}
