//! A large site with all traps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use toolc::testing::{Caller, TestResponse, wait};
use toolc_catalog::web::WebTools as _;
use toolc_catalog::web::web_crawl::Args;
use toolc_web::WebHandlers;

use super::budgets::args;
use super::{Crawled, page, settings};
use crate::server::{Reply, Request, Server};

/// Returns a name without digits for a number.
fn name(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.push(char::from(b'a' + u8::try_from(number % 26).expect("a letter")));
        number /= 26;
        if number == 0 {
            return name;
        }
    }
}

fn number(name: &str) -> usize {
    name.bytes().rev().fold(0, |number, letter| number * 26 + usize::from(letter - b'a'))
}

/// A site of `pages` pages below `/docs/`, which link to a calendar, mirrors, folders that grow, sessions, redirects and pages that fail.
fn answer(request: &Request, pages: usize) -> Reply {
    let path = request.path.as_str();
    let serial = request.query.len() + path.len();
    if path == "/sitemap.xml" {
        let urls: Vec<String> = (0..pages.min(200))
            .map(|page| {
                format!("<url><loc>http://{}/docs/{}</loc></url>", request.header("host"), name(page * 7 % pages))
            })
            .collect();
        let urls = urls.concat();
        return Reply::text(200, "application/xml", &format!("<urlset>{urls}</urlset>"));
    }
    if let Some(page) = path.strip_prefix("/docs/") {
        let own = number(page);
        let below = [2 * own + 1, 2 * own + 2]
            .into_iter()
            .filter(|below| *below < pages)
            .map(|below| format!("/docs/{}", name(below)));
        let traps = [
            format!("/docs/{}?utm_source=s{own}&gclid={own}", name(own / 2)),
            format!("/docs/{};jsessionid=ABC{own}", name(own / 3)),
            format!("/docs/{}?PHPSESSID=abc{own}#part", name(own / 5)),
            format!("/calendar/{}/{}", own % 30, own),
            format!("/moved/{}", name(own)),
            format!("/mirror/{page}/"),
            format!("/grow/{}/", name(own % 5)),
            format!("/none/{}", name(own % 11)),
            "http://10.0.0.1/".to_owned(),
            "https://other.example/".to_owned(),
            "/picture.png".to_owned(),
        ];
        let links: Vec<String> = below.chain(traps).collect();
        return Reply::html(&self::page(&format!("document {own}"), links.iter().map(String::as_str)));
    }
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match parts[..] {
        ["calendar", month, day] => {
            let day: usize = day.parse().unwrap_or(0);
            let links = [day + 1, day + 31].map(|day| format!("/calendar/{month}/{day}"));
            Reply::html(&self::page(&format!("calendar {month} {day}"), links.iter().map(String::as_str)))
        }
        ["moved", page] => Reply::redirect(302, &format!("/docs/{page}")),
        ["mirror", ..] => Reply::html(&self::page("mirror", ["deeper/", "more/"].iter().copied())),
        ["grow", ..] => Reply::html(&self::page(&format!("grow {path} {serial}"), ["again/", "on/"])),
        _ => Reply::missing(),
    }
}

/// Returns the resident memory in bytes.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("a file");
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number") * 4096
}

#[cfg(not(target_os = "linux"))]
fn memory() -> usize {
    0
}

/// The number of pages can be set with `TOOLC_PAGES`.
#[test]
fn a_large_site_with_traps_is_crawled_within_its_budget() {
    let pages: usize = std::env::var("TOOLC_PAGES").map_or(150, |number| number.parse().expect("a number"));
    let asked = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let seen = Arc::clone(&asked);
    let server = Server::start(move |request| {
        *seen.lock().expect("no panic").entry(request.path.clone()).or_default() += 1;
        answer(request, pages)
    });
    let home = tempfile::TempDir::new().expect("a folder");
    let handlers = WebHandlers::new(settings(&[server.port], home.path()));
    let caller = Caller::new();
    let crawl = |most: usize, resume: Option<String>| {
        let url = resume.is_none().then(|| format!("{}/docs/a", server.url()));
        let max_pages = i64::try_from(most).expect("a small number");
        let returns = wait(handlers.web_crawl(Args { max_pages, ..args(url, resume) }, &caller.call("web_crawl")));
        Crawled::new(TestResponse::from(returns).value())
    };
    let started = Instant::now();
    let first = crawl(pages / 5, None);
    let (early, resume) = (memory(), first.returns["resume"].as_str().map(str::to_owned));
    drop(first);
    let last = crawl(pages - pages / 5, resume);
    let (late, seconds) = (memory(), started.elapsed().as_secs_f64());
    assert_eq!((last.ended(), last.rows.len()), ("max_pages", pages), "{:?}", last.returns);
    let addresses: BTreeSet<String> = last.paths().into_iter().collect();
    assert_eq!(addresses.len(), pages, "no page is a row twice");
    // A redirect may lead to a page that is visited at the same time, or that was visited before.
    let asked = asked.lock().expect("no panic");
    let twice = |prefix: &str| asked.iter().filter(|(path, times)| path.starts_with(prefix) && **times > 1).count();
    assert_eq!((twice("/calendar/"), twice("/grow/"), twice("/mirror/"), twice("/none/")), (0, 0, 0, 0));
    let documents = addresses.iter().filter(|path| path.starts_with("/docs/")).count();
    assert!(documents * 2 > pages, "{documents} of {pages} rows are documents: {:?}", last.returns);
    let grown = late.saturating_sub(early);
    assert!(grown < 30 << 20, "the memory has grown by {} MB", grown >> 20);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let rate = pages as f64 / seconds;
    eprintln!(
        "{pages} pages, {rate:.0} a second, {documents} documents; memory: {} MB, then {} MB",
        early >> 20,
        late >> 20
    );
    eprintln!("{}", json!(last.returns["skipped"]));
}
