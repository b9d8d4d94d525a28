//! Servers that others wrote. If they cannot be installed, their tests are skipped.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::{Dialect, ToolCall};
use toolc_mcp::{Oauth, Server, ServerReport, ServerState, Transport};
use toolc_test_support::packages;

use crate::fixture::{Fixture, PATIENCE, error, server};

/// The packages of npm.
const NPM: &str = "@modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/server-filesystem@2026.8.31
@modelcontextprotocol/server-memory@2026.8.31
";
/// The package of `PyPI`.
const PYPI: &str = "mcp==2.3.0\n";
/// A server of the official SDK for Python.
const PYTHON_SERVER: &str = r#"
from mcp.server import MCPServer

server = MCPServer("notes", instructions="Counts words.")

@server.tool()
def count_words(text: str, unique: bool = False) -> int:
    """Count the words of a text."""
    words = text.split()
    return len(set(words)) if unique else len(words)

@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("no such note")

server.run()
"#;

/// Returns a Node.js and the folder with the packages of npm, or says why they are missing.
fn npm() -> Option<(PathBuf, PathBuf)> {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-servers", NPM)?)));
    found.map_err(|why| packages::missing("no servers from npm", &why)).ok()
}

/// Returns a server from npm.
fn of_npm((node, folder): &(PathBuf, PathBuf), name: &str, args: &[&str]) -> Server {
    let program = folder.join("node_modules/.bin").join(format!("mcp-server-{name}")).display().to_string();
    let args = std::iter::once(program).chain(args.iter().map(ToString::to_string)).collect();
    let transport = Transport::Stdio { command: node.display().to_string(), args, env: Vec::new(), directory: None };
    Server { transport, ..server(name, &[]) }
}

fn assert_connected(report: &ServerReport, tools: usize) {
    assert_eq!(report.state, ServerState::Connected, "{report}");
    // The example server has a tool that can only be called as a task.
    assert!(report.left_out.iter().all(|tool| tool.reason.contains("as a task")), "{report}");
    assert!(report.tools.len() >= tools, "{report}");
}

#[test]
fn the_example_server_lists_all_its_tools_and_is_called_and_cancelled() {
    let Some(npm) = npm() else { return };
    let mut hasty = of_npm(&npm, "everything", &["stdio"]);
    (hasty.name, hasty.call_timeout) = ("hasty".to_owned(), Duration::from_secs(1));
    let fixture = Fixture::new([of_npm(&npm, "everything", &["stdio"]), hasty]);
    assert_connected(&fixture.report("everything"), 8);
    assert_eq!(fixture.call("mcp__everything__echo", &json!({ "message": "hé" })), json!("Echo: hé"));
    let sum = fixture.call("mcp__everything__get-sum", &json!({ "a": "2", "b": 3 }));
    assert!(sum.as_str().is_some_and(|sum| sum.contains('5')), "{sum}");
    assert_eq!(fixture.call("mcp__everything__echo", &json!({}))["kind"], "invalid_arguments");
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let image = turn.call_blocking(&ToolCall::new("mcp__everything__get-tiny-image", "{}"));
    assert_eq!(image.images.len(), 1, "{}", image.json);
    let long = json!({ "duration": 30, "steps": 30 });
    assert_eq!(fixture.call("mcp__hasty__trigger-long-running-operation", &long)["kind"], "timeout");
    assert_eq!(fixture.call("mcp__hasty__echo", &json!({ "message": "on" })), json!("Echo: on"));
}

/// The example server over HTTP, which is ended with the test.
struct OverHttp(Child);

impl Drop for OverHttp {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_example_server_is_called_over_http() {
    let Some((node, folder)) = npm() else { return };
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port is free");
    let mut command = Command::new(node);
    command.arg(folder.join("node_modules/.bin/mcp-server-everything")).arg("streamableHttp");
    command.env("PORT", free.port().to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = OverHttp(command.spawn().expect("failed to start the server"));
    let started = Instant::now();
    while TcpStream::connect(free).is_err() {
        assert!(started.elapsed() < PATIENCE, "it does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    let url = format!("http://{free}/mcp");
    let transport = Transport::Http { url, headers: Vec::new(), bearer_variable: None, oauth: Oauth::default() };
    let fixture = Fixture::new([Server { transport, ..server("everything", &[]) }]);
    assert_connected(&fixture.report("everything"), 8);
    assert_eq!(fixture.call("mcp__everything__echo", &json!({ "message": "hé" })), json!("Echo: hé"));
    assert_eq!(fixture.call("mcp__everything__echo", &json!({}))["kind"], "invalid_arguments");
}

#[test]
fn files_are_read_and_written_within_the_folder() {
    let Some(npm) = npm() else { return };
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let root = folder.path().canonicalize().expect("it exists");
    let path = |name: &str| root.join(name).display().to_string();
    let fixture = Fixture::new([of_npm(&npm, "filesystem", &[&root.display().to_string()])]);
    assert_connected(&fixture.report("filesystem"), 10);
    let written = fixture.call("mcp__filesystem__write_file", &json!({ "path": path("a.txt"), "content": "alpha" }));
    assert!(written.get("error").is_none(), "{written}");
    assert_eq!(fs::read_to_string(path("a.txt")).expect("it exists"), "alpha");
    let read = fixture.call("mcp__filesystem__read_text_file", &json!({ "path": path("a.txt") }));
    assert!(read.to_string().contains("alpha"), "{read}");
    let outside = fixture.call("mcp__filesystem__read_text_file", &json!({ "path": "/etc/hostname" }));
    assert!(error(&outside).contains("denied"), "{outside}");
}

#[test]
fn a_graph_is_kept_over_a_restart_in_the_middle() {
    let Some(npm) = npm() else { return };
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let mut memory = of_npm(&npm, "memory", &[]);
    let Transport::Stdio { env, .. } = &mut memory.transport else { panic!("it is a program") };
    // The scripted servers get the name of a file in this variable, too.
    env.push(toolc_mcp::PassedVariable {
        name: "MEMORY_FILE_PATH".to_owned(),
        source: "NOTE".to_owned(),
        is_secret: None,
    });
    let fixture = Fixture::new([memory]);
    assert_connected(&fixture.report("memory"), 8);
    let entity = json!({ "entities": [{ "name": "toolc", "entityType": "program", "observations": ["is a client"] }] });
    let created = fixture.call("mcp__memory__create_entities", &entity);
    assert!(created.get("error").is_none(), "{created}");
    assert_eq!(fixture.call("mcp__memory__create_entities", &json!({ "entities": 7 }))["kind"], "invalid_arguments");
    kill_children_running("mcp-server-memory");
    let started = Instant::now();
    let found = loop {
        let found = fixture.call("mcp__memory__search_nodes", &json!({ "query": "client" }));
        if found.get("error").is_none() || started.elapsed() > PATIENCE {
            break found;
        }
    };
    assert!(found.to_string().contains("toolc"), "{found}");
    drop(folder);
}

/// Kills the processes of this test program with this text in their command line.
fn kill_children_running(text: &str) {
    let own = std::process::id();
    let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let mut pending: Vec<u32> = children.split_whitespace().filter_map(|id| id.parse().ok()).collect();
    for task in fs::read_dir(format!("/proc/{own}/task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        pending.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    for id in pending {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(text) {
            toolc_test_support::send_signal("KILL", id);
        }
    }
}

#[test]
fn a_server_of_the_python_sdk_is_called_rightly_and_wrongly() {
    let python = match packages::python("mcp-python", PYPI) {
        Ok(python) => python,
        Err(why) => return packages::missing("no SDK for Python", &why),
    };
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let script = folder.path().join("server.py");
    fs::write(&script, PYTHON_SERVER).expect("failed to write");
    let transport = Transport::Stdio {
        command: python.display().to_string(),
        args: vec![script.display().to_string()],
        env: Vec::new(),
        directory: None,
    };
    let fixture = Fixture::new([Server { transport, ..server("notes", &[]) }]);
    let report = fixture.report("notes");
    assert_connected(&report, 2);
    assert_eq!(report.protocol.as_deref(), Some("2026-07-28"), "{report}");
    let counted = fixture.call("mcp__notes__count_words", &json!({ "text": "a b a", "unique": "true" }));
    assert_eq!(counted.get("result").unwrap_or(&Value::Null), 2, "{counted}");
    assert_eq!(fixture.call("mcp__notes__count_words", &json!({}))["kind"], "invalid_arguments");
    // The SDK does not pass on what an exception says.
    let failed = fixture.call("mcp__notes__fail", &json!({}));
    assert!(error(&failed).contains("fail"), "{failed}");
}
