//! Tests in a network of their own, in which every address leads to this machine, so that hosts of the Internet do.

use std::env;
use std::process::Command;
use std::thread;

use serde_json::json;
use toolc_test_support::{SANDBOX, skip};
use toolc_web::WebSettings;

use super::{Tools, page};
use crate::server::{Reply, Request, Server};
use crate::services::{KEY, Mode, PAGE, READING};

/// The environment variable of a process that is in such a network.
const INSIDE: &str = "TOOLC_WEB_OWN_NETWORK";
/// Makes every address one of this machine, and gives names to some.
const PREPARE: &str = "
set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
file=$(mktemp)
printf '127.0.0.1 localhost\\n8.8.4.4 site.example.com docs.site.example.com\\n10.1.2.3 inside.site.example.com\\n' >$file
mount --bind $file $(readlink -f /etc/hosts)
rm $file
exec \"$@\"
";

/// Runs the current test again in a network of its own, and there runs what is given.
fn in_own_network(run: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        return run();
    }
    let unshare = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--net", "sh", "-c", PREPARE, "sh"]).args(words);
        command
    };
    match unshare(&["true"]).output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let reason = String::from_utf8_lossy(&output.stderr).into_owned();
            return skip(format!("no network of its own can be made: {reason}"), SANDBOX);
        }
        Err(error) => return skip(format!("`unshare` cannot be started: {error}"), "the Debian package `util-linux`"),
    }
    let exe = env::current_exe().expect("the test has a file");
    let test = thread::current().name().expect("a test has a name").to_owned();
    let mut command = unshare(&[exe.to_str().expect("the path is UTF-8"), "--exact", &test, "--nocapture"]);
    let output = command.env(INSIDE, "1").output().expect("`unshare` has started before");
    let report = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && report.contains("1 passed"), "{report}");
}

/// A site that shows nothing to programs.
fn unreadable(request: &Request) -> Reply {
    match request.path.as_str() {
        "/403" | "/token" => Reply::text(403, "text/html", "no"),
        "/empty" => Reply::html(""),
        "/scripts" => Reply::html("<html><body><div id=\"root\"></div><script src=\"/app.js\"></script></body></html>"),
        "/login" => {
            Reply::html("<title>Log in</title><form><p>Please log in to continue.</p><input type=password></form>")
        }
        "/readable" => Reply::html(&page("readable", [])),
        "/inside" => Reply::redirect(302, "http://inside.site.example.com/403"),
        "/elsewhere" => Reply::redirect(302, &format!("http://inside.{}/readable", request.header("host"))),
        _ => Reply::missing(),
    }
}

#[test]
fn a_page_that_cannot_be_read_is_read_by_a_service() {
    in_own_network(|| {
        let server = Server::start_at("0.0.0.0", unreadable);
        let firecrawl =
            READING.iter().find(|service| service.name == "firecrawl").expect("a service").start(Mode::Right);
        let base = firecrawl.server.url();
        let variables = [("FIRECRAWL_API_KEY", KEY), ("FIRECRAWL_API_URL", base.as_str())];
        let with = Tools::with(&[&server], &variables, |settings| WebSettings { networks: Vec::new(), ..settings });
        let without = Tools::with(&[&server], &[], |settings| WebSettings { networks: Vec::new(), ..settings });
        let url = |path: &str| format!("http://site.example.com:{}{path}", server.port);
        for path in ["/403", "/empty", "/scripts"] {
            let found = with.value("web_extract", &json!({ "urls": [url(path)] }));
            let expected = json!({
                "url": url(path), "title": "A post", "published": "2024-05-01", "content": "# A post\n\nWith text.", "service": "firecrawl",
            });
            assert_eq!(found["pages"][0], expected);
            let error = without.error("web_extract", &json!({ "urls": [url(path)] }));
            assert!(error.starts_with(&url(path)), "{error}");
        }
        let sent: Vec<_> = firecrawl.server.requests().iter().map(|request| request.json()["url"].clone()).collect();
        assert_eq!(sent, ["/403", "/empty", "/scripts"].map(|path| json!(url(path))));
        // A service is not asked for what it cannot have or must not know.
        for path in ["/none", "/inside", "/token?access_token=abcdef0123456789"] {
            let error = with.error("web_extract", &json!({ "urls": [url(path)] }));
            assert!(!error.contains("firecrawl"), "{error}");
        }
        for path in ["/readable", "/login"] {
            let found = with.value("web_extract", &json!({ "urls": [url(path)] }));
            assert!(found["pages"][0].get("service").is_none(), "{found}");
        }
        assert_eq!(firecrawl.server.requests().len(), 3);
        // A page that was read is not fetched again.
        let fetched = || server.requests().iter().filter(|request| request.path == "/readable").count();
        let again = with.value("web_extract", &json!({ "urls": [url("/readable")] }));
        assert_eq!((fetched(), &again["pages"][0]["title"]), (1, &json!("readable")));
        with.value("web_extract", &json!({ "urls": [url("/readable")], "whole_page": true }));
        assert_eq!(fetched(), 2, "the whole page has another text");
        assert_ne!(url("/403"), PAGE);
    });
}

#[test]
fn a_private_host_with_a_public_name_is_not_shown_to_a_service() {
    in_own_network(|| {
        let server = Server::start_at("0.0.0.0", unreadable);
        let firecrawl =
            READING.iter().find(|service| service.name == "firecrawl").expect("a service").start(Mode::Right);
        let base = firecrawl.server.url();
        let variables = [("FIRECRAWL_API_KEY", KEY), ("FIRECRAWL_API_URL", base.as_str())];
        let networks = vec!["10.1.2.0/24".parse().expect("a network")];
        let tools = Tools::with(&[&server], &variables, |settings| WebSettings { networks, ..settings });
        for path in ["/403", "/empty", "/scripts"] {
            let url = format!("http://inside.site.example.com:{}{path}", server.port);
            let error = tools.error("web_extract", &json!({ "urls": [url] }));
            assert!(error.contains("the host is not found on the public Internet"), "{path}: {error}");
        }
        assert_eq!(server.requests().len(), 3, "the networks are allowed");
        assert!(firecrawl.server.requests().is_empty(), "{:?}", firecrawl.server.requests());
    });
}

#[test]
fn a_page_of_a_private_host_with_a_public_name_is_fetched_again() {
    in_own_network(|| {
        let server = Server::start_at("0.0.0.0", unreadable);
        let networks = vec!["10.1.2.0/24".parse().expect("a network")];
        let tools = Tools::with(&[&server], &[], |settings| WebSettings { networks, ..settings });
        let fetched = || server.requests().iter().filter(|request| request.path == "/readable").count();
        // The last one redirects to the private host.
        let addresses = [("inside.site.example.com", "/readable", 2), ("site.example.com", "/elsewhere", 2)];
        for (host, path, times) in [("site.example.com", "/readable", 1)].into_iter().chain(addresses) {
            let before = fetched();
            let url = format!("http://{host}:{}{path}", server.port);
            for _ in 0..2 {
                let found = tools.value("web_extract", &json!({ "urls": [url] }));
                assert_eq!(found["pages"][0]["title"], "readable", "{found}");
            }
            assert_eq!(fetched() - before, times, "{url}");
            tools.value("web_extract", &json!({ "urls": [url], "offset": 10 }));
            assert_eq!(fetched() - before, times, "{url}: a part of a page that was read");
        }
    });
}

#[test]
fn a_service_that_fails_is_named_next_to_the_reason() {
    in_own_network(|| {
        let server = Server::start_at("0.0.0.0", unreadable);
        let exa = READING.iter().find(|service| service.name == "exa").expect("a service").start(Mode::Auth);
        let base = exa.server.url();
        let variables = [("EXA_API_KEY", KEY), ("EXA_BASE_URL", base.as_str())];
        let tools = Tools::with(&[&server], &variables, |settings| WebSettings { networks: Vec::new(), ..settings });
        let url = format!("http://site.example.com:{}/403", server.port);
        let error = tools.error("web_extract", &json!({ "urls": [url] }));
        assert!(error.contains("the status 403") && error.contains("; exa: auth (") && !error.contains(KEY), "{error}");
    });
}

/// A site on two hosts of one domain. A third one is in a private network.
fn domain(request: &Request) -> Reply {
    let host = request.header("host").to_owned();
    let port = host.rsplit(':').next().unwrap_or_default();
    match request.path.as_str() {
        "/" | "/a" => {
            let links = [
                "/a".to_owned(),
                format!("http://docs.site.example.com:{port}/"),
                format!("http://inside.site.example.com:{port}/"),
                format!("http://site.example.com.evil.example:{port}/"),
            ];
            Reply::html(&page(&format!("{host} {}", request.path), links.iter().map(String::as_str)))
        }
        _ => Reply::missing(),
    }
}

#[test]
fn a_domain_is_crawled_with_its_public_hosts() {
    in_own_network(|| {
        let server = Server::start_at("0.0.0.0", domain);
        let tools = Tools::with(&[&server], &[], |settings| WebSettings { networks: Vec::new(), ..settings });
        let start = format!("http://site.example.com:{}/", server.port);
        let crawled = tools.crawl(&json!({ "url": start, "scope": "domain" }));
        let mut urls: Vec<String> =
            crawled.rows.iter().map(|row| row["url"].as_str().expect("a URL").to_owned()).collect();
        urls.sort();
        let docs = start.replace("//site", "//docs.site");
        assert_eq!(urls, [docs.clone(), docs + "a", start.clone(), start.clone() + "a"]);
        assert_eq!((crawled.ended(), crawled.skipped("outside of the scope")), ("complete", 1), "{crawled:?}");
        let inside = server.requests().iter().any(|request| request.header("host").starts_with("inside"));
        assert!(!inside, "{:?}", crawled.returns);
        assert_eq!(tools.crawl(&json!({ "url": start, "scope": "host" })).rows.len(), 2);
    });
}
