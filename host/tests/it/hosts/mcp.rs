//! Tests the MCP server as its client.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use serde_json::{Value, json};
use toolc::Dialect;
use toolc::wire::MAX_BODY_BYTES;

use crate::hosts::program::{Run, folder, start};
use crate::hosts::turn;

pub(crate) const EXAMPLE: &str = "mcp_server";

/// Starts a server with the arguments `args`, sends it `lines`, and returns its first `answers` responses by id. Checks that the
/// server exits with 0 after stdin is closed, and prints nothing more.
fn exchange(args: &[&str], lines: &[String], answers: usize) -> BTreeMap<String, Value> {
    let folder = folder();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut server = start(EXAMPLE, &folder, args, &[("PATH", &path)]);
    let mut stdin = server.stdin.take().expect("the stream is piped");
    stdin.write_all(lines.concat().as_bytes()).expect("failed to write to the server");
    let mut stdout = BufReader::new(server.stdout.take().expect("the stream is piped"));
    let mut read = || {
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the server writes text");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        (message["id"].to_string(), message)
    };
    let answers = (0..answers).map(|_| read()).collect();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the server writes text");
    let Run { status, err, .. } = Run::end(server);
    assert_eq!((status, &*rest, &*err), (Some(0), "", ""));
    answers
}

fn request(id: u32, method: &str, params: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

fn notification(method: &str, params: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

#[test]
fn a_client_lists_tools_and_calls_several_at_once() {
    let client = json!({ "name": "a client", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let read =
        |id, path: &str| request(id, "tools/call", &json!({ "name": "read_file", "arguments": { "path": path } }));
    let lines = [
        request(1, "initialize", &hello),
        notification("notifications/initialized", &json!({})),
        request(2, "ping", &json!({})),
        request(3, "tools/list", &json!({})),
        read(4, "a.txt"),
        read(5, "b.txt"),
        request(6, "tools/call", &json!({ "name": "terminal", "arguments": { "command": "true" } })),
        request(7, "resources/list", &json!({})),
        "hello?\n".to_owned(),
    ];
    let answers = exchange(&[], &lines, 8);
    let result = |id: &str| &answers[id]["result"];
    assert_eq!(result("1")["protocolVersion"], "2025-06-18");
    assert!(result("1")["capabilities"]["tools"].is_object() && result("1")["serverInfo"]["name"] == "toolc");
    assert_eq!(*result("2"), json!({}));
    let definitions: Value = serde_json::from_str(turn(Dialect::Mcp).definitions()).expect("definitions are JSON");
    assert_eq!(result("3")["tools"], definitions);
    for (id, is_error, text) in [("4", false, "     1|alpha"), ("5", true, "not_found")] {
        assert_eq!(result(id)["isError"], is_error, "{}", answers[id]);
        assert_eq!(result(id)["content"][0]["type"], "text");
        assert!(result(id)["content"][0]["text"].to_string().contains(text), "{}", answers[id]);
    }
    for (id, code) in [("6", -32602), ("7", -32601), ("null", -32700)] {
        assert_eq!(answers[id]["error"]["code"], code, "{}", answers[id]);
    }
}

#[cfg(unix)]
#[test]
fn a_call_that_the_client_has_cancelled_gets_no_response() {
    let lines = [
        request(1, "tools/call", &json!({ "name": "terminal", "arguments": { "command": "sleep 60" } })),
        notification("notifications/cancelled", &json!({ "requestId": 1, "reason": "no longer needed" })),
        request(2, "ping", &json!({})),
    ];
    let answers = exchange(&["terminal"], &lines, 1);
    assert_eq!(answers.keys().collect::<Vec<_>>(), ["2"]);
}

#[cfg(unix)]
#[test]
fn invalid_input_ends_the_server_and_its_running_calls() {
    let folder = folder();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut server = start(EXAMPLE, &folder, &["terminal"], &[("PATH", &path)]);
    let call = request(1, "tools/call", &json!({ "name": "terminal", "arguments": { "command": "sleep 600" } }));
    let mut stdin = server.stdin.take().expect("the stream is piped");
    stdin.write_all(&[call.as_bytes(), b"\xff\n"].concat()).expect("failed to write to the server");
    let run = Run::end(server);
    assert_eq!(run.status, Some(1));
    assert!(run.err.starts_with("error: ") && run.err.contains("UTF-8"), "{}", run.err);
    assert!(run.out.lines().count() == 1 && run.out.contains("cancelled"), "{}", run.out);
}

#[test]
fn a_message_over_the_maximum_length_is_refused() {
    let lines = ["x".repeat(MAX_BODY_BYTES + 10) + "\n", request(1, "ping", &json!({}))];
    // Responses to the part up to the maximum length, to the rest, and to the next message.
    let answers = exchange(&[], &lines, 3);
    assert!(answers["null"]["error"].is_object(), "{}", answers["null"]);
    assert_eq!(answers["1"]["result"], json!({}));
}

#[test]
fn a_server_of_an_unknown_toolset_exits_with_an_error() {
    let run = Run::new(EXAMPLE, &folder(), &["file", "sfae"], &[]);
    assert_eq!((run.status, &*run.out), (Some(1), ""));
    assert!(run.err.starts_with("error: ") && run.err.contains("`sfae`"), "{}", run.err);
}
