//! Keys are sent to their services only, and shown nowhere.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolc_web::search::{Query, search};
use toolc_web::service::{Chain, Outcome, Rests};

use crate::server::{Reply, Server};
use crate::services::{KEY, Mode, Running, SEARCHING};
use crate::{BUDGET, configured, found};

fn query() -> Query {
    Query::new("x").expect("a query")
}

#[test]
fn a_key_is_in_no_message_although_the_service_repeats_it() {
    for service in SEARCHING {
        for status in [200, 401, 429, 500] {
            let server = Server::start(move |request| {
                let all = format!("{request:?}");
                Reply::json(status, &json!({ "error": all, "message": all, "detail": { "error": all } }))
            });
            let running = Running { service, server };
            let configured = format!("{:?}", configured(&running));
            let found = found(&[&running], &query(), BUDGET);
            assert_ne!(found.tried[0].outcome, Outcome::Ok, "{found:?}");
            let shown = format!("{found:?} {configured} {}", serde_json::to_string(&found.tried).expect("JSON"));
            assert!(!shown.contains(KEY), "{} {status}: {shown}", service.name);
        }
    }
}

#[test]
fn a_key_in_an_address_is_not_shown_when_the_connection_fails() {
    let service = SEARCHING.iter().find(|service| service.name == "serpapi").expect("a service");
    let location = |to: &str| Reply::text(302, "text/html", "").with("Location", &format!("{to}?api_key={KEY}"));
    for to in ["ftp://service.example/", "http://u:p@127.0.0.1/", "/again"] {
        let reply = location(to);
        let running = Running { service, server: Server::start(move |_| reply.clone()) };
        let found = found(&[&running], &query(), BUDGET);
        assert_eq!(found.tried[0].outcome, Outcome::Broken, "{found:?}");
        assert!(!format!("{found:?}").contains(KEY), "{to}: {found:?}");
    }
    let running = service.start(Mode::Early);
    let base = running.server.url();
    let service = configured(&running).service;
    drop(running);
    let closed = service.configure(&|name: &str| match name {
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
    for service in SEARCHING.iter().filter(|service| service.key.is_some()) {
        let stolen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stolen);
        let thief = Server::start(move |request| {
            kept.lock().expect("no test panics with it").push(format!("{request:?}"));
            Reply::json(200, &json!({ "results": [] }))
        });
        let to = thief.url();
        let server = Server::start(move |_| Reply::text(307, "text/html", "").with("Location", &to));
        let found = found(&[&Running { service, server }], &query(), BUDGET);
        assert_ne!(found.tried[0].outcome, Outcome::Ok, "{found:?}");
        let stolen = stolen.lock().expect("no test panics with it");
        assert!(stolen.is_empty(), "{}: {stolen:?}", service.name);
        let detail = found.tried[0].detail.as_deref().unwrap_or_default();
        assert!(detail.contains(&thief.url()) && !detail.contains(KEY), "{}: {detail}", service.name);
    }
}

#[test]
fn a_service_without_a_key_is_asked_only_if_it_is_named() {
    let service = SEARCHING.iter().find(|service| service.name == "tavily").expect("a service");
    let running = service.start(Mode::Right);
    let service = configured(&running).service;
    assert!(configured(&running).access.is_named());
    let keyless = service.configure(&|_: &str| None).expect("a key is optional");
    assert!(!keyless.access.is_named());
    let base = running.server.url();
    let keyless = service.configure(&|name: &str| (name == "TAVILY_BASE_URL").then(|| base.clone()));
    let (client, rests) = (crate::client(), Rests::default());
    let chain = Chain { client: &client, rests: &rests, budget: BUDGET, is_cancelled: &crate::never };
    let found = search(&chain, &[keyless.expect("a key is optional")], &query());
    assert_eq!(found.results.len(), 10, "{found:?}");
    assert_eq!(running.server.requests()[0].header("x-tavily-access-mode"), "keyless");
    for name in ["brave", "exa", "serper", "serpapi", "parallel", "firecrawl", "searxng"] {
        let service = toolc_web::search::service(name).expect("a service");
        let error = service.configure(&|_: &str| None).expect_err(name).to_string();
        assert!(error.starts_with(&format!("`{name}` needs ")) && error.contains("set "), "{error}");
    }
    let own = toolc_web::search::service("firecrawl").expect("a service");
    let own = own.configure(&|name: &str| (name == "FIRECRAWL_API_URL").then(|| "http://127.0.0.1:3002".to_owned()));
    assert!(own.expect("an instance needs no key").access.is_named());
}
