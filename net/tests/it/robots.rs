//! The rules of sites.

use std::time::Duration;

use toolc_net::{RobotsCache, RobotsFile};

use crate::client;
use crate::server::{Server, answer};

fn check(server: &Server, path: &str, cache: &RobotsCache) -> Result<(), String> {
    let client = client(&[server]);
    let target = client.target(&server.url(path)).expect("a valid address");
    client.robots(&target, cache).check(&target).map_err(|refusal| refusal.to_string())
}

#[test]
fn the_rules_of_a_site_are_fetched_once() {
    let server = Server::start(|_| {
        let rules =
            "User-agent: toolc-net\nDisallow: /private\nCrawl-delay: 2\nSitemap: /s.xml\nUser-agent: *\nDisallow: /";
        answer("200 OK", "", rules.as_bytes())
    });
    let cache = RobotsCache::default();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(check(&server, "/open", &cache), Ok(())));
        }
    });
    assert_eq!(
        check(&server, "/private/a", &cache),
        Err("the robots.txt of the site forbids programs to fetch this address: `Disallow: /private`".to_owned())
    );
    let target = client(&[&server]).target(&server.url("/")).expect("a valid address");
    let file = client(&[&server]).robots(&target, &cache);
    let rules = file.rules().expect("it has rules");
    assert_eq!((rules.crawl_delay(), rules.sitemaps()), (Some(Duration::from_secs(2)), &["/s.xml".to_owned()][..]));
    assert_eq!(server.requests().len(), 1);
    assert!(server.requests()[0].starts_with("GET /robots.txt HTTP/1.1"));
}

#[test]
fn a_site_without_rules_allows_everything_and_a_broken_one_nothing() {
    for (status, part) in [
        ("404 x", None),
        ("401 x", None),
        ("429 x", None),
        ("503 x", Some("/robots.txt answers with the status 503")),
        ("500 x", Some("cannot be read, so that its rules are unknown")),
        ("304 x", Some("status 304")),
    ] {
        let server = Server::start(move |_| answer(status, "", b"User-agent: *\nDisallow: /"));
        let found = check(&server, "/a", &RobotsCache::default());
        match part {
            None => assert_eq!(found, Ok(()), "{status}"),
            Some(part) => assert!(found.expect_err(status).contains(part), "{status}"),
        }
    }
    let server = Server::start_raw(|_, stream| drop(stream));
    assert!(check(&server, "/a", &RobotsCache::default()).expect_err("no answer").contains("cannot be read"));
    let server = Server::start(|_| answer("302 x", "Location: http://10.0.0.1/robots.txt\r\n", b""));
    let error = check(&server, "/a", &RobotsCache::default()).expect_err("it leads to a refused address");
    assert!(error.contains("port 80"), "{error}");
}

#[test]
fn the_rules_after_redirects_and_at_the_start_of_a_long_file_count() {
    let server = Server::start(|path| match path {
        "/robots.txt" => answer("301 x", "Location: /rules\r\n", b""),
        _ => answer(
            "200 OK",
            "",
            ("User-agent: *\nDisallow: /a\n".to_owned() + &"# \u{e9}\n".repeat(1 << 20)).as_bytes(),
        ),
    });
    let cache = RobotsCache::default();
    assert!(check(&server, "/a", &cache).is_err() && check(&server, "/b", &cache).is_ok());
    let target = client(&[&server]).target(&server.url("/")).expect("a valid address");
    assert!(matches!(*client(&[&server]).robots(&target, &cache), RobotsFile::Rules(_)));
}
