//! The client against servers that misbehave: a request ends within its limit with all tries, and the error says what happened.

use std::env;
use std::process::Command;
use std::time::Duration;

use super::server::{Reply, hang};
use super::tests::{ENDS, SAYS, ask_with};
use super::*;

/// The maximum time until an answer begins, and that of a try.
const LIMIT: Duration = Duration::from_secs(1);
/// The variable with which [`a_proxy_that_says_nothing_is_named`] runs itself.
const CHILD: &str = "TOOLC_MODEL_CHILD";

/// Asks until the request ends, and returns the error, and the number of requests that the server has received.
fn error(replies: Vec<Reply>, base_url: Option<String>) -> (ModelError, usize) {
    let begun = Instant::now();
    let outcome = ask_with(replies, Api::ChatCompletions, |settings| {
        (settings.model.answer_timeout, settings.model.timeout) = (LIMIT, LIMIT);
        (settings.limits.total, settings.limits.error_body) = (LIMIT, LIMIT / 2);
        settings.limits.connect = LIMIT / 8;
        settings.model.base_url = base_url.or(settings.model.base_url.take());
    });
    let error = outcome.result.map(drop).expect_err("there is no answer");
    assert!(begun.elapsed() < LIMIT * 10, "{:?}: {error}", begun.elapsed());
    (error, outcome.requests.try_iter().count())
}

#[test]
fn a_server_that_is_always_busy_ends_a_request_whatever_it_asks_to_wait() {
    let busy =
        |status, headers| vec![Reply::Whole(status, headers, r#"{"error":{"message":"slow down"}}"#.to_owned()); 20];
    for headers in [
        "",
        "retry-after: 0\r\n",
        "retry-after: -5\r\n",
        "retry-after: soon\r\n",
        "retry-after: 0.001\r\n",
        "retry-after: 99999999999999\r\n",
        "retry-after: Sun, 01 Mar 2020 12:00:00 GMT\r\n",
        "retry-after-ms: 1\r\n",
        "retry-after-ms: -1\r\nretry-after: 0\r\n",
        "retry-after-ms: 9999999999999\r\n",
    ] {
        for (status, kind) in [(429, ErrorKind::RateLimited), (503, ErrorKind::ServerFailed)] {
            let (error, requests) = error(busy(status, headers), None);
            assert_eq!(error.kind(), kind, "{headers}: {error}");
            assert!(error.to_string().contains(&format!("answered with status {status}: slow down")), "{error}");
            assert!((2..=9).contains(&requests), "{headers}: {requests}");
        }
    }
    for headers in
        ["retry-after: 3600\r\n", "retry-after: Sun, 01 Mar 2099 12:00:00 GMT\r\n", "retry-after-ms: 3600000\r\n"]
    {
        let (error, requests) = error(busy(429, headers), None);
        assert!(error.to_string().contains("seconds: try again later"), "{error}");
        assert_eq!(requests, 1, "{headers}");
    }
}

#[test]
fn a_server_that_asks_to_wait_for_nothing_is_not_asked_again_at_once() {
    let mut retries = Retries::new(Limits::default(), 8, Duration::from_mins(10));
    let mut waited = Duration::ZERO;
    let busy = || ModelError::new(ErrorKind::RateLimited, "busy").with_wait(Some(Duration::ZERO));
    while let Ok(wait) = retries.next(busy(), Duration::from_mins(5)) {
        waited += wait.delay;
    }
    assert!(waited >= Duration::from_mins(1), "{waited:?}");
}

#[test]
fn a_body_that_is_no_answer_is_an_error_that_says_what_it_is() {
    let json = |body: &str| Reply::Whole(200, "content-type: application/json\r\n", body.to_owned());
    for (reply, kind, part, is_repeated) in [
        (
            json(r#"{"error":{"message":"no capacity","type":"overloaded_error"}}"#),
            ErrorKind::ServerFailed,
            "(overloaded_error): no capacity",
            true,
        ),
        (json(r#"{"error":"no such model"}"#), ErrorKind::Refused, "the API returned an error: no such model", false),
        (json("{}"), ErrorKind::Unreadable, "check base_url and the API of the model", false),
        (json(r#"{"detail":"Not Found"}"#), ErrorKind::Unreadable, "check base_url and the API of the model", false),
        (json(""), ErrorKind::Broken, "answered with status 200 and an empty body", true),
        (Reply::Whole(204, "", String::new()), ErrorKind::Broken, "answered with status 204 and an empty body", true),
        (
            Reply::Whole(200, "content-type: text/event-stream\r\n", "data: [DONE]\n\n".to_owned()),
            ErrorKind::Broken,
            "broke off",
            true,
        ),
        (
            Reply::Whole(200, "content-type: text/event-stream\r\n", "event: error\ndata: it broke\n\n".to_owned()),
            ErrorKind::ServerFailed,
            "it broke",
            true,
        ),
        (
            json(r#"{"choices":[{"message":{"content":" "},"finish_reason":"stop"}]}"#),
            ErrorKind::NoAnswer,
            "stopped without an answer: stop",
            true,
        ),
        (
            Reply::Whole(
                200,
                "content-type: text/event-stream\r\n",
                "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
            ),
            ErrorKind::NoAnswer,
            "stopped without an answer",
            true,
        ),
        (Reply::Reset(format!("data: {SAYS}\n\n")), ErrorKind::Broken, "reset by peer", true),
        (Reply::Reset(String::new()), ErrorKind::Broken, "reset by peer", true),
        (
            Reply::Whole(307, "location: /chat/completions\r\n", String::new()),
            ErrorKind::Refused,
            "set base_url to the final address",
            false,
        ),
    ] {
        let description = format!("{reply:?}");
        let (error, requests) = error(vec![reply; 20], None);
        assert_eq!(error.kind(), kind, "{description}: {error}");
        assert!(error.to_string().contains(part), "{description}: {error}");
        assert_eq!(requests > 1, is_repeated, "{description}: {requests}");
    }
}

#[test]
fn an_answer_that_trickles_ends_within_the_limit_of_a_try() {
    let bytes = |text: &str| vec![Reply::Trickle(text.to_owned()); 20];
    for (replies, part) in [
        (bytes(&format!("data: {SAYS}\n\ndata: {ENDS}\n\n")), "did not begin its answer"),
        (bytes(&"data: {\"choices\":[]}\n\n".repeat(9)), "did not"),
        (bytes(r#"{"error":{"message":"the server is busy, try again later"}}"#), "did not complete its answer"),
    ] {
        let (error, _) = error(replies, None);
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.to_string().contains(part) && error.to_string().contains("`answer_timeout`"), "{error}");
    }
}

#[test]
fn a_server_that_accepts_a_connection_and_says_nothing_ends_a_request() {
    let address = hang();
    let (silent, _) = error(Vec::new(), Some(format!("http://{address}")));
    assert_eq!(silent.kind(), ErrorKind::TimedOut, "{silent}");
    assert!(silent.to_string().contains("did not begin its answer within 500ms"), "{silent}");
    // The handshake of TLS has the limit of a connection.
    let (tls, _) = error(Vec::new(), Some(format!("https://{address}")));
    assert_eq!(tls.kind(), ErrorKind::Unreachable, "{tls}");
    for part in [
        &*format!("failed to connect to https://{address}"),
        "before the connection and its TLS handshake were complete",
        "check base_url",
    ] {
        assert!(tls.to_string().contains(part), "{tls}");
    }
}

/// Variables of the environment belong to the process, so this test runs itself as another one.
#[test]
fn a_proxy_that_says_nothing_is_named() {
    if env::var_os(CHILD).is_some() {
        let (error, _) = error(Vec::new(), Some("https://model.example".to_owned()));
        println!("{:?} {error}", error.kind());
        return;
    }
    let proxy = format!("http://{}", hang());
    let mut child = Command::new(env::current_exe().expect("the test has a file"));
    child.args(["--exact", "client::misbehaving::a_proxy_that_says_nothing_is_named", "--nocapture"]);
    for name in ["NO_PROXY", "no_proxy", "https_proxy"] {
        child.env_remove(name);
    }
    let output = child.env(CHILD, "1").env("HTTPS_PROXY", &proxy).output().expect("the test can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["Unreachable", "https://model.example", &proxy, "HTTPS_PROXY", "timed out", "check the proxy"] {
        assert!(output.status.success() && text.contains(part), "{part}: {text}");
    }
}
