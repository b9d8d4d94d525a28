//! Sites in which a crawl could get lost.

use serde_json::json;

use super::{Tools, asked, page, page_with};
use crate::server::{End, Reply, Server};

#[test]
fn parameters_and_paths_of_a_visit_are_not_other_pages() {
    let server = Server::start(|request| {
        let id = request.path.len() + request.query.len();
        match request.path.as_str() {
            "/" | "/a" | "/b" => {
                let links = [
                    format!("/a?utm_source=x{id}&gclid={id}"),
                    format!("/a?PHPSESSID=00{id}"),
                    format!("/a?sid=0123456789abcdef{id}"),
                    format!("/b;jsessionid=F0{id}"),
                    format!("/(S(abc{id}))/b"),
                    "/b#part".to_owned(),
                    "/b?".to_owned(),
                    "/index.html".to_owned(),
                    "/%61".to_owned(),
                ];
                Reply::html(&page(&request.path, links.iter().map(String::as_str)))
            }
            _ => Reply::missing(),
        }
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    assert_eq!((crawled.ended(), asked(&server)), ("complete", ["/", "/a", "/b"].map(str::to_owned).to_vec()));
}

#[test]
fn relative_links_that_grow_end() {
    let server = Server::start(|request| {
        let text = format!("folder with {} parts", request.path.len());
        if request.path == "/robots.txt" { Reply::missing() } else { Reply::html(&page(&text, ["a/", "b/../a/"])) }
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url(), "max_depth": 50 }));
    assert_eq!(crawled.paths(), ["/", "/a/", "/a/a/", "/a/a/a/"]);
    assert_eq!((crawled.ended(), crawled.skipped("path repeats itself")), ("complete", 1));
}

#[test]
fn pages_of_a_calendar_wait_until_all_others_were_visited() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::html(&page("start", ["/calendar?day=0", "/list-one"])),
        "/calendar" => {
            let day: u32 = request.parameter("day").parse().expect("a number");
            let links: Vec<String> = (1..=120).map(|more| format!("/calendar?day={}", day + more)).collect();
            Reply::html(&page(&format!("day {day}"), links.iter().map(String::as_str)))
        }
        // A chain that is as deep as the crawl goes.
        path if path.starts_with("/list-") => {
            Reply::html(&page(path, (path.len() < 40).then_some(format!("{path}-one").as_str())))
        }
        _ => Reply::missing(),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url(), "max_pages": 150, "max_depth": 30 }));
    assert_eq!((crawled.ended(), crawled.rows.len()), ("max_pages", 150));
    let paths = crawled.paths();
    let chain: Vec<_> = paths.iter().filter(|path| path.starts_with("/list-")).collect();
    assert_eq!(chain.len(), 9, "{paths:?}");
    assert!(crawled.returns["left"].as_u64() > Some(100), "{:?}", crawled.returns);
}

#[test]
fn a_mirror_of_a_page_is_not_followed() {
    let server = Server::start(|request| {
        let path = request.path.as_str();
        match path {
            "/" => Reply::html(&page("start", ["/real", "/mirror/x/"])),
            "/real" => Reply::html(&page("real", [])),
            // The same text under endless addresses.
            _ if path.starts_with("/mirror/") => {
                let next = format!("{path}{}/", char::from(b'a' + u8::try_from(path.len() % 26).expect("a letter")));
                Reply::html(&page_with("mirror", "", &format!("<a href=\"{next}\">next</a>")))
            }
            _ => Reply::missing(),
        }
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url(), "max_depth": 50 }));
    assert_eq!(
        (crawled.ended(), crawled.sorted()),
        ("complete", ["/", "/mirror/x/", "/real"].map(str::to_owned).to_vec())
    );
    assert_eq!(crawled.skipped("same text as another page"), 1);
}

#[test]
fn lists_with_the_same_text_and_other_links_are_followed() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::html(&page("start", ["/gallery/one", "/gallery/two"])),
        "/gallery/one" => Reply::html(&page_with("gallery", "", "<a href=/photo/a>Photo A</a>")),
        "/gallery/two" => Reply::html(&page_with("gallery", "", "<a href=/photo/b>Photo B</a>")),
        "/photo/a" | "/photo/b" => Reply::html(&page(&request.path, [])),
        _ => Reply::missing(),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    let sorted = crawled.sorted();
    assert!(sorted.contains(&"/photo/a".to_owned()) && sorted.contains(&"/photo/b".to_owned()), "{sorted:?}");
    assert_eq!((crawled.rows.len(), crawled.skipped("same text as another page")), (4, 1));
}

#[test]
fn huge_and_broken_pages_cost_little() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::html(&page("start", ["/huge", "/early", "/bad-encoding", "/good"])),
        "/huge" => Reply::html(&page_with("huge", "", &"<p data-text='not shown'>words</p>".repeat(200_000))),
        "/early" => Reply { end: End::Early, ..Reply::html("<p>never complete") },
        "/bad-encoding" => Reply::html("not gzip").with("Content-Encoding", "gzip"),
        "/good" => Reply::html(&page("good", [])),
        _ => Reply::missing(),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    assert_eq!(crawled.sorted(), ["/", "/good", "/huge"]);
    let huge = crawled.rows.iter().find(|row| row["title"] == "huge").expect("a row");
    assert!(
        huge["warning"].as_str().is_some_and(|text| text.contains("the end of the document is missing")),
        "{}",
        huge["warning"]
    );
    assert_eq!(crawled.skipped("failed"), 2, "{:?}", crawled.returns);
    // What is damaged may have been so by chance.
    assert_eq!(asked(&server).iter().filter(|path| path.as_str() == "/early").count(), 3);
}

#[test]
fn a_site_that_is_asked_too_often_gets_a_pause() {
    let server = Server::start({
        let asked = std::sync::atomic::AtomicUsize::new(0);
        move |request| match request.path.as_str() {
            "/" => Reply::html(&page("start", ["/busy", "/always"])),
            "/busy" if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
                Reply::text(429, "text/plain", "").with("Retry-After", "1")
            }
            "/busy" => Reply::html(&page("busy", [])),
            "/always" => Reply::text(503, "text/plain", "").with("Retry-After", "0"),
            _ => Reply::missing(),
        }
    });
    let started = std::time::Instant::now();
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    assert_eq!(crawled.paths(), ["/", "/busy"]);
    assert!(started.elapsed() >= std::time::Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(crawled.returns["failed"], json!([format!("{}/always answers with the status 503", server.url())]));
    assert_eq!(asked(&server).iter().filter(|path| path.as_str() == "/always").count(), 3);
}

#[test]
fn a_summary_is_short_whatever_a_site_has() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => {
            let links: Vec<String> = (0..80)
                .map(|n| format!("/{}/{n}{}", if n % 2 == 0 { "none" } else { "page" }, "x".repeat(1_500)))
                .collect();
            Reply::html(&page("start", links.iter().map(String::as_str)))
        }
        path if path.starts_with("/page/") => {
            Reply::html(&page(&format!("{} {}", &path[..9], "long title ".repeat(500)), []))
        }
        _ => Reply::missing(),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    assert_eq!((crawled.rows.len(), crawled.skipped("failed")), (41, 40));
    assert_eq!(crawled.returns["titles"].as_array().map(Vec::len), Some(30));
    assert_eq!(crawled.returns["failed"].as_array().map(Vec::len), Some(10));
    let length = crawled.returns.to_string().len();
    assert!(length < 13_000, "{length}");
}
