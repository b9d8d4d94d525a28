//! Which service is asked after which.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::json;
use toolc_net::Client;
use toolc_web::search::{Configured, Found, Query, search};
use toolc_web::service::{Budget, Chain, Ended, Outcome, Rests};

use crate::server::{Reply, Server};
use crate::services::{Mode, Running, SEARCHING, Service};
use crate::{BUDGET, client, configured, found, never};

/// The order in which services are asked here.
const NAMES: [&str; 3] = ["brave", "exa", "tavily"];

fn service(name: &str) -> &'static Service {
    SEARCHING.iter().find(|service| service.name == name).expect("a service")
}

fn query() -> Query {
    Query::new("x").expect("a query")
}

fn mode(word: &str) -> Mode {
    match word {
        "ok" => Mode::Right,
        "empty" => Mode::Empty,
        "quota" => Mode::Quota,
        "auth" => Mode::Auth,
        "rate" => Mode::Rate,
        "blocked" => Mode::Challenge,
        "timeout" => Mode::Slow,
        "broken" => Mode::Down,
        _ => panic!("{word}"),
    }
}

/// The outcomes of three services, the number of those that are asked, and how the search ends.
const CASES: &[(&str, usize, Ended)] = &[
    ("ok ok ok", 1, Ended::Answered),
    ("ok auth broken", 1, Ended::Answered),
    ("empty ok ok", 2, Ended::Answered),
    ("quota ok ok", 2, Ended::Answered),
    ("auth ok ok", 2, Ended::Answered),
    ("rate ok ok", 2, Ended::Answered),
    ("blocked ok ok", 2, Ended::Answered),
    ("timeout ok ok", 2, Ended::Answered),
    ("broken ok ok", 2, Ended::Answered),
    ("empty empty ok", 3, Ended::Answered),
    ("quota empty ok", 3, Ended::Answered),
    ("auth empty ok", 3, Ended::Answered),
    ("rate quota ok", 3, Ended::Answered),
    ("blocked timeout ok", 3, Ended::Answered),
    ("timeout broken ok", 3, Ended::Answered),
    ("broken auth ok", 3, Ended::Answered),
    ("auth auth ok", 3, Ended::Answered),
    ("quota quota ok", 3, Ended::Answered),
    ("empty empty empty", 3, Ended::Empty),
    ("auth auth empty", 3, Ended::Empty),
    ("empty auth auth", 3, Ended::Empty),
    ("empty broken timeout", 3, Ended::Empty),
    ("quota empty rate", 3, Ended::Empty),
    ("blocked empty broken", 3, Ended::Empty),
    ("auth auth auth", 3, Ended::Failed),
    ("quota quota quota", 3, Ended::Failed),
    ("rate rate rate", 3, Ended::Failed),
    ("blocked blocked blocked", 3, Ended::Failed),
    ("timeout timeout timeout", 3, Ended::Failed),
    ("broken broken broken", 3, Ended::Failed),
    ("quota auth rate", 3, Ended::Failed),
    ("broken blocked timeout", 3, Ended::Failed),
];

#[test]
fn a_chain_ends_with_the_first_answer() {
    std::thread::scope(|scope| {
        for (outcomes, asked, ended) in CASES {
            scope.spawn(move || check(outcomes, *asked, *ended));
        }
    });
}

fn check(outcomes: &str, asked: usize, ended: Ended) {
    let words: Vec<&str> = outcomes.split(' ').collect();
    let running: Vec<Running> = NAMES.iter().zip(&words).map(|(name, word)| service(name).start(mode(word))).collect();
    let each = if words.contains(&"timeout") { Duration::from_secs(2) } else { BUDGET.each };
    let found = found(&running.iter().collect::<Vec<_>>(), &query(), Budget { each, ..BUDGET });
    let tried: Vec<&str> = found.tried.iter().map(|tried| tried.outcome.name()).collect();
    assert_eq!((tried.as_slice(), found.ended), (&words[..asked], ended), "{outcomes}: {found:?}");
    assert_eq!(found.service, (ended == Ended::Answered).then(|| NAMES[asked - 1]), "{outcomes}");
    assert_eq!(found.results.is_empty(), ended != Ended::Answered, "{outcomes}");
    let requests: Vec<usize> = running.iter().map(|running| running.server.requests().len()).collect();
    let expected: Vec<usize> = (0..3).map(|index| usize::from(index < asked)).collect();
    assert_eq!(requests, expected, "{outcomes}");
    let shown = found.tried.iter().filter(|tried| tried.must_be_shown()).count();
    assert_eq!(shown, words[..asked].iter().filter(|word| **word == "auth").count(), "{outcomes}");
}

fn ask(client: &Client, rests: &Rests, services: &[Configured]) -> Found {
    search(&Chain { client, rests, budget: BUDGET, is_cancelled: &never }, services, &query())
}

#[test]
fn a_service_without_quota_rests_and_the_others_answer() {
    let (client, rests) = (client(), Rests::default());
    for mode in [Mode::Quota, Mode::Rate] {
        let (first, second) = (service("brave").start(mode), service("exa").start(Mode::Right));
        let services = [configured(&first), configured(&second)];
        for round in 0..3 {
            let found = ask(&client, &rests, &services);
            assert_eq!((found.ended, found.service), (Ended::Answered, Some("exa")), "{found:?}");
            let tried = &found.tried[0];
            let outcome = if mode == Mode::Quota { Outcome::Quota } else { Outcome::Rate };
            assert_eq!((tried.service, tried.outcome, tried.was_asked), ("brave", outcome, round == 0), "{found:?}");
            let detail = tried.detail.as_deref().unwrap_or_default();
            assert_eq!(detail.starts_with("not asked for another "), round > 0, "{detail}");
        }
        assert_eq!((first.server.requests().len(), second.server.requests().len()), (1, 3));
    }
}

#[test]
fn a_rest_is_as_long_as_the_service_says() {
    for (name, mode, most) in [
        ("brave", Mode::Rate, 7),
        ("firecrawl", Mode::Rate, 23),
        ("tavily", Mode::Rate, 7),
        ("exa", Mode::Rate, 10),
        ("exa", Mode::Quota, 600),
    ] {
        let (client, rests) = (client(), Rests::default());
        let running = service(name).start(mode);
        let services = [configured(&running)];
        ask(&client, &rests, &services);
        let found = ask(&client, &rests, &services);
        assert_eq!((found.ended, found.tried[0].was_asked), (Ended::Failed, false), "{found:?}");
        let detail = found.tried[0].detail.as_deref().unwrap_or_default();
        let seconds: u64 = detail.split(' ').find_map(|word| word.parse().ok()).expect("a number of seconds");
        assert!(seconds <= most && seconds + 5 >= most, "{name} {mode:?}: {detail}");
    }
}

/// Returns the detail with which a service is not asked a second time, after this answer.
fn rest_after(reply: Reply) -> String {
    let (client, rests) = (client(), Rests::default());
    let running = Running { service: service("tavily"), server: Server::start(move |_| reply.clone()) };
    let services = [configured(&running)];
    ask(&client, &rests, &services);
    let mut found = ask(&client, &rests, &services);
    assert!(!found.tried[0].was_asked, "{found:?}");
    found.tried.remove(0).detail.expect("it says how long")
}

#[test]
fn a_service_says_in_many_ways_when_to_ask_again() {
    let error = json!({ "code": "keyless_limit", "message": "The limit is reached.", "window": "day", "retry_after_seconds": 120 });
    let body = |value: serde_json::Value| Reply::json(429, &value);
    for (reply, most) in [
        (body(json!({ "error": error })), 120),
        (body(json!({ "error": "slow down, try again in 2 minutes" })), 120),
        (body(json!({ "details": { "retryAfterSeconds": "90" } })), 90),
        (body(json!({})).with("Retry-After", "90"), 90),
        (body(json!({})).with("Retry-After", "Fri, 31 Dec 2100 23:59:59 GMT"), 3_600),
        (body(json!({})).with("Retry-After", "99999999999999999999999999"), 10),
        (body(json!({})).with("Retry-After", "-5"), 10),
        (body(json!({})).with("Retry-After", "soon"), 10),
    ] {
        let what = format!("{reply:?}");
        let detail = rest_after(reply);
        let seconds: u64 = detail.split(' ').find_map(|word| word.parse().ok()).expect("a number of seconds");
        assert!(seconds <= most && seconds + 5 >= most, "{what}: {detail}");
    }
}

/// Starts a service that allows its second request.
fn hurried() -> Running {
    let service = service("brave");
    let count = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |request| {
        let is_first = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        if is_first {
            Reply { headers: Vec::new(), ..(service.rate)() }.with("Retry-After", "1")
        } else {
            (service.answer)(request, 25)
        }
    });
    Running { service, server }
}

#[test]
fn the_only_service_is_asked_again_after_a_short_rest() {
    let (hurried, other) = (hurried(), service("exa").start(Mode::Auth));
    let started = Instant::now();
    let found = found(&[&hurried, &other], &query(), BUDGET);
    let tried: Vec<_> = found.tried.iter().map(|tried| (tried.service, tried.outcome)).collect();
    assert_eq!(tried, [("brave", Outcome::Rate), ("exa", Outcome::Auth), ("brave", Outcome::Ok)], "{found:?}");
    assert!(started.elapsed() >= Duration::from_millis(900), "{:?}", started.elapsed());
    assert_eq!((found.ended, found.results.len()), (Ended::Answered, 10));
}

#[test]
fn a_service_whose_rest_has_ended_meanwhile_is_asked_again() {
    let (hurried, slow) = (hurried(), service("exa").start(Mode::Slow));
    let found = found(&[&hurried, &slow], &query(), Budget { each: Duration::from_millis(1_500), ..BUDGET });
    let tried: Vec<_> = found.tried.iter().map(|tried| (tried.service, tried.outcome)).collect();
    assert_eq!(tried, [("brave", Outcome::Rate), ("exa", Outcome::Timeout), ("brave", Outcome::Ok)], "{found:?}");
}

#[test]
fn another_key_or_instance_does_not_rest() {
    let (client, rests) = (client(), Rests::default());
    let running = service("brave").start(Mode::Quota);
    ask(&client, &rests, &[configured(&running)]);
    let other =
        |name: &str| if name == "BRAVE_API_KEY" { Some("another-key".to_owned()) } else { running.variable(name) };
    let other = configured(&running).service.configure(&other).expect("a key");
    let found = ask(&client, &rests, &[other]);
    assert!(found.tried[0].was_asked, "{found:?}");
}

#[test]
fn a_chain_ends_when_its_time_is_over() {
    let running: Vec<Running> = NAMES.iter().map(|name| service(name).start(Mode::Slow)).collect();
    let budget = Budget { total: Duration::from_millis(600), each: Duration::from_millis(400) };
    let started = Instant::now();
    let found = found(&running.iter().collect::<Vec<_>>(), &query(), budget);
    assert_eq!(found.ended, Ended::OutOfTime, "{found:?}");
    assert!(found.tried.len() <= 2 && running[2].server.requests().is_empty(), "{found:?}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_chain_ends_when_it_is_cancelled() {
    let (client, rests) = (client(), Rests::default());
    let running: Vec<Running> = NAMES.iter().map(|name| service(name).start(Mode::Down)).collect();
    let services: Vec<Configured> = running.iter().map(configured).collect();
    let asked = Cell::new(0);
    let is_cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 1
    };
    let chain = Chain { client: &client, rests: &rests, budget: BUDGET, is_cancelled: &is_cancelled };
    let found = search(&chain, &services, &query());
    assert_eq!((found.ended, found.tried.len()), (Ended::Cancelled, 1), "{found:?}");
    assert!(running[1].server.requests().is_empty());
}

#[test]
fn an_endless_budget_is_a_long_one() {
    let running = service("brave").start(Mode::Right);
    let found = found(&[&running], &query(), Budget { total: Duration::MAX, each: Duration::MAX });
    assert_eq!(found.ended, Ended::Answered, "{found:?}");
    let found = crate::found(&[&running], &query(), Budget { total: Duration::ZERO, each: Duration::ZERO });
    assert_eq!((found.ended, found.tried.len()), (Ended::OutOfTime, 0), "{found:?}");
}

#[test]
fn no_service_is_a_failure() {
    let found = found(&[], &query(), BUDGET);
    assert_eq!((found.ended, found.tried.len(), found.service), (Ended::Failed, 0, None));
}
