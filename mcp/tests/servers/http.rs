//! Servers with streamable HTTP.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use toolc_mcp::{Oauth, Server, ServerState, Transport};

use crate::fixture::{Fixture, error, has_python, server};

/// A scripted server, which is killed at the end.
struct HttpServer {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl HttpServer {
    fn start(behaviours: &[&str], elsewhere: &str) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let (child, port) = spawn(0, behaviours, &folder.path().join("note"), elsewhere);
        Self { child, port, folder }
    }

    /// Starts the server again, at the same port.
    fn restart(&mut self) {
        let _ = self.child.wait();
        (self.child, self.port) = spawn(self.port, &[], &self.folder.path().join("note"), "");
    }

    fn settings(&self, name: &str) -> Server {
        let transport = Transport::Http {
            url: format!("http://127.0.0.1:{}/mcp", self.port),
            headers: vec![("X-Key".to_owned(), "TOKEN".to_owned())],
            bearer_variable: Some("TOKEN".to_owned()),
            oauth: Oauth::default(),
        };
        Server { transport, ..server(name, &[]) }
    }

    /// Returns the requests that the server has got.
    fn requests(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("note")).unwrap_or_default()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(port: u16, behaviours: &[&str], note: &Path, elsewhere: &str) -> (Child, u16) {
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture/http_server.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(port.to_string()).args(behaviours).env("NOTE", note).env("ELSEWHERE", elsewhere);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("failed to start the server");
    let mut line = String::new();
    let output = child.stdout.take().expect("it is a pipe");
    BufReader::new(output).read_line(&mut line).expect("it prints its port");
    let port = line.trim().parse().expect("it is a port");
    (child, port)
}

#[test]
fn a_server_with_http_answers_with_json_and_with_events() {
    if !has_python() {
        return;
    }
    let (json_server, events) = (HttpServer::start(&[], ""), HttpServer::start(&["events"], ""));
    let fixture = Fixture::new([json_server.settings("json"), events.settings("events")]);
    for name in ["json", "events"] {
        let report = fixture.report(name);
        assert_eq!((report.state, report.tools.len()), (ServerState::Connected, 4), "{report}");
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "hé" })), json!("hé"));
    }
    let requests = json_server.requests();
    let credentials = "/mcp Bearer hunter2hunter2 hunter2hunter2";
    assert!(requests.lines().count() > 3 && requests.lines().all(|line| line == credentials), "{requests}");
}

#[test]
fn a_server_with_http_announces_changed_tools_in_both_eras() {
    if !has_python() {
        return;
    }
    let (old, new) = (HttpServer::start(&["announces"], ""), HttpServer::start(&["announces", "new"], ""));
    let fixture = Fixture::new([old.settings("old"), new.settings("new")]);
    for (name, protocol) in [("old", "2025-11-25"), ("new", "2026-07-28")] {
        assert_eq!(fixture.report(name).protocol.as_deref(), Some(protocol), "{}", fixture.report(name));
        assert_eq!(fixture.own_names(name), ["change", "echo"]);
        assert_eq!(fixture.call(&format!("mcp__{name}__change"), &json!({})), json!("changed"));
        fixture.wait_for(name, |report| report.tools.iter().any(|tool| tool.own_name == "new"));
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "on" })), json!("on"));
    }
}

#[test]
fn arguments_that_a_server_wants_as_headers_are_sent_as_such_in_the_newer_era() {
    if !has_python() {
        return;
    }
    let old = HttpServer::start(&["announces", "routes"], "");
    let new = HttpServer::start(&["announces", "routes", "new"], "");
    let fixture = Fixture::new([old.settings("old"), new.settings("new")]);
    let route = |name: &str, tenant: &str| fixture.call(&format!("mcp__{name}__route"), &json!({ "tenant": tenant }));
    assert_eq!(route("old", "north"), json!("None"));
    assert_eq!(route("new", "north"), json!("north"));
    assert_eq!(route("new", "nörd\r\nX: y"), json!("=?base64?bsO2cmQNClg6IHk=?="));
    assert_eq!(fixture.call("mcp__new__route", &json!({})), json!("None"));
    assert_eq!(fixture.own_names("new"), ["change", "echo", "route"]);
    let left_out = fixture.report("new").left_out;
    assert!(
        matches!(left_out.as_slice(), [one] if one.tool == "unclear" && one.reason.contains("`x-mcp-header`")),
        "{left_out:?}"
    );
}

#[test]
fn a_deep_definition_and_an_odd_answer_do_not_spoil_a_server_with_http() {
    if !has_python() {
        return;
    }
    let servers = [("json", &["deep", "odd"][..]), ("events", &["deep", "odd", "events"])]
        .map(|(name, behaviours)| (name, HttpServer::start(behaviours, "")));
    let fixture = Fixture::new(servers.iter().map(|(name, server)| server.settings(name)));
    for (name, _) in &servers {
        let report = fixture.report(name);
        assert_eq!(fixture.own_names(name), ["echo", "exit", "expire", "formless", "large", "odd"], "{report}");
        assert!(
            matches!(report.left_out.as_slice(), [one] if one.tool == "deep" && one.reason.contains("64 levels")),
            "{report}"
        );
        for tool in ["odd", "formless"] {
            let odd = fixture.call(&format!("mcp__{name}__{tool}"), &json!({}));
            let expected = format!("the MCP server `{name}` gave an answer that cannot be read: ");
            assert!(error(&odd).starts_with(&expected), "{odd}");
        }
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "a" })), json!("a"));
    }
}

#[test]
fn an_address_that_cannot_be_reached_says_why() {
    if !has_python() {
        return;
    }
    let plain = HttpServer::start(&[], "");
    let at = |name: &str, url: String| {
        let mut settings = plain.settings(name);
        settings.transport =
            Transport::Http { url, headers: Vec::new(), bearer_variable: None, oauth: Oauth::default() };
        settings
    };
    let fixture = Fixture::new([
        at("tls", format!("https://127.0.0.1:{}/mcp", plain.port)),
        at("closed", "http://127.0.0.1:1/mcp".to_owned()),
        at("unknown", "http://no-such-host.invalid/mcp".to_owned()),
    ]);
    for (name, part) in [
        ("tls", "TLS with 127.0.0.1 failed: "),
        ("closed", "failed to connect to 127.0.0.1: "),
        ("unknown", "failed to connect to no-such-host.invalid: "),
    ] {
        let problem = fixture.report(name).problem.unwrap_or_default();
        assert!(problem.starts_with(part) && problem.len() < 200, "{problem}");
    }
}

#[test]
fn redirects_are_not_followed() {
    if !has_python() {
        return;
    }
    let target = HttpServer::start(&[], "");
    let source = HttpServer::start(&["redirect"], &format!("http://127.0.0.1:{}/mcp", target.port));
    let fixture = Fixture::new([source.settings("s"), target.settings("target")]);
    let report = fixture.report("s");
    assert_ne!(report.state, ServerState::Connected, "{report}");
    assert!(report.problem.unwrap_or_default().contains("307"), "{}", fixture.report("s"));
    drop(fixture);
    let requests = target.requests();
    assert!(!requests.contains("None"), "{requests}");
    assert!(source.requests().lines().count() >= 1);
}

#[test]
fn refusals_and_foreign_pages_are_reported_in_a_few_words() {
    if !has_python() {
        return;
    }
    let servers = ["locked", "broken", "page"].map(|behaviour| (behaviour, HttpServer::start(&[behaviour], "")));
    let fixture = Fixture::new(servers.iter().map(|(name, server)| server.settings(name)));
    let problem = |name: &str| fixture.report(name).problem.unwrap_or_default();
    assert_eq!(problem("locked"), "the server requires a login, and refuses the token in TOKEN");
    assert_eq!(fixture.report("locked").state, ServerState::Failed);
    let broken = problem("broken");
    assert!(broken.starts_with("the server answers with HTTP 500 Internal Server Error: xxx"), "{broken}");
    assert_eq!(problem("page"), "the answer of the server is neither JSON nor a stream of events: text/html");
    for name in ["locked", "broken", "page"] {
        assert!(problem(name).len() < 3000 && !problem(name).contains("hunter2"), "{}", problem(name));
    }
}

#[test]
fn a_large_body_is_an_error_and_an_expired_session_is_renewed() {
    if !has_python() {
        return;
    }
    let (plain, events) = (HttpServer::start(&[], ""), HttpServer::start(&["events"], ""));
    let fixture = Fixture::new([plain.settings("plain"), events.settings("events")]);
    for name in ["plain", "events"] {
        let large = fixture.call(&format!("mcp__{name}__large"), &json!({}));
        assert!(error(&large).starts_with(&format!("the MCP server `{name}`")), "{large}");
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "on" })), json!("on"));
        assert_eq!(fixture.call(&format!("mcp__{name}__expire"), &json!({})), json!("expired"));
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "new" })), json!("new"));
    }
}

#[test]
fn a_server_that_was_restarted_is_used_again() {
    if !has_python() {
        return;
    }
    let mut server = HttpServer::start(&[], "");
    let mut settings = server.settings("s");
    settings.call_timeout = Duration::from_secs(10);
    let fixture = Fixture::new([settings]);
    let ended = fixture.call("mcp__s__exit", &json!({}));
    assert!(error(&ended).contains("`s`"), "{ended}");
    let refused = fixture.call("mcp__s__echo", &json!({ "text": "a" }));
    assert!(refused["error"].is_string(), "{refused}");
    server.restart();
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "back" })), json!("back"));
}
