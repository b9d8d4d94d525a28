//! Keys are sent to their vendors only, and shown nowhere.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolc_web::search::{Query, search};
use toolc_web::vendor::{Chain, Outcome, Rests};

use crate::server::{Reply, Server};
use crate::vendors::{KEY, Mode, Running, SEARCHING};
use crate::{BUDGET, configured, found};

fn query() -> Query {
    Query::new("x").expect("a query")
}

#[test]
fn a_key_is_in_no_message_although_the_vendor_repeats_it() {
    for vendor in SEARCHING {
        for status in [200, 401, 429, 500] {
            let server = Server::start(move |request| {
                let all = format!("{request:?}");
                Reply::json(status, &json!({ "error": all, "message": all, "detail": { "error": all } }))
            });
            let running = Running { vendor, server };
            let configured = format!("{:?}", configured(&running));
            let found = found(&[&running], &query(), BUDGET);
            assert_ne!(found.tried[0].outcome, Outcome::Ok, "{found:?}");
            let shown = format!("{found:?} {configured} {}", serde_json::to_string(&found.tried).expect("JSON"));
            assert!(!shown.contains(KEY), "{} {status}: {shown}", vendor.name);
        }
    }
}

#[test]
fn a_key_in_an_address_is_not_shown_when_the_connection_fails() {
    let vendor = SEARCHING.iter().find(|vendor| vendor.name == "serpapi").expect("a vendor");
    let location = |to: &str| Reply::text(302, "text/html", "").with("Location", &format!("{to}?api_key={KEY}"));
    for to in ["ftp://vendor.example/", "http://u:p@127.0.0.1/", "/again"] {
        let reply = location(to);
        let running = Running { vendor, server: Server::start(move |_| reply.clone()) };
        let found = found(&[&running], &query(), BUDGET);
        assert_eq!(found.tried[0].outcome, Outcome::Broken, "{found:?}");
        assert!(!format!("{found:?}").contains(KEY), "{to}: {found:?}");
    }
    let running = vendor.start(Mode::Early);
    let base = running.server.url();
    let provider = configured(&running).provider;
    drop(running);
    let closed = provider.configure(&|name: &str| match name {
        "SERPAPI_BASE_URL" => Some(base.clone()),
        "SERPAPI_API_KEY" => Some(KEY.to_owned()),
        _ => None,
    });
    let (client, rests) = (crate::client(), Rests::default());
    let chain = Chain { client: &client, rests: &rests, budget: BUDGET, is_cancelled: &crate::never };
    let found = search(&chain, &[closed.expect("a key")], &query());
    assert_eq!(found.tried[0].outcome, Outcome::Broken, "{found:?}");
    assert!(!format!("{found:?}").contains(KEY), "{found:?}");
}

#[test]
fn a_redirect_to_another_server_does_not_get_the_key() {
    for vendor in SEARCHING.iter().filter(|vendor| vendor.key.is_some()) {
        let stolen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stolen);
        let thief = Server::start(move |request| {
            kept.lock().expect("no test panics with it").push(format!("{request:?}"));
            Reply::json(200, &json!({ "results": [] }))
        });
        let to = thief.url();
        let server = Server::start(move |_| Reply::text(307, "text/html", "").with("Location", &to));
        let found = found(&[&Running { vendor, server }], &query(), BUDGET);
        assert_ne!(found.tried[0].outcome, Outcome::Ok, "{found:?}");
        let stolen = stolen.lock().expect("no test panics with it");
        assert!(stolen.is_empty(), "{}: {stolen:?}", vendor.name);
        let detail = found.tried[0].detail.as_deref().unwrap_or_default();
        assert!(detail.contains(&thief.url()) && !detail.contains(KEY), "{}: {detail}", vendor.name);
    }
}

#[test]
fn a_vendor_without_a_key_is_asked_only_if_it_is_named() {
    let vendor = SEARCHING.iter().find(|vendor| vendor.name == "tavily").expect("a vendor");
    let running = vendor.start(Mode::Right);
    let provider = configured(&running).provider;
    assert!(configured(&running).access.is_named());
    let keyless = provider.configure(&|_: &str| None).expect("a key is optional");
    assert!(!keyless.access.is_named());
    let base = running.server.url();
    let keyless = provider.configure(&|name: &str| (name == "TAVILY_BASE_URL").then(|| base.clone()));
    let (client, rests) = (crate::client(), Rests::default());
    let chain = Chain { client: &client, rests: &rests, budget: BUDGET, is_cancelled: &crate::never };
    let found = search(&chain, &[keyless.expect("a key is optional")], &query());
    assert_eq!(found.results.len(), 10, "{found:?}");
    assert_eq!(running.server.requests()[0].header("x-tavily-access-mode"), "keyless");
    for name in ["brave", "exa", "serper", "serpapi", "parallel", "firecrawl", "searxng"] {
        let provider = toolc_web::search::provider(name).expect("a provider");
        let error = provider.configure(&|_: &str| None).expect_err(name).to_string();
        assert!(error.starts_with(&format!("`{name}` needs ")) && error.contains("set "), "{error}");
    }
    let own = toolc_web::search::provider("firecrawl").expect("a provider");
    let own = own.configure(&|name: &str| (name == "FIRECRAWL_API_URL").then(|| "http://127.0.0.1:3002".to_owned()));
    assert!(own.expect("an instance needs no key").access.is_named());
}
