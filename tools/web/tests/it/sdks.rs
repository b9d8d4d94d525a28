//! The SDKs of vendors accept the vendors of these tests: what they send is answered, and the answers are what they read. Without that, the other
//! tests would compare this crate with itself.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolc_test_support::packages;

use crate::vendors::{KEY, Mode, PAGE, READING, Running, SEARCHING, Vendor};

const PACKAGES: &str =
    "exa-py==2.28.0\nfirecrawl-py==4.55.0\nparallel-web==1.3.7\nserpapi==1.2.0\ntavily-python==0.8.5\n";
const PROGRAM: &str = include_str!("sdks/ask.py");

/// What is asked, how the vendor answers, and what the SDK makes of it: results, a text, or an exception and a part of its message.
const CASES: &[(&str, &str, Mode, &str)] = &[
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
];

fn vendor(name: &str) -> &'static Vendor {
    SEARCHING.iter().chain(READING).find(|vendor| vendor.name == name).expect("a vendor")
}

#[test]
fn the_sdks_of_vendors_accept_these_vendors() {
    let python = match packages::python("web-vendors", PACKAGES) {
        Ok(python) => python,
        Err(why) => return packages::missing("no SDKs of vendors of web search", &why),
    };
    let running: Vec<Running> = CASES.iter().map(|(name, _, mode, _)| vendor(name).start(*mode)).collect();
    let tests: Vec<Value> = CASES
        .iter()
        .zip(&running)
        .map(|((name, does, ..), running)| {
            json!({ "vendor": name, "does": does, "base": running.server.url(), "key": KEY, "page": PAGE })
        })
        .collect();
    let mut child = Command::new(python)
        .args(["-c", PROGRAM])
        // These are on this machine.
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let input = Value::Array(tests).to_string();
    child.stdin.take().expect("it has an input").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let results: Vec<Value> = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    assert_eq!(results.len(), CASES.len());
    for (((name, does, mode, expected), result), running) in CASES.iter().zip(&results).zip(&running) {
        let what = format!("{name} {does} {mode:?}: {result}");
        assert!(!running.server.requests().is_empty(), "{what}");
        let (class, parts) = expected.split_once(": ").unwrap_or((expected, ""));
        match class {
            "7 results" => assert_eq!(result, &json!({ "results": 7, "complete": true }), "{what}"),
            "a text" => assert_eq!(result, &json!({ "text": "# A post\n\nWith text." }), "{what}"),
            class => {
                assert_eq!(result["error"], class, "{what}");
                let message = result["message"].as_str().unwrap_or_default();
                let words: Vec<&str> = if name == &"exa" { parts.split(' ').collect() } else { vec![parts] };
                assert!(words.iter().all(|word| message.contains(word)), "{what}");
            }
        }
    }
}
