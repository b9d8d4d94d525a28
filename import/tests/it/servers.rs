//! MCP servers: started by a command that the person names.

#![cfg(unix)]

use serde_json::json;

use crate::project::Folder;

/// A server as a shell script. It lists two tools, on two pages.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"cursor":"2"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"second","description":"The second.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"first","description":"%s","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"a":null}}],"nextCursor":"2"}}\n' "$id" "$GREETING" ;;
    *'"id"'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
    esac
done
"#;

#[test]
fn the_tools_of_a_command_are_imported_from_all_pages() {
    let folder = Folder::new();
    let script = folder.write("server.sh", SERVER);
    let script = script.to_str().expect("it is UTF-8");
    let (report, is_complete) = folder.run(&["--toolset", "x", "--", "sh", script]).expect("it is imported");
    assert!(is_complete, "{report}");
    let first = folder.read("manifests/tools/first.toml");
    assert!(first.contains("read_only = true") && first.contains(r#"meta = { json = '{"a":null}' }"#), "{first}");
    assert!(folder.path("manifests/tools/second.toml").exists());
    let (report, is_same) =
        folder.run(&["--check", "--toolset", "x", "--command", &format!("sh '{script}'")]).expect("it is read");
    assert!(is_same, "{report}");
}

#[test]
fn a_server_of_a_client_gets_its_variables_and_is_started_by_its_name_only() {
    let folder = Folder::new();
    let script = folder.write("server.sh", SERVER);
    let servers = json!({ "mcpServers": {
        "mine": { "command": "sh", "args": [script.to_str()], "env": { "GREETING": "Says hello to a person." } },
        "other": { "command": "sh", "args": ["-c", "exit 1"] },
    } });
    let error = folder.import(&servers, &[]).expect_err("no server is named");
    assert!(error.contains("--server NAME: mine, other"), "{error}");
    folder.import(&servers, &["--server", "mine"]).expect("it is imported");
    assert!(folder.read("manifests/tools/first.toml").contains("toolset = \"mine\""));
    assert!(folder.read("manifests/tools/first.toml").contains("Says hello to a person."));
    let error = folder.import(&servers, &["--server", "other"]).expect_err("it ends at once");
    assert!(error.contains("failed to list the tools"), "{error}");
}

#[test]
fn a_program_gets_the_variables_that_are_named() {
    let folder = Folder::new();
    let script = folder.write("server.sh", SERVER.replace("GREETING", "CARGO_PKG_NAME").as_str());
    let script = script.to_str().expect("it is UTF-8");
    folder.run(&["--toolset", "x", "--env", "CARGO_PKG_NAME", "--", "sh", script]).expect("it is imported");
    assert!(folder.read("manifests/tools/first.toml").contains("description = \"toolc-import\""));
    let error = folder.run(&["--env", "NO_SUCH_VARIABLE_HERE", "--", "sh", script]).expect_err("it is not set");
    assert!(error.contains("NO_SUCH_VARIABLE_HERE is not set"), "{error}");
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let error = Folder::new().run(&["--", "no-such-program-here"]).expect_err("it does not exist");
    assert!(error.contains("no-such-program-here") && error.contains("PATH"), "{error}");
}
