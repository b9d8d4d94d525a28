//! Clients that others wrote accept the services of these tests: what they send is answered, and the answers are what they read. Without that, the
//! other tests would compare this crate with itself.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolc_test_support::packages;

use crate::services::{KEY, Mode, PAGE, READING, Running, SEARCHING, Service};

/// The SDKs of the services. xAI names that of OpenAI.
const PYPI: &str =
    "exa-py==2.28.0\nfirecrawl-py==4.55.0\nopenai==3.57.0\nparallel-web==1.3.7\nserpapi==1.2.0\ntavily-python==0.8.5\n";
const PYTHON: &str = include_str!("sdks/ask.py");
/// Clients for services without SDKs.
const NPM: &str = "@agentic/brave-search@7.6.9\n@agentic/searxng@7.6.9\n@agentic/serper@8.4.4\nzod@3.25.76\n";
const JAVASCRIPT: &str = include_str!("sdks/ask.mjs");

/// What is asked, how the service answers, and what a client makes of it: results, a text, or an exception and words of its message.
type Case = (&'static str, &'static str, Mode, &'static str);

const PYTHON_CASES: &[Case] = &[
    ("exa", "search", Mode::Right, "7 results"),
    ("exa", "search", Mode::Auth, "ValueError: 401 INVALID_API_KEY"),
    ("exa", "search", Mode::Quota, "ValueError: 402 NO_MORE_CREDITS"),
    ("exa", "search", Mode::Rate, "ValueError: 429"),
    ("exa", "search", Mode::HalfJson, "ValueError"),
    ("exa", "read", Mode::Right, "a text"),
    ("firecrawl", "search", Mode::Right, "7 results"),
    ("firecrawl", "search", Mode::Auth, "UnauthorizedError"),
    ("firecrawl", "search", Mode::Quota, "PaymentRequiredError"),
    ("firecrawl", "search", Mode::Rate, "RateLimitError"),
    ("firecrawl", "read", Mode::Right, "a text"),
    ("firecrawl", "read", Mode::Quota, "PaymentRequiredError"),
    ("parallel", "search", Mode::Right, "7 results"),
    ("parallel", "search", Mode::Auth, "AuthenticationError"),
    ("parallel", "search", Mode::Rate, "RateLimitError"),
    ("serpapi", "search", Mode::Right, "7 results"),
    ("serpapi", "search", Mode::Auth, "HTTPError: 401"),
    ("serpapi", "search", Mode::Quota, "HTTPError: 429"),
    ("tavily", "search", Mode::Right, "7 results"),
    ("tavily", "search", Mode::Auth, "InvalidAPIKeyError: Unauthorized"),
    ("tavily", "search", Mode::Quota, "ForbiddenError: plan's set usage limit"),
    ("tavily", "search", Mode::Rate, "UsageLimitExceededError: excessive requests"),
    ("tavily", "read", Mode::Right, "a text"),
    ("tavily", "read", Mode::Auth, "InvalidAPIKeyError"),
    ("xai", "search", Mode::Right, "7 results"),
    ("xai", "search", Mode::Auth, "BadRequestError: 400"),
    ("xai", "search", Mode::Rate, "RateLimitError"),
];

const JAVASCRIPT_CASES: &[Case] = &[
    ("brave", "search", Mode::Right, "7 results"),
    ("brave", "search", Mode::Auth, "HTTPError: 422"),
    ("searxng", "search", Mode::Right, "7 results"),
    ("searxng", "search", Mode::Auth, "HTTPError: 403"),
    ("serper", "search", Mode::Right, "7 results"),
    ("serper", "search", Mode::Auth, "HTTPError: 403"),
    ("serper", "search", Mode::Quota, "HTTPError: 400"),
];

fn service(name: &str) -> &'static Service {
    SEARCHING.iter().chain(READING).find(|service| service.name == name).expect("a service")
}

/// Runs a program that asks services, and compares what it says.
fn check(cases: &[Case], program: &mut Command) {
    let running: Vec<Running> = cases.iter().map(|(name, _, mode, _)| service(name).start(*mode)).collect();
    let test = |((name, does, ..), running): (&Case, &Running)| json!({ "service": name, "does": does, "base": running.server.url(), "key": KEY, "page": PAGE });
    let tests: Value = cases.iter().zip(&running).map(test).collect();
    // The services are on this machine.
    program.env("NO_PROXY", "127.0.0.1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.spawn().expect("the program starts");
    child.stdin.take().expect("it has an input").write_all(tests.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let results: Vec<Value> = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    assert_eq!(results.len(), cases.len());
    for (((name, does, mode, expected), result), running) in cases.iter().zip(&results).zip(&running) {
        let what = format!("{name} {does} {mode:?}: {result}");
        assert!(!running.server.requests().is_empty(), "{what}");
        match expected.split_once(": ").unwrap_or((expected, "")) {
            ("7 results", _) => assert_eq!(result, &json!({ "results": 7, "complete": true }), "{what}"),
            ("a text", _) => assert_eq!(result, &json!({ "text": "# A post\n\nWith text." }), "{what}"),
            (class, words) => {
                assert_eq!(result["error"], class, "{what}");
                let message = result["message"].as_str().unwrap_or_default();
                assert!(words.split(' ').all(|word| message.contains(word)), "{what}");
            }
        }
    }
}

#[test]
fn the_sdks_of_services_accept_these_services() {
    match packages::python("web-services", PYPI) {
        Ok(python) => check(PYTHON_CASES, Command::new(python).args(["-c", PYTHON])),
        Err(why) => packages::missing("no SDKs of services of web search", &why),
    }
}

#[test]
fn clients_of_services_without_sdks_accept_these_services() {
    let installed = packages::node().and_then(|node| Ok((node, packages::npm("web-services-npm", NPM)?)));
    match installed {
        Ok((node, folder)) => {
            let program = folder.join("ask.mjs");
            fs::write(&program, JAVASCRIPT).expect("failed to write");
            check(JAVASCRIPT_CASES, Command::new(node).arg(program));
        }
        Err(why) => packages::missing("no clients of services of web search", &why),
    }
}
