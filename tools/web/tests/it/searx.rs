//! A real searx, the predecessor of `SearXNG`, whose only engine asks a server of the test.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::Env;
use toolc::testing::Harness;
use toolc_test_support::{programs, skip};
use toolc_web::WebHandlers;
use toolc_web::search::{Found, Query, search, service};
use toolc_web::service::{Chain, Ended, Outcome, Rests};

use crate::server::{Reply, Request, Server};
use crate::{BUDGET, client, never};

const PROGRAM: &str = "searx-run";
/// Another program of its package.
const OF_PACKAGE: &str = "searx-checker";
const SETTINGS: &str = include_str!("searx/settings.yml");
/// How long it may take to start.
const LIMIT: Duration = Duration::from_mins(1);

struct Searx {
    process: Child,
    port: u16,
    engine: Server,
    _folder: tempfile::TempDir,
}

impl Drop for Searx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Searx {
    /// Starts it, or returns `None` if it ends at once.
    fn start() -> Option<Self> {
        let engine = Server::start(engine);
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let settings = SETTINGS.replace("PORT_OF_SEARX", &port.to_string()).replace("URL_OF_ENGINE", &engine.url());
        let file = folder.path().join("settings.yml");
        fs::write(&file, settings).expect("failed to write");
        let mut process = Command::new(PROGRAM)
            .env("SEARX_SETTINGS_PATH", file)
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it was found");
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if process.try_wait().is_ok_and(|ended| ended.is_some()) || started.elapsed() > LIMIT {
                let _ = process.kill();
                let _ = process.wait();
                return None;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(Self { process, port, engine, _folder: folder })
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn ask(&self, query: &Query) -> Found {
        let base = self.url();
        let service = service("searxng").expect("a service");
        let configured = service.configure(&|name: &str| (name == "SEARXNG_URL").then(|| base.clone()));
        let (client, rests) = (client(), Rests::default());
        let chain = Chain { client: &client, rests: &rests, budget: BUDGET, is_cancelled: &never };
        search(&chain, &[configured.expect("an address")], query)
    }
}

/// Answers as an engine with two pages of ten results.
fn engine(request: &Request) -> Reply {
    let page: usize = request.parameter("p").parse().unwrap_or(1);
    let hit = |number: usize| json!({ "link": format!("https://site{page}{number}.example/"), "name": format!("Page {number}"), "text": "About &amp; it" });
    match request.parameter("q") {
        "nothing" => Reply::json(200, &json!({ "hits": [] })),
        "failure" => Reply::text(500, "text/plain", "failed"),
        _ => Reply::json(
            200,
            &json!({ "hits": if page < 3 { (0..10).map(hit).collect() } else { Vec::<Value>::new() } }),
        ),
    }
}

#[test]
fn a_real_searx_is_asked_and_its_failures_are_noticed() {
    if !programs::has(OF_PACKAGE) {
        return;
    }
    let Some(searx) = Searx::start() else {
        return skip("`searx-run` does not start", "the Debian package `searx` 1.1");
    };
    let query = |text: &str| Query::new(text).expect("a query");
    let mut many = query("rust");
    many.count = 15;
    let found = searx.ask(&many);
    assert_eq!((found.ended, found.results.len()), (Ended::Answered, 15), "{found:?}");
    let first = &found.results[0];
    assert!(first.title.starts_with("Page ") && first.snippet == "About & it", "{first:?}");
    let pages: Vec<String> = searx.engine.requests().iter().map(|request| request.parameter("p").to_owned()).collect();
    assert_eq!(pages, ["1", "2"]);
    let tools = Harness::with_session(toolc_catalog::web::provider(WebHandlers::default()), |session| {
        session.env(Env::empty().with_var("SEARXNG_URL", searx.url()))
    });
    let searched = tools.call("web_search", json!({ "query": "tides", "limit": 3 })).value();
    let hit = |number: usize| json!({ "url": format!("https://site1{number}.example/"), "title": format!("Page {number}"), "snippet": "About & it" });
    assert_eq!(searched, json!({ "service": "searxng", "results": [hit(0), hit(1), hit(2)] }));
    let found = searx.ask(&query("nothing"));
    assert_eq!((found.ended, found.tried[0].outcome), (Ended::Empty, Outcome::Empty), "{found:?}");
    // The last one, because searx does not ask an engine again soon after a failure.
    let found = searx.ask(&query("failure"));
    assert_eq!((found.ended, found.tried[0].outcome), (Ended::Failed, Outcome::Broken), "{found:?}");
    assert!(found.tried[0].detail.as_deref().is_some_and(|detail| detail.contains("local: HTTP error")), "{found:?}");
}
