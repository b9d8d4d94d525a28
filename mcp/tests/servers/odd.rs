//! Servers that say clearly what they mean, and not in the form of the protocol.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::{Dialect, ToolCall};
use toolc_mcp::{Oauth, PassedVariable, Server, ServerState, Transport};

use crate::fixture::{Fixture, PATIENCE, error, has_python, is_connected, server};

/// The time in which no call of these tests may wait for its time limit.
const AT_ONCE: Duration = Duration::from_secs(20);

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture/odd_server.py")
}

/// Returns a program with these answers.
pub(crate) fn program(name: &str, given: &Value) -> Server {
    program_given(name, given.to_string())
}

/// Returns a program with the answers in a file.
pub(crate) fn program_with(name: &str, file: &Path) -> Server {
    program_given(name, format!("@{}", file.display()))
}

fn program_given(name: &str, given: String) -> Server {
    let args = vec!["-u".to_owned(), script().display().to_string(), given];
    let note = PassedVariable { name: "NOTE".to_owned(), source: "NOTE".to_owned(), is_secret: None };
    let transport = Transport::Stdio { command: "python3".to_owned(), args, env: vec![note], directory: None };
    Server { transport, ..server(name, &[]) }
}

/// A server with an address and these answers, which is killed at the end.
struct OddServer {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl OddServer {
    fn start(given: &Value) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let mut command = Command::new("python3");
        command.arg(script()).arg(given.to_string()).arg("http").env("NOTE", folder.path().join("note"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("failed to start the server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it prints its port");
        Self { child, port: line.trim().parse().expect("it is a port"), folder }
    }

    /// Returns how often a method was asked.
    fn count(&self, method: &str) -> usize {
        let asked = std::fs::read_to_string(self.folder.path().join("note")).unwrap_or_default();
        asked.lines().filter(|line| *line == method).count()
    }

    fn settings(&self, name: &str) -> Server {
        let url = format!("http://127.0.0.1:{}/mcp", self.port);
        let transport = Transport::Http { url, headers: Vec::new(), bearer_variable: None, oauth: Oauth::default() };
        Server { transport, ..server(name, &[]) }
    }
}

impl Drop for OddServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls each tool, and compares its result or the part of its error.
fn check_calls(fixture: &Fixture, expected: &[(&str, &str)]) {
    for (tool, part) in expected {
        let begun = Instant::now();
        let result = fixture.call(&format!("mcp__s__{tool}"), &json!({})).to_string();
        assert!(result.contains(part), "{tool}: expected {part}, got {result}");
        assert!(begun.elapsed() < AT_ONCE, "{tool}: {result}");
    }
    assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "the server goes on");
}

#[test]
fn odd_answers_of_a_program_reach_the_model_at_once() {
    if !has_python() {
        return;
    }
    let result = r#""result":{"content":[{"type":"text","text":"content"}]}"#;
    let given = json!({
        "no-id": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"the disk is full\"}}\n",
        "absent-id": "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"the disk is full\"}}\n",
        "no-id-result": format!("{{\"jsonrpc\":\"2.0\",\"id\":null,{result}}}\n"),
        "absent-id-result": format!("{{\"jsonrpc\":\"2.0\",{result}}}\n"),
        "no-version": format!("{{\"id\":@,{result}}}\n"),
        "other-version": format!("{{\"jsonrpc\":\"1.0\",\"id\":@,{result}}}\n"),
        "log-result": format!("{{\"level\":\"info\",\"result\":\"done\"}}\n{{\"jsonrpc\":\"2.0\",\"id\":@,{result}}}\n"),
        "no-code": "{\"jsonrpc\":\"2.0\",\"error\":{\"message\":\"the disk is full\"}}\n",
        "error-text": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":\"the disk is full\"}\n",
        "nulls": format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"method\":null,\"params\":null,\"error\":null,{result}}}\n"),
        "error-and-null": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":null,\"error\":{\"code\":1,\"message\":\"the disk is full\"}}\n",
        "float-id": format!("{{\"jsonrpc\":\"2.0\",\"id\":@.0,{result}}}\n"),
        "text-id": format!("{{\"jsonrpc\":\"2.0\",\"id\":\"@\",{result}}}\n"),
        "batch": format!("[{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}},{{\"jsonrpc\":\"2.0\",\"id\":@,{result}}}]\n"),
        "list-error": "{\"jsonrpc\":\"2.0\",\"id\":@,\"error\":[{\"message\":\"the disk is full\"}]}\n",
        "text-result": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":\"content\"}\n",
        "list-result": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":[{\"type\":\"text\",\"text\":\"content\"}]}\n",
        "tool-result": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"toolResult\":\"content\"}}\n",
        "half": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\ud83d\"}]}}\n",
        "log-lines": format!("starting...\n{{\"level\":\"info\"}}\n{{\"jsonrpc\":\"2.0\",\"id\":@,{result}}}\n"),
        "forbidden": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{},\"requestState\":\"s\"}}\n",
    });
    let fixture = Fixture::new([program("s", &given)]);
    check_calls(
        &fixture,
        &[
            ("no-id", "the disk is full"),
            ("absent-id", "the disk is full"),
            ("no-id-result", "content"),
            ("absent-id-result", "content"),
            ("no-version", "content"),
            ("other-version", "content"),
            ("log-result", "content"),
            ("no-code", "the disk is full"),
            ("error-text", "the disk is full"),
            ("nulls", "content"),
            ("error-and-null", "the disk is full"),
            ("float-id", "content"),
            ("text-id", "content"),
            ("batch", "content"),
            ("list-error", "the disk is full"),
            ("text-result", "content"),
            ("list-result", "content"),
            ("tool-result", "content"),
            ("half", "a\u{fffd}"),
            ("log-lines", "content"),
            ("forbidden", "its version of the protocol does not have"),
        ],
    );
}

/// Calls a tool twice at the same time. Returns both results in alphabetical order, and the time until the first one.
fn call_twice(fixture: &Fixture, tool: &str) -> ([String; 2], Duration) {
    let (begun, turn) = (Instant::now(), fixture.session().turn_blocking(Dialect::OpenAi));
    let call = || (turn.call_blocking(&ToolCall::new(tool, "{}")).json, begun.elapsed());
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(call);
        (call(), one.join().expect("no panic"))
    });
    let soonest = one.1.min(other.1);
    let mut results = [one.0, other.0];
    results.sort();
    (results, soonest)
}

#[test]
fn an_error_of_a_program_without_an_id_answers_one_of_two_open_calls_if_it_is_known_which() {
    if !has_python() {
        return;
    }
    let failed = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"the disk is full\"}}\n";
    let answered =
        "{\"jsonrpc\":\"2.0\",\"id\":^,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"content\"}]}}\n";
    let given = json!({
        "before": { "first": "", "second": format!("{failed}{answered}") },
        "after": { "first": "", "second": format!("{answered}{failed}") },
        "both": { "first": failed, "second": failed },
        "later": { "first": "", "second": format!("{failed}{failed}") },
        "unknown": { "first": "", "second": failed },
    });
    let fixture = Fixture::new([program("s", &given)]);
    for (tool, parts) in [
        ("before", ["content", "the disk is full"]),
        ("after", ["content", "the disk is full"]),
        ("both", ["the disk is full"; 2]),
        ("later", ["the disk is full"; 2]),
    ] {
        let (results, soonest) = call_twice(&fixture, &format!("mcp__s__{tool}"));
        assert!(results.iter().zip(parts).all(|(result, part)| result.contains(part)), "{tool}: {results:?}");
        assert!(results.iter().all(|result| !result.contains("did not say which")), "{tool}: {results:?}");
        assert!(soonest < AT_ONCE, "{tool}: {soonest:?}");
    }
    // If it is not known, the error ends both calls, and says so.
    let (results, soonest) = call_twice(&fixture, "mcp__s__unknown");
    assert!(results.iter().all(|result| result.contains("the disk is full")), "{results:?}");
    assert!(results.iter().any(|result| result.contains("did not say which")), "{results:?}");
    assert!(soonest < AT_ONCE, "{soonest:?}");
    assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "the server goes on");
}

#[test]
fn an_error_over_http_without_an_id_answers_the_call_to_which_it_is_the_response() {
    if !has_python() {
        return;
    }
    let error = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"message\":\"the disk is full\"}}";
    let (json_type, events) = ("application/json", "text/event-stream");
    let hangs = json!([0, "", ""]);
    let given = json!({
        "event": { "first": hangs, "second": [200, events, format!("data: {error}\n\n")] },
        "body": { "first": hangs, "second": [200, json_type, error] },
        "status": { "first": hangs, "second": [400, json_type, error] },
        "other-id": { "first": hangs, "second": [200, json_type, error.replace("null", "\"x\"")] },
    });
    let server = OddServer::start(&given);
    let mut settings = server.settings("s");
    settings.call_timeout = Duration::from_secs(4);
    let fixture = Fixture::new([settings]);
    for tool in ["event", "body", "status", "other-id"] {
        let (results, soonest) = call_twice(&fixture, &format!("mcp__s__{tool}"));
        let count = |part: &str| results.iter().filter(|result| result.contains(part)).count();
        assert_eq!((count("the disk is full"), count("timeout")), (1, 1), "{tool}: {results:?}");
        assert!(soonest < Duration::from_secs(3), "{tool}: {soonest:?}");
    }
    assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "the server goes on");
}

#[test]
fn odd_answers_over_http_reach_the_model_at_once() {
    if !has_python() {
        return;
    }
    let (json_type, events) = ("application/json", "text/event-stream");
    let result = r#"{"jsonrpc":"2.0","id":@,"result":{"content":[{"type":"text","text":"content"}]}}"#;
    let stray = r#"{"jsonrpc":"2.0","id":@,"result":{"content":[{"type":"text","text":"of another"}]}}"#;
    let failed = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32603,"message":"the disk is full"}}"#;
    let given = json!({
        "accepted": [202, "", ""],
        "no-content": [204, "", ""],
        "empty": [200, json_type, ""],
        "other-id": [200, json_type, failed],
        "status": [500, json_type, failed],
        "unreadable": [200, json_type, "{\"jsonrpc\":\"2.0\",\"result\":7}"],
        "no-type": [200, "", result],
        "text-type": [200, "text/plain", result],
        "batch": [200, json_type, format!("[{result}]")],
        "ping": [200, events, format!("event: ping\ndata: ping\n\nevent: message\ndata: {result}\n\n")],
        "heartbeat": [200, events, format!("data: {{\"type\":\"heartbeat\"}}\n\ndata: {result}\n\n")],
        "last": [200, events, format!("data: {result}")],
        "comments": [200, events, format!(": hello\nretry: soon\nunknown: x\ndata\n\nid: 1\nid: 2\ndata: {result}\nevent: message\n\n")],
        "no-id": [200, events, "data: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"message\":\"the disk is full\"}}\n\n"],
        "nothing": [200, events, ": nothing\n\n"],
        "stray-number": [200, events, format!("data: {}\n\ndata: {result}\n\n", stray.replace('@', "999"))],
        "stray-text": [200, events, format!("data: {}\n\ndata: {result}\n\n", stray.replace('@', "\"abc\""))],
        "stray-error": [200, events, format!("data: {failed}\n\ndata: {result}\n\n")],
        "only-error": [200, events, format!("data: {failed}\n\n")],
        "only-stray": [200, events, format!("data: {}\n\n", stray.replace('@', "999"))],
        "wrong-id": [200, json_type, stray.replace('@', "77")],
        "no-answer": [200, json_type, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}"],
        "null-result": [200, events, format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":\"x\"}},\"id\":null,\"result\":null}}\n\ndata: {result}\n\n")],
        "other-type": [200, events, format!("event: response\ndata: {result}\n\n")],
        "unread-type": [200, events, "event: done\ndata: finished\n\n"],
        "events-as-json": [200, json_type, format!(": hello\n\nevent: message\ndata: {result}\n\n")],
        "events-as-text": [200, "text/plain", format!("data: {result}\n\n")],
        "json-as-events": [200, events, result],
        "lines-as-events": [200, events, result.replace(',', ",\n  ").replace('{', "{\n  ")],
        "two-as-events": [200, events, format!("{}\n{result}\n", stray.replace('@', "999"))],
    });
    let server = OddServer::start(&given);
    let fixture = Fixture::new([server.settings("s")]);
    check_calls(
        &fixture,
        &[
            ("accepted", "it is empty (HTTP 202 Accepted)"),
            ("no-content", "it is empty (HTTP 204 No Content)"),
            ("empty", "it is empty (HTTP 200 OK)"),
            ("other-id", "the disk is full"),
            ("status", "the disk is full"),
            ("unreadable", "cannot be read"),
            ("no-type", "content"),
            ("text-type", "content"),
            ("batch", "content"),
            ("ping", "content"),
            ("heartbeat", "content"),
            ("last", "content"),
            ("comments", "content"),
            ("no-id", "the disk is full"),
            ("nothing", "a stream of events that ends without an answer"),
            ("stray-number", "content"),
            ("stray-text", "content"),
            ("stray-error", "content"),
            ("only-error", "the disk is full"),
            ("only-stray", "ends without an answer; another answer came: it has the id `999`"),
            ("wrong-id", "it has the id `77`, and the request has"),
            ("wrong-id", "of another"),
            ("no-answer", "it has no answer to the request"),
            ("null-result", "content"),
            ("other-type", "content"),
            ("unread-type", "an event of the type `done` is not read: finished"),
            ("events-as-json", "content"),
            ("events-as-text", "content"),
            ("json-as-events", "content"),
            ("lines-as-events", "content"),
            ("two-as-events", "content"),
        ],
    );
}

#[test]
fn a_server_is_used_however_it_answers_the_first_requests() {
    if !has_python() {
        return;
    }
    let initialized = |more: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{{\"protocolVersion\":\"2025-06-18\"{more}}}}}")
    };
    let refused = |code: i32, data: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"error\":{{\"code\":{code},\"message\":\"no\",\"data\":{data}}}}}")
    };
    let events = "text/event-stream";
    let ping = format!("event: ping\ndata: ping\n\nevent: message\ndata: {}\n\n", initialized(""));
    let over_http = [
        json!({ "server/discover": [500, "text/plain", "Internal Server Error"] }),
        json!({ "server/discover": [501, "text/html", "<p>no</p>"] }),
        json!({ "server/discover": [503, "", ""] }),
        json!({ "server/discover": [405, "", ""] }),
        json!({ "server/discover": [202, "", ""] }),
        json!({ "server/discover": [200, "text/html", "<p>no</p>"] }),
        json!({ "server/discover": [200, "application/json", ""] }),
        json!({ "server/discover": [200, "application/json", "{\"error\":\"not found\"}"] }),
        json!({ "server/discover": [200, "application/json", "{\"status\":404}"] }),
        json!({ "server/discover": [200, events, ": nothing\n\n"] }),
        json!({ "server/discover": [0, "", ""] }),
        json!({ "server/discover": [400, "application/json", refused(-32022, "{\"supported\":[\"2025-06-18\",\"2024-11-05\"]}")] }),
        json!({ "initialize": [200, events, ping] }),
        json!({ "initialize": [200, events, format!("data: {{\"type\":\"heartbeat\"}}\n\ndata: {}", initialized(""))] }),
        json!({ "initialize": [200, "application/json", initialized(",\"capabilities\":{\"tools\":true},\"serverInfo\":{\"name\":\"s\"}")] }),
    ];
    for given in over_http {
        let server = OddServer::start(&given);
        let fixture = Fixture::new([server.settings("s")]);
        assert_eq!(fixture.report("s").state, ServerState::Connected, "{given}: {}", fixture.report("s"));
        assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "{given}");
    }
    let line = |text: String| text + "\n";
    let programs = [
        json!({ "server/discover": "" }),
        json!({ "server/discover": "end" }),
        json!({ "server/discover": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"message\":\"unknown\"}}\n" }),
        json!({ "server/discover": line(refused(-32022, "{\"supported\":[\"2025-06-18\"]}")) }),
        json!({ "server/discover": line("{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"supportedVersions\":[\"2025-06-18\"]}}".to_owned()) }),
        json!({ "initialize": line(initialized("")) }),
        json!({ "initialize": line(initialized(",\"capabilities\":true,\"serverInfo\":null,\"instructions\":7")) }),
        json!({ "server/discover": line("{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}".to_owned()) }),
    ];
    let servers = programs.iter().enumerate().map(|(at, given)| program(&format!("s{at}"), given));
    let fixture = Fixture::new(servers);
    for (at, given) in programs.iter().enumerate() {
        let report = fixture.report(&format!("s{at}"));
        assert!(is_connected(&report), "{given}: {report}");
        assert_eq!(fixture.call(&format!("mcp__s{at}__echo"), &json!({})), json!("echoed"), "{given}");
    }
}

/// Returns an answer with this result.
fn result(result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{result}}}")
}

#[test]
fn a_server_of_the_older_era_is_used_whatever_it_says_to_the_newer_one() {
    if !has_python() {
        return;
    }
    let (json_type, events) = ("application/json", "text/event-stream");
    let error =
        |code: i32| format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"error\":{{\"code\":{code},\"message\":\"no\"}}}}");
    let version =
        |version: &str| result(&format!("{{\"protocolVersion\":\"{version}\",\"capabilities\":{{\"tools\":{{}}}}}}"));
    let over_http = [
        json!({ "server/discover": [404, "text/html", "<p>Cannot POST /mcp</p>"] }),
        json!({ "server/discover": [406, json_type, error(-32000)] }),
        json!({ "server/discover": [415, "", ""] }),
        json!({ "server/discover": [422, json_type, "{\"detail\":[{\"msg\":\"Field required\"}]}"] }),
        json!({ "server/discover": [502, "text/html", "<h1>Bad gateway</h1>"] }),
        json!({ "server/discover": [400, "text/plain", "Bad Request: Server not initialized"] }),
        json!({ "server/discover": [400, json_type, error(-32000)] }),
        json!({ "server/discover": [200, json_type, error(-32600)] }),
        json!({ "server/discover": [200, json_type, error(-32602)] }),
        json!({ "server/discover": [200, json_type, error(-32603)] }),
        json!({ "server/discover": [200, json_type, result("{}")] }),
        json!({ "server/discover": [200, json_type, result("null")] }),
        json!({ "server/discover": [200, json_type, result("[]")] }),
        json!({ "server/discover": [200, json_type, version("2025-06-18")] }),
        json!({ "server/discover": [200, json_type, result("{\"supportedVersions\":[]}")] }),
        json!({ "server/discover": [200, json_type, result("{\"supportedVersions\":[7]}")] }),
        json!({ "server/discover": [200, events, format!("event: message\r\ndata: {}\r\n\r\n", error(-32601))] }),
        json!({ "initialize": [200, json_type, version("2024-11-05")] }),
        json!({ "initialize": [200, json_type, version("2025-03-26")] }),
        json!({ "initialize": [200, json_type, version("2025-11-25")] }),
        json!({ "initialize": [200, "application/json; charset=utf-8", version("2025-06-18")] }),
        json!({ "initialize": [200, events, format!("\u{feff}id: 1\r\nevent:message\r\ndata:{}\r\n\r\n", version("2025-06-18"))] }),
        json!({ "initialize": [200, events, format!("retry: 3000\n\nid: 0\ndata: \n\ndata: {}\n\n", version("2025-06-18"))] }),
        json!({ "initialize": [200, events, format!("data: {}\n\n", version("2025-06-18").replacen(',', ",\ndata: ", 2))] }),
    ];
    for given in over_http {
        let server = OddServer::start(&given);
        let fixture = Fixture::new([server.settings("s")]);
        assert_eq!(fixture.report("s").state, ServerState::Connected, "{given}: {}", fixture.report("s"));
        assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "{given}");
    }
    let programs = [
        json!({ "server/discover": error(-32600) + "\n" }),
        json!({ "server/discover": error(-32700) + "\r\n" }),
        json!({ "server/discover": result("{\"supportedVersions\":[]}") + "\n" }),
        json!({ "server/discover": "Unknown method: server/discover\n" }),
        json!({ "server/discover": error(-32601).replace('@', "-1") + "\n" }),
        json!({ "server/discover": error(-32601).replace('@', "\"\"") + "\n" }),
        json!({ "server/discover": error(-32601).replace('@', "4711") + "\n" }),
        json!({ "server/discover": format!("{}\n{}\n", error(-32601), error(-32600).replace('@', "null")) }),
        json!({ "server/discover": format!("{0}\n{0}\n", error(-32601).replace('@', "null")) }),
        json!({ "server/discover": result("{}") + "\n" }),
        json!({ "server/discover": result("null") + "\n" }),
        json!({ "server/discover": version("2025-06-18") + "\n" }),
        json!({ "server/discover": "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":\"unknown method\"}\n" }),
        json!({ "initialize": format!("\u{feff}{}\r\n", version("2024-11-05")) }),
        json!({ "initialize": format!("Starting the server\n\n{}\n", version("2025-11-25")) }),
        json!({ "initialize": format!("[{}]\n", version("2025-03-26")) }),
    ];
    let servers = programs.iter().enumerate().map(|(at, given)| program(&format!("s{at}"), given));
    let fixture = Fixture::new(servers);
    for (at, given) in programs.iter().enumerate() {
        let report = fixture.report(&format!("s{at}"));
        assert!(is_connected(&report), "{given}: {report}");
        assert_eq!(fixture.call(&format!("mcp__s{at}__echo"), &json!({})), json!("echoed"), "{given}");
    }
}

#[test]
fn a_server_that_refuses_the_end_of_the_handshake_is_used() {
    if !has_python() {
        return;
    }
    for status in [302, 400, 404, 405, 415, 500] {
        let server = OddServer::start(&json!({ "notifications/initialized": [status, "text/plain", "no"] }));
        let fixture = Fixture::new([server.settings("s")]);
        assert!(is_connected(&fixture.report("s")), "{status}: {}", fixture.report("s"));
        assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "{status}");
    }
    // Without its session, the server answers the next request with an error that says so.
    let lost = json!([404, "", ""]);
    let server = OddServer::start(&json!({ "notifications/initialized": lost, "tools/list": lost }));
    let problem = Fixture::new([server.settings("s")]).report("s").problem.unwrap_or_default();
    assert!(problem.contains("did not list its tools"), "{problem}");
}

#[test]
fn a_start_that_fails_names_the_cause() {
    if !has_python() {
        return;
    }
    let events = "text/event-stream";
    for (given, part) in [
        (json!({ "initialize": [200, events, ": nothing\n\n"] }), "a stream of events that ends without an answer"),
        (json!({ "initialize": [202, "", ""] }), "HTTP 202 Accepted and no content"),
        (json!({ "server/discover": [308, "", ""] }), "which leads to http://127.0.0.1:"),
        (json!({ "server/discover": [308, "", ""] }), "/moved: redirects are not followed, so change `url`"),
        (
            json!({ "initialize": [200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"protocolVersion\":\"1999-01-01\"}}"] }),
            "the version `1999-01-01` of the protocol, which this program does not know",
        ),
    ] {
        let server = OddServer::start(&given);
        let fixture = Fixture::new([server.settings("s")]);
        let problem = fixture.report("s").problem.unwrap_or_default();
        assert!(problem.contains(part), "{given}: {problem}");
    }
}

#[test]
fn a_program_that_ends_instead_of_a_list_is_named_with_its_exit_status() {
    if !has_python() {
        return;
    }
    let problem = Fixture::new([program("s", &json!({ "tools/list": "end" }))]).report("s").problem.unwrap_or_default();
    assert!(problem.contains("the server ended before it listed its tools: exit status: 1"), "{problem}");
}

#[test]
fn a_server_that_cost_time_at_the_first_request_begins_with_the_handshake_the_next_time() {
    if !has_python() {
        return;
    }
    for (given, is_remembered) in
        [(json!({ "server/discover": "" }), true), (json!({ "server/discover": "end" }), true), (json!({}), false)]
    {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let mut settings = program("s", &given);
        settings.protocol_file = folder.path().join("protocol.json");
        drop(Fixture::new([settings.clone()]));
        assert_eq!(settings.protocol_file.exists(), is_remembered, "{given}");
        let fixture = Fixture::new([settings]);
        let asked = std::fs::read_to_string(fixture.note()).expect("it notes what it was asked");
        assert_eq!(asked.contains("server/discover"), !is_remembered, "{given}: {asked}");
        assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"));
    }
}

#[test]
fn a_list_whose_empty_cursor_leads_to_the_same_page_is_complete() {
    if !has_python() {
        return;
    }
    let list = "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"nextCursor\":\"\",\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}}\n";
    let fixture = Fixture::new([program("s", &json!({ "tools/list": list }))]);
    let report = fixture.report("s");
    assert!(is_connected(&report) && !report.has_problem() && report.left_out.is_empty(), "{report}");
    assert_eq!(fixture.own_names("s"), ["echo"]);
}

#[test]
fn a_definition_that_vendors_refuse_is_mended_and_its_tool_gets_the_names_of_its_schema() {
    if !has_python() {
        return;
    }
    let properties = json!({
        "$filter": { "type": "string" }, "$top": { "type": "int", "minimum": 0, "exclusiveMinimum": true }, "tags": { "type": "array" },
    });
    let tools = json!([
        { "name": "arguments", "inputSchema": { "type": "object", "properties": properties, "required": ["$filter"] } },
        { "name": "union", "inputSchema": { "type": "object", "properties": { "a": { "$ref": "#/$defs/none" } }, "oneOf": [{ "required": ["a"] }, {}] } },
        { "name": "text", "inputSchema": { "type": "string" } },
    ]);
    let list = format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{{\"tools\":{tools}}}}}\n");
    let fixture = Fixture::new([program("s", &json!({ "tools/list": list }))]);
    let report = fixture.report("s");
    assert_eq!(fixture.own_names("s"), ["arguments", "union"], "{report}");
    let text = report.to_string();
    for part in [
        "changed: `arguments`: its `inputSchema` at `/properties/tags` is an array without `items`: they may be any values",
        "changed: `arguments`: `$filter` is shown as `filter` in `anthropic`, `gemini`",
        "changed: `union`: its `inputSchema` at `/properties/a` refers to `#/$defs/none`",
        "changed: `union`: `oneOf` of the root is in words in `openai`, `openai-responses`, `anthropic`",
        "left out: `text`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for sent in [json!({ "filter": "x", "top": "5", "tags": "a" }), json!({ "$filter": "x", "$top": 5, "tags": ["a"] })]
    {
        let got = fixture.call("mcp__s__arguments", &sent);
        let got: Value = serde_json::from_str(got.as_str().expect("a text")).expect("JSON");
        assert_eq!(got, json!({ "$filter": "x", "$top": 5, "tags": ["a"] }));
    }
    let refused = fixture.call("mcp__s__arguments", &json!({ "filter": "x", "top": 0 }));
    assert!(error(&refused).contains("/top"), "{refused}");
    let portable = fixture.session().turn_blocking(Dialect::Portable);
    assert!(portable.definitions().contains("mcp__s__union"), "{}", portable.definitions());
}

/// The answers of a server of the newer era.
fn newer(more: &Value) -> Value {
    let discovered = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
    let mut given = json!({ "server/discover": discovered });
    given.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    // The results of the server.
    for (_, result) in given.as_object_mut().expect("an object").iter_mut() {
        let text = result.as_str().expect("a text");
        *result = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":@,{}}}",
            if text.starts_with('"') { text.to_owned() } else { format!("\"result\":{text}") }
        )
        .into();
    }
    given
}

/// Returns the answers of a server with an address, from those of a program.
fn over_http(given: &Value) -> Value {
    let answer = |(key, text): (&String, &Value)| (key.clone(), json!([200, "application/json", text]));
    Value::Object(given.as_object().expect("an object").iter().map(answer).collect())
}

/// The same for both transports: the tool of a program reads lines.
fn on_both(given: &Value, check: impl Fn(&Fixture, &str)) {
    let server = OddServer::start(&over_http(given));
    check(&Fixture::new([server.settings("s")]), "HTTP");
    let lines = given
        .as_object()
        .expect("an object")
        .iter()
        .map(|(key, text)| (key.clone(), json!(format!("{}\n", text.as_str().expect("a text")))));
    check(&Fixture::new([program("s", &Value::Object(lines.collect()))]), "a program");
}

#[test]
fn numbers_keep_their_digits_over_both_transports() {
    if !has_python() {
        return;
    }
    let structured = r#"{"content":[],"structuredContent":{"n":[123456789012345678901234567890,1.50,1e400,-0]}}"#;
    let tools = r#"{"tools":[{"name":"sent","inputSchema":{"type":"object","properties":{"n":{"type":"number"},"i":{"type":"integer","x-mcp-header":"I"}}}},{"name":"numbers","inputSchema":{"type":"object"}}]}"#;
    let mut given = newer(&json!({ "numbers": structured, "tools/list": tools }));

    given.as_object_mut().expect("an object").remove("server/discover");
    on_both(&given, |fixture, way| {
        let turn = fixture.session().turn_blocking(Dialect::OpenAi);
        for (sent, expected) in [
            (r#"{"n":5.0,"i":5.0}"#, r#""n":5.0,"i":5}"#),
            (r#"{"i":1e3}"#, r#""i":1000"#),
            (r#"{"n":123456789012345678901234567890}"#, r#""n":123456789012345678901234567890"#),
            (r#"{"n":1.50}"#, r#""n":1.50"#),
            (r#"{"n":0.1234567890123456789}"#, r#""n":0.1234567890123456789"#),
            (r#"{"n":1E+2}"#, r#""n":1E+2"#),
            (r#"{"n":-0}"#, r#""n":-0"#),
            (r#"{"n":"3.10"}"#, r#""n":3.10"#),
            (r#"{"a":[18446744073709551616,{"b":[0.10]}]}"#, r#""a":[18446744073709551616,{"b":[0.10]}]"#),
            (r#"{"i":9007199254740993}"#, r#""i":9007199254740993"#),
        ] {
            let got = turn.call_blocking(&ToolCall::new("mcp__s__sent", sent)).json.replace("\\\"", "\"");
            assert!(got.contains(expected), "{way} {sent}: {got}");
        }
        let got = turn.call_blocking(&ToolCall::new("mcp__s__numbers", "{}")).json.replace("\\\"", "\"");
        assert!(got.contains("[123456789012345678901234567890,1.50,1e400,-0]"), "{way}: {got}");
    });
}

#[test]
fn a_server_that_refuses_the_version_of_a_request_gets_the_one_that_it_names() {
    if !has_python() {
        return;
    }
    let refused = r#""error":{"code":-32022,"message":"no","data":{"supported":["2024-11-05","2025-06-18","2031-01-01"],"requested":"2026-07-28"}}"#;
    for more in [
        json!({ "tools/list/new": refused }),
        json!({ "echo/new": refused, "tools/list/new": r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"# }),
    ] {
        on_both(&newer(&more), |fixture, way| {
            assert!(is_connected(&fixture.report("s")), "{way} {more}: {}", fixture.report("s"));
            assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "{way} {more}");
        });
    }
    // A version that no client knows.
    let unknown = refused.replace(r#""2024-11-05","2025-06-18","#, "");
    on_both(
        &newer(
            &json!({ "echo/new": unknown, "tools/list/new": r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"# }),
        ),
        |fixture, way| {
            let result = fixture.call("mcp__s__echo", &json!({}));
            assert!(error(&result).contains("refused the call: no"), "{way}: {result}");
        },
    );
}

#[test]
fn results_of_the_newer_era_may_lack_what_only_caches_and_later_steps_need() {
    if !has_python() {
        return;
    }
    let tool = r#"{"name":"echo","inputSchema":{"type":"object"}}"#;
    let content = r#""content":[{"type":"text","text":"hello"}]"#;
    for (discovered, list, result) in [
        (r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#.to_owned(), format!(r#"{{"tools":[{tool}]}}"#), format!("{{{content}}}")),
        (
            r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":null,"ttlMs":null,"cacheScope":null}"#.to_owned(),
            format!(r#"{{"tools":[{tool}],"resultType":null,"ttlMs":null,"cacheScope":null,"nextCursor":null}}"#),
            format!(r#"{{{content},"resultType":null,"isError":null,"structuredContent":null}}"#),
        ),
        (
            r#"{"supportedVersions":["2026-07-28"],"ttlMs":"soon","cacheScope":"world","resultType":"complete"}"#.to_owned(),
            format!(r#"{{"tools":[{tool}],"ttlMs":-1,"cacheScope":7}}"#),
            format!(r#"{{{content},"resultType":"complete","x":1}}"#),
        ),
        (
            r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1.5,"cacheScope":"public"}"#.to_owned(),
            format!(r#"{{"tools":[{tool}],"resultType":"complete","ttlMs":1e9,"cacheScope":"public"}}"#),
            format!(r#"{{{content},"_meta":null}}"#),
        ),
    ] {
        let given = newer(&json!({ "server/discover": discovered, "tools/list": list, "echo": result }));
        on_both(&given, |fixture, way| {
            assert!(is_connected(&fixture.report("s")), "{way} {given}: {}", fixture.report("s"));
            assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("hello"), "{way} {given}");
        });
    }
}

#[test]
fn a_call_that_times_out_says_what_came_instead_of_an_answer() {
    if !has_python() {
        return;
    }
    let given = json!({
        "stray": "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[]\n",
        "lines": "{\n \"jsonrpc\": \"2.0\",\n \"id\": @,\n \"result\": {\"content\": []}\n}\n",
        "quotes": "{'jsonrpc': '2.0', 'id': @, 'result': {'content': []}}\n",
        "printed": "{ jsonrpc: '2.0', id: @, result: { content: [ 'hunter2hunter2' ] } }\n",
        "wrong-id": "{\"jsonrpc\":\"2.0\",\"id\":777,\"result\":{\"content\":[]}}\n",
        "no-end": "{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"content\":[]}}",
        "log": "{\"level\":\"info\"}\nstarting\n",
    });
    let mut settings = program("s", &given);
    settings.call_timeout = Duration::from_secs(1);
    let fixture = Fixture::new([settings]);
    for (tool, part) in [
        ("stray", "it sent something else: a message cannot be read"),
        ("lines", "a message cannot be read: it has several lines: { \"jsonrpc\": \"2.0\""),
        ("quotes", "a message cannot be read: it is not JSON"),
        ("printed", "content: [ '[secret]' ]"),
        ("wrong-id", "an answer has the id `777`, which no open request has"),
        ("log", "and the call was cancelled"),
        ("no-end", "its line has no end"),
    ] {
        let result = fixture.call(&format!("mcp__s__{tool}"), &json!({}));
        assert_eq!(result["kind"], "timeout", "{tool}: {result}");
        assert!(error(&result).contains(part), "{tool}: {result}");
        assert_eq!(error(&result).contains("it sent something else"), tool != "log", "{tool}: {result}");
    }
}

#[test]
fn a_program_that_closes_its_output_is_started_again_and_its_call_ends() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([program("s", &json!({ "shut": "close" }))]);
    let begun = Instant::now();
    let result = fixture.call("mcp__s__shut", &json!({}));
    assert!(error(&result).contains("ended during the call") && begun.elapsed() < PATIENCE / 2, "{result}");
    assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"));
}

/// An HTTP error of a server that does not know a session.
fn lost(status: u16, body: &Value) -> Value {
    json!([status, "application/json", body.to_string()])
}

#[test]
fn a_request_whose_session_is_lost_is_repeated_once_in_a_new_session() {
    if !has_python() {
        return;
    }
    let error = |code: i32, message: &str, id: &Value| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    let answered = json!([
        200,
        "application/json",
        r#"{"jsonrpc":"2.0","id":@,"result":{"content":[{"type":"text","text":"content"}]}}"#
    ]);
    for forgotten in [
        lost(400, &error(-32000, "Bad Request: No valid session ID provided", &json!(null))),
        lost(400, &error(-32000, "Bad Request: Server not initialized", &json!(null))),
        lost(400, &error(-32600, "Invalid or expired Session", &json!("server-error"))),
        lost(400, &json!({ "error": "unknown session" })),
        json!([400, "text/plain", "Missing or invalid session id"]),
        json!([404, "", ""]),
        lost(410, &json!({ "detail": "The session is gone." })),
    ] {
        let server = OddServer::start(&json!({ "once": { "first": forgotten, "second": answered } }));
        let fixture = Fixture::new([server.settings("s")]);
        assert_eq!(fixture.call("mcp__s__once", &json!({})), json!("content"), "{forgotten}");
        assert_eq!(server.count("initialize"), 2, "{forgotten}");
        assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "{forgotten}");
    }
}

#[test]
fn an_error_about_a_session_that_stays_or_about_something_else_reaches_the_model() {
    if !has_python() {
        return;
    }
    let forgotten = lost(400, &json!({ "error": "No valid session ID provided" }));
    let given = json!({
        "always": { "first": forgotten, "second": forgotten },
        "arguments": [400, "application/json", r#"{"jsonrpc":"2.0","id":@,"error":{"code":-32602,"message":"`session` is missing"}}"#],
        "detail": [400, "application/json", r#"{"detail":"the date is not valid"}"#],
    });
    let server = OddServer::start(&given);
    let fixture = Fixture::new([server.settings("s")]);
    for (tool, part, begun) in [
        ("detail", "the date is not valid", 1),
        ("arguments", "`session` is missing", 1),
        ("always", "No valid session ID provided", 2),
    ] {
        let result = fixture.call(&format!("mcp__s__{tool}"), &json!({}));
        assert!(error(&result).contains(part), "{tool}: {result}");
        assert_eq!(server.count("initialize"), begun, "{tool}");
    }
    assert_eq!(fixture.call("mcp__s__echo", &json!({})), json!("echoed"), "the server goes on");
}

#[test]
fn the_data_of_an_error_reaches_the_model() {
    if !has_python() {
        return;
    }
    let failed =
        |error: &Value| format!("{}\n", json!({ "jsonrpc": "2.0", "id": "@", "error": error })).replace("\"@\"", "@");
    let given = json!({
        "text": failed(&json!({ "code": -32603, "message": "Internal error", "data": "/x does not exist" })),
        "object": failed(&json!({ "code": -32602, "message": "Invalid params", "data": { "errors": ["a is too late", 1.5] } })),
        "null": failed(&json!({ "code": -32603, "message": null, "data": "KeyError: 'a'" })),
        "empty": failed(&json!({ "code": -32603, "message": "", "data": ["why"] })),
        "only": failed(&json!({ "data": "why" })),
        "secret": failed(&json!({ "code": 1, "message": "no", "data": { "key": "hunter2hunter2" } })),
        "again": failed(&json!({ "code": 1, "message": "no: why", "data": "why" })),
        "nothing": failed(&json!({ "code": 1, "message": "", "data": {} })),
        "long": failed(&json!({ "code": 1, "message": "no", "data": "x".repeat(100_000) })),
    });
    let fixture = Fixture::new([program("s", &given)]);
    for (tool, expected) in [
        ("text", "Internal error (data: /x does not exist)"),
        ("object", r#"Invalid params (data: {"errors":["a is too late",1.5]})"#),
        ("null", "KeyError: 'a'"),
        ("empty", r#"["why"]"#),
        ("only", "why"),
        ("secret", r#"no (data: {"key":"[secret]"})"#),
        ("again", "no: why"),
        ("nothing", "the server gives no reason"),
    ] {
        let result = fixture.call(&format!("mcp__s__{tool}"), &json!({}));
        assert_eq!(error(&result), format!("the MCP server `s` refused the call: {expected}"), "{tool}");
    }
    let long = fixture.call("mcp__s__long", &json!({}));
    assert!(error(&long).len() < 3_000, "{long}");
}

#[test]
fn a_server_without_tools_is_connected() {
    if !has_python() {
        return;
    }
    let initialized = |capabilities: &Value| {
        let result = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": { "name": "s", "version": "1" } });
        format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{result}}}")
    };
    let listed = |result: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":@,{result}}}");
    let error = |code: i32| listed(&format!("\"error\":{{\"code\":{code},\"message\":\"no\"}}"));
    for (capabilities, list) in [
        (json!({ "prompts": {} }), error(-32601)),
        (json!({ "tools": {} }), error(-32601)),
        (json!({ "resources": {} }), error(-32603)),
        (json!({}), error(-32600)),
        (json!({ "tools": {} }), listed("\"result\":{\"tools\":null}")),
        (json!({ "tools": {} }), listed("\"result\":{\"tools\":null,\"nextCursor\":null}")),
        (json!({ "tools": {} }), listed("\"result\":{\"tools\":{}}")),
        (json!({ "tools": {} }), listed("\"result\":{}")),
    ] {
        let given = json!({ "initialize": initialized(&capabilities), "tools/list": list });
        on_both(&given, |fixture, way| {
            let report = fixture.report("s");
            assert!(is_connected(&report) && !report.has_problem(), "{way} {given}: {report}");
            assert_eq!(report.tools.len(), 0, "{way} {given}");
        });
    }
    // A server that has announced tools, and does not list them, cannot be used.
    let given =
        json!({ "initialize": initialized(&json!({ "tools": {} })) + "\n", "tools/list": error(-32603) + "\n" });
    let fixture = Fixture::new([program("s", &given)]);
    let problem = fixture.report("s").problem.unwrap_or_default();
    assert!(problem.contains("did not list its tools: the server refuses the request: no, code -32603"), "{problem}");
}

#[test]
fn an_http_error_of_a_call_has_its_body_and_the_time_to_wait() {
    if !has_python() {
        return;
    }
    let given = json!({
        "busy": [429, "application/json", r#"{"error":"slow down"}"#, { "Retry-After": "7" }],
        "down": [503, "text/html", "<p>maintenance until noon</p>"],
        "rpc": [429, "application/json", r#"{"jsonrpc":"2.0","id":@,"error":{"code":1,"message":"10 calls a minute"}}"#],
        "empty": [502, "", ""],
    });
    let server = OddServer::start(&given);
    let fixture = Fixture::new([server.settings("s")]);
    for (tool, part) in [
        ("busy", r#"HTTP 429 Too Many Requests (Retry-After: 7): {"error":"slow down"}"#),
        ("down", "HTTP 503 Service Unavailable: <p>maintenance until noon</p>"),
        ("rpc", "10 calls a minute"),
    ] {
        let result = fixture.call(&format!("mcp__s__{tool}"), &json!({}));
        assert!(error(&result).contains(part), "{tool}: {result}");
    }
    let empty = fixture.call("mcp__s__empty", &json!({}));
    assert!(error(&empty).ends_with("HTTP 502 Bad Gateway"), "{empty}");
    // An address that only has the transport that streamable HTTP has replaced.
    for status in [405, 404] {
        let refused = json!([status, "", ""]);
        let server = OddServer::start(&json!({ "server/discover": refused, "initialize": refused }));
        let mut settings = server.settings("s");
        if let Transport::Http { url, .. } = &mut settings.transport {
            *url = url.replace("/mcp", "/sse");
        }
        let problem = Fixture::new([settings]).report("s").problem.unwrap_or_default();
        assert!(problem.contains("the older transport (HTTP with SSE) is not supported"), "{status}: {problem}");
    }
}

#[test]
fn the_client_names_the_keys_that_alternatives_of_the_root_require() {
    if !has_python() {
        return;
    }
    let properties = json!({ "id": { "type": "string" }, "url": { "type": "string" } });
    let schema = json!({ "type": "object", "properties": properties, "anyOf": [{ "required": ["id"] }, { "required": ["url"] }] });
    let tools = json!([{ "name": "arguments", "inputSchema": schema }]);
    let list = format!("{{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{{\"tools\":{tools}}}}}\n");
    let fixture = Fixture::new([program("s", &json!({ "tools/list": list }))]);
    let refused = fixture.call("mcp__s__arguments", &json!({}));
    assert!(error(&refused).contains(r#"object with "id" or with "url""#), "{refused}");
}
