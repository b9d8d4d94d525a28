//! The life of the server, and documents.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::{PING, TOOL, TOOLSET, codes, editor, opened, project, write};

#[test]
fn a_server_starts_and_ends_as_the_protocol_says() {
    let (client, capabilities) = Client::start(&json!({}));
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(client.end(), Some(0));
    let (mut client, capabilities) = Client::start(&json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } }));
    assert_eq!(capabilities["positionEncoding"], "utf-8");
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(1));
}

#[test]
fn requests_before_initialize_are_refused() {
    let mut client = Client::start_raw();
    assert_eq!(client.request("textDocument/hover", json!({}))["error"]["code"], -32002);
}

#[test]
fn a_bad_message_does_not_end_the_server() {
    let (_folder, mut client, uri) = opened();
    client.raw("{]");
    client.wait(|message| message["method"] == "window/logMessage");
    client.notify("textDocument/didChange", json!({ "textDocument": 3 }));
    client.wait(|message| message["method"] == "window/logMessage");
    client.notify("textDocument/didOpen", json!([]));
    assert_eq!(client.request("textDocument/hover", json!("x"))["error"]["code"], -32602);
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
    let far = json!({ "textDocument": { "uri": uri }, "position": { "line": 4_000_000_000_u32, "character": 7 } });
    assert!(client.result("textDocument/completion", far).is_object());
    let away = json!({ "textDocument": { "uri": "untitled:x" }, "position": { "line": 0, "character": 0 } });
    assert!(client.result("textDocument/hover", away).is_null());
    let back = json!([{ "range": { "start": { "line": 5, "character": 9 }, "end": { "line": 0, "character": 0 } }, "text": "" }]);
    client.edit(&uri, 2, &back);
    client.change(&uri, 3, TOOL);
    client.findings(&uri, 3, <[Value]>::is_empty);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn edits_are_counted_in_utf_16() {
    let (_folder, mut client, uri) = opened();
    let text = TOOL.replace("Check", "😀é Check");
    client.change(&uri, 2, &text);
    let line = text.lines().position(|line| line.contains("😀")).unwrap();
    let start = "description = \"".len();
    let range =
        json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": start + 4 } });
    client.edit(&uri, 3, &json!([{ "range": range, "text": "" }]));
    let symbols = client.result(
        "textDocument/formatting",
        json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } }),
    );
    assert_eq!(symbols, json!([]), "the text is the original one, which is formatted");
    client.findings(&uri, 3, <[Value]>::is_empty);
}

#[test]
fn an_unsaved_text_counts_until_the_document_is_closed() {
    let (folder, mut client, uri) = opened();
    client.change(&uri, 2, &TOOL.replace("toolset", "tolset"));
    assert!(codes(&client.findings(&uri, 2, |found| !found.is_empty())).contains(&"unknown-key".to_owned()));
    let fetch = self::uri(folder.path(), "manifests/tools/fetch.toml");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    client.wait(|message| {
        let params = &message["params"];
        let found = params["diagnostics"].as_array();
        let is_saved = found.is_some_and(|found| !codes(found).contains(&"unknown-key".to_owned()));
        params["uri"] == uri && params["version"].is_null() && is_saved
    });
    client.open(&fetch, crate::FETCH);
    // The saved text declares the tool that `fetch` requires.
    client.findings(&fetch, 1, |found| !codes(found).contains(&"unknown-tool".to_owned()));
}

#[test]
fn each_file_belongs_to_the_nearest_project() {
    let folder = project();
    let inner = folder.path().join("plugins/own");
    write(&inner);
    fs::write(inner.join(PING), TOOL.replace("ping", "pong")).unwrap();
    let (mut client, _) = Client::start(&editor());
    for (root, is_clean) in [(folder.path(), true), (&*inner, false)] {
        let uri = uri(root, PING);
        client.open(&uri, &fs::read_to_string(root.join(PING)).unwrap());
        client.findings(&uri, 1, |found| found.is_empty() == is_clean);
    }
}

#[test]
fn files_that_change_on_disk_are_read_again() {
    let folder = project();
    let watches = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let (mut client, _) = Client::start(&watches);
    client.wait(|message| message["method"] == "client/registerCapability");
    let (tool, set) = (uri(folder.path(), PING), uri(folder.path(), "manifests/toolsets/net.toml"));
    client.open(&tool, TOOL);
    fs::write(folder.path().join("manifests/toolsets/net.toml"), format!("{TOOLSET}no_key = 1\n")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": set, "type": 2 }] }));
    client.wait(|message| {
        message["params"]["uri"] == set && message["params"]["diagnostics"][0]["code"] == "C002 unknown-key"
    });
    fs::write(folder.path().join("manifests/toolsets/net.toml"), TOOLSET).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": set, "type": 2 }] }));
    client.wait(|message| message["params"]["uri"] == set && message["params"]["diagnostics"] == json!([]));
}

#[test]
fn a_document_that_is_too_large_is_refused() {
    let (_folder, mut client, uri) = opened();
    client.change(&uri, 2, &"#".repeat(5 << 20));
    client.wait(|message| message["method"] == "window/logMessage");
    assert_eq!(client.end(), Some(0));
}
