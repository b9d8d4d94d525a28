//! What sources answer when they do not answer with a skill.

use jiff::Timestamp;
use serde_json::json;
use toolc_hub::{BundleError, Hub, HubError, Settings, SourceError, SourceFault};
use toolc_net::{Client, Policy, Ports};

use super::github::{files, skill};
use super::home::{Home, guard, id, settings};
use super::server::Reply;

const COMMIT: &str = "/api/v3/repos/o/r/commits/HEAD";

fn home() -> Home {
    let home = Home::new();
    home.repositories.commit("o/r", files(&[("a/SKILL.md", &skill("a", "Is a", "text"))]));
    home
}

fn fault(home: &Home, text: &str) -> SourceFault {
    match home.hub().preview(&id(text)) {
        Err(HubError::Source(SourceError { fault, subject })) => {
            assert!(!subject.contains('?'), "{subject}");
            fault
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn each_failure_of_a_source_has_a_type() {
    let home = home();
    let with = |reply: Reply| {
        home.server.fix(COMMIT, reply);
        fault(&home, "o/r/a")
    };
    let message = |text: &str| json!({ "message": text }).to_string();
    assert_eq!(with(Reply::new(404, message("Not Found"))), SourceFault::NotFound("Not Found".to_owned()));
    assert!(
        matches!(with(Reply::new(401, message("Bad credentials"))), SourceFault::Auth(text) if text.contains("Bad credentials"))
    );
    assert!(matches!(with(Reply::new(403, message("Resource not accessible"))), SourceFault::Auth(_)));
    assert!(matches!(with(Reply::new(451, "")), SourceFault::Blocked(_)));
    assert!(
        matches!(with(Reply::new(502, "<html>bad gateway")), SourceFault::Unavailable(text) if text.contains("a page instead of data"))
    );
    assert!(matches!(with(Reply::new(422, message("No commit"))), SourceFault::Broken(_)));
    assert!(matches!(with(Reply::new(200, "not a commit")), SourceFault::Broken(_)));
}

#[test]
fn a_rate_limit_says_when_it_ends() {
    let home = home();
    let limit = || Reply::new(403, json!({ "message": "API rate limit exceeded" }).to_string());
    let with = |reply: Reply| {
        home.server.fix(COMMIT, reply);
        match fault(&home, "o/r/a") {
            SourceFault::RateLimit(time) => time,
            other => panic!("{other}"),
        }
    };
    let reset = limit().with("X-RateLimit-Remaining", "0").with("X-RateLimit-Reset", "1798761600");
    assert_eq!(with(reset), Timestamp::from_second(1_798_761_600).ok());
    let soon = |time: Option<Timestamp>, seconds: i64| {
        let left = time.expect("it is known").as_second() - Timestamp::now().as_second();
        assert!((left - seconds).abs() <= 5, "{left} {seconds}");
    };
    soon(with(limit().with("Retry-After", "60")), 60);
    soon(with(Reply::new(429, "Rate limit exceeded").with("RateLimit-Reset", "34")), 34);
    // A year is not believed.
    soon(with(Reply::new(429, "").with("Retry-After", "31536000")), 86_400);
    assert_eq!(with(Reply::new(429, "")), None);
    assert_eq!(
        with(Reply::new(429, "").with("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")),
        "1994-11-06T08:49:37Z".parse().ok()
    );
}

#[test]
fn broken_data_is_an_error() {
    let home = home();
    let tree = format!("/api/v3/repos/o/r/git/trees/{:040x}", 1);
    for body in ["", "{", "[]", "{\"sha\": 1}", "{\"tree\": [{}]}", "<html>"] {
        home.server.fix(&tree, Reply::new(200, body));
        assert!(matches!(fault(&home, "o/r/a"), SourceFault::Broken(_)), "{body}");
    }
    home.server.unfix(&tree);
    // A file that is not the one in the list.
    home.server.fix(&format!("/raw/o/r/{:040x}/a/SKILL.md", 1), Reply::new(200, skill("a", "Is a", "other text")));
    assert!(matches!(fault(&home, "o/r/a"), SourceFault::Broken(text) if text.contains("the repository lists")));
    assert!(home.visible().is_empty());
}

#[test]
fn an_address_that_must_not_be_reached_is_refused() {
    let home = home();
    for target in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "file:///etc/passwd",
        "http://127.0.0.2/",
    ] {
        for path in ["/file", COMMIT] {
            home.server.fix(path, Reply::redirect(target));
        }
        let text = home.server.url("/file?version=1").to_string();
        assert!(matches!(fault(&home, &text), SourceFault::Refused(_)), "{target}");
        assert!(matches!(fault(&home, "o/r/a"), SourceFault::Refused(_)), "{target}");
    }
}

/// This machine is reached only because the tests allow it.
#[test]
fn the_address_policy_of_the_client_counts() {
    let home = home();
    let client = Client::new(Policy { ports: Ports::Any, ..Policy::default() }, "toolc-hub tests");
    let hub = Hub::open(home.skills(), client, settings(&home.server), guard).expect("it opens");
    let text = home.server.url("/SKILL.md").to_string();
    for text in ["o/r/a", "clawhub:a", "lobehub:a", text.as_str()] {
        let error = hub.preview(&id(text)).expect_err("it is on this machine");
        assert!(
            matches!(&error, HubError::Source(error) if matches!(error.fault, SourceFault::Refused(_))),
            "{text}: {error}"
        );
    }
    assert!(home.server.requests().is_empty());
}

#[test]
fn a_source_that_does_not_answer_is_unreachable() {
    let home = Home::new();
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port is free");
    let text = format!("http://127.0.0.1:{}/SKILL.md", closed.port());
    assert_ne!(closed.port(), home.server.port());
    assert!(matches!(fault(&home, &text), SourceFault::Unreachable(_)));
}

#[test]
fn a_skill_with_links_or_too_many_files_is_refused_before_its_files_are_fetched() {
    let home = home();
    let text = skill("b", "Is b", "");
    home.repositories.commit("o/links", files(&[("b/SKILL.md", &text), ("b/x.link", "/etc/passwd")]));
    assert_eq!(fault(&home, "o/links/b"), SourceFault::Bundle(BundleError::Link("x.link".to_owned())));
    let names: Vec<String> = (0..1_001).map(|index| format!("b/{index}.md")).collect();
    let many: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), "")).chain([("b/SKILL.md", text.as_str())]).collect();
    home.repositories.commit("o/many", files(&many));
    let settings = Settings::default();
    assert_eq!(fault(&home, "o/many/b"), SourceFault::Bundle(BundleError::TooManyFiles(settings.limits.files)));
    assert!(home.server.requests().iter().all(|request| !request.path.starts_with("/raw")));
}
