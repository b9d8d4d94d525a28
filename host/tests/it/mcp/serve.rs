//! `toolc mcp serve`: what is served to whom, approval, secrets, and the official SDKs as clients.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_test_support::packages;

use crate::mcp::{configure, run};

const TOKEN: &str = "0123456789abcdef-token";

/// The program as a server on its standard streams.
pub(super) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

fn command(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolc"));
    command.args(["mcp", "serve"]).args(args).current_dir(folder.path());
    command.env("TOOLC_HOME", folder.path().join("home")).env_remove("TOOLC_PROFILE").env_remove("TOOLC_APPROVAL");
    command.env("XDG_CONFIG_HOME", folder.path().join("config")).env("XDG_CACHE_HOME", folder.path().join("cache"));
    command
}

impl Server {
    /// Starts the program.
    fn spawn(folder: &TempDir, args: &[&str]) -> Self {
        let mut child =
            command(folder, args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("it is piped")));
        Self { child, input, output }
    }

    /// Starts the program, and begins a session with it.
    pub(super) fn start(folder: &TempDir, args: &[&str], capabilities: &Value) -> Self {
        let mut server = Self::spawn(folder, args);
        let client = json!({ "name": "a test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        let answer = server.request(0, "initialize", &params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "toolc", "{answer}");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("it is open"), "{message}").expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub(super) fn request(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.receive()
    }

    fn call(&mut self, id: u32, tool: &str, arguments: &Value) -> Value {
        self.request(id, "tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Sends a request of the stateless protocol.
    fn stateless(&mut self, id: u32, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.request(id, method, &params)["result"].take()
    }

    fn tools(&mut self) -> Vec<String> {
        let answer = self.request(1, "tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().expect("it has tools").iter();
        tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
    }

    /// Closes the input, and waits for the end.
    pub(super) fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    configure(&folder, config);
    folder
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

/// Returns the names of the tools that the program serves with these options.
pub(crate) fn served(folder: &TempDir, args: &[&str]) -> std::collections::BTreeSet<String> {
    let mut server = Server::start(folder, args, &json!({}));
    let tools = server.tools().into_iter().collect();
    server.end();
    tools
}

#[test]
fn safe_is_served_unless_more_is_named() {
    let folder = folder("[mcp.endpoints.files]\ntoolsets = ['file']\n[mcp.endpoints.one]\ntools = ['todo']\n");
    let served = |args: &[&str]| {
        let mut server = Server::start(&folder, args, &json!({}));
        let tools = server.tools();
        server.end();
        tools
    };
    assert_eq!(served(&[]), ["read_file", "search_files", "todo", "web_extract"]);
    assert_eq!(served(&["files"]), ["patch", "read_file", "search_files", "write_file"]);
    assert_eq!(served(&["one"]), ["todo"]);
    assert_eq!(served(&["files", "--toolset", "todo", "--tool", "read_file"]), ["read_file", "todo"]);
    // The person of a client is not at the terminal of this program.
    assert_eq!(served(&["--toolset", "memory,clarify"]), ["memory"]);
}

#[test]
fn the_tools_of_a_trusted_server_are_served_with_icons_and_meta_for_as_long_as_the_endpoint_says() {
    let Some(folder) = crate::mcp::folder() else { return };
    let endpoint = "[mcp.endpoints.default]\ntoolsets = ['mcp-files']\nlist_ttl = '5m'\nlist_scope = 'public'\n";
    configure(&folder, &(crate::mcp::server("files", &[], "trusted = true") + endpoint));
    let mut server = Server::spawn(&folder, &[]);
    let list = server.stateless(1, "tools/list", json!({}));
    assert_eq!(json!([list["ttlMs"], list["cacheScope"]]), json!([300_000, "public"]), "{list}");
    let discovered = server.stateless(2, "server/discover", json!({}));
    assert_eq!(json!([discovered["ttlMs"], discovered["cacheScope"]]), json!([300_000, "public"]), "{discovered}");
    let name = "mcp__files__structured";
    let tool = list["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == name).expect("it is served");
    assert_eq!(tool["icons"], json!([{ "src": "https://example.com/n.png", "sizes": ["48x48"] }]));
    assert_eq!(tool["_meta"], json!({ "com.example/kind": "number" }));
    let result = server.stateless(3, "tools/call", json!({ "name": name, "arguments": {} }));
    assert_eq!(result["_meta"], json!({ "com.example/kind": "number", "com.example/token": "[secret]" }), "{result}");
    server.end();
}

#[test]
fn mistakes_are_reported_before_anything_is_served() {
    let folder = folder("[mcp.endpoints.a]\nhttp = '127.0.0.1:0'\ntoken_variables = ['MISSING']\n");
    fs::write(folder.path().join("short"), "hunter2\n").expect("failed to write");
    fs::write(folder.path().join("empty"), "\n").expect("failed to write");
    fs::write(folder.path().join("shared"), "0123456789abcdef\n").expect("failed to write");
    for (name, mode) in [("short", 0o600), ("empty", 0o600), ("shared", 0o644)] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(folder.path().join(name), mode).expect("failed to set the mode");
    }
    for (args, part) in [
        (&["b"][..], "config.toml has no endpoint `b`: it has a"),
        (&["a"], "the variable `MISSING` is not set"),
        (&["--toolset", "saef"], "unknown toolset `saef`"),
        (&["--http", "0.0.0.0:0"], "there is no token"),
        (&["--http", "127.0.0.1:0", "--token-file", "short"], "line 1 of short has 7 bytes"),
        (&["--http", "127.0.0.1:0", "--token-file", "empty"], "empty contains no token"),
        (&["--http", "127.0.0.1:0", "--token-file", "none"], "failed to read the tokens in none"),
        (&["--http", "127.0.0.1:0", "--token-file", "shared"], "other users can read or change it (its mode is 0644)"),
        (&["--token-variable", "TOKEN"], "tokens, hosts and origins need HTTP"),
    ] {
        let args: Vec<&str> = ["mcp", "serve"].iter().chain(args).copied().collect();
        let refused = run(&folder, &args);
        assert_eq!(refused.status, Some(2), "{args:?} {}", refused.err);
        assert!(refused.err.contains(part) && !refused.err.contains("hunter2"), "{part}: {}", refused.err);
    }
}

#[test]
fn a_command_that_needs_approval_is_shown_to_the_person_at_the_client() {
    let folder = folder("");
    fs::create_dir_all(folder.path().join("build/x")).expect("failed to make a folder");
    let remove = json!({ "command": "rm -rf build" });
    let mut server = Server::start(&folder, &["--toolset", "terminal"], &json!({}));
    let refused = server.call(2, "terminal", &remove);
    assert!(refused["result"]["isError"] == true && text(&refused).contains("cannot ask a person"), "{refused}");
    assert!(text(&refused).contains("start the server with `--yes`"), "{refused}");
    server.end();
    let mut server = Server::start(&folder, &["--toolset", "terminal"], &json!({ "elicitation": {} }));
    for (id, decision, exists) in [(3, "deny", true), (4, "approve once", false)] {
        let question = server.call(id, "terminal", &remove);
        let message = question["params"]["message"].as_str().unwrap_or_else(|| panic!("no question: {question}"));
        assert!(message.contains("rm -rf build") && !message.contains('\u{1b}'), "{message}");
        let content = json!({ "decision": decision });
        let answer = json!({ "action": "accept", "content": content });
        server.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
        let result = server.receive();
        assert_eq!(
            (result["result"]["isError"] == true, folder.path().join("build").exists()),
            (exists, exists),
            "{result}"
        );
    }
    server.end();
}

#[test]
fn secrets_are_replaced_in_results_and_stored_results() {
    let folder = folder("[results]\nmax_chars = 2000\n");
    let lines = format!("a line with hunter2hunter2 {}\n", "x".repeat(150)).repeat(40);
    fs::write(folder.path().join("long.txt"), lines).expect("failed to write");
    let mut server = Server::start(&folder, &[], &json!({}));
    let answer = server.call(2, "search_files", &json!({ "pattern": "a line", "path": "long.txt" }));
    assert!(text(&answer).contains("[secret]") && !answer.to_string().contains("hunter2"), "{answer}");
    let link = &answer["result"]["content"][1];
    assert_eq!(link["type"], "resource_link", "{answer}");
    let whole = server.request(3, "resources/read", &json!({ "uri": link["uri"] }));
    let whole = whole["result"]["contents"][0]["text"].as_str().expect("it has a text");
    assert!(whole.contains("[secret]") && !whole.contains("hunter2") && whole.len() > 3_000, "{whole}");
    server.end();
}

#[test]
fn a_line_of_a_hundred_megabytes_takes_little_memory() {
    let folder = folder("");
    let mut server = Server::start(&folder, &[], &json!({}));
    let input = server.input.as_mut().expect("it is open");
    let part = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| input.write_all(&part).expect("the server reads"));
    input.write_all(b"\n").expect("the server reads");
    assert!(server.receive()["error"]["message"].as_str().is_some_and(|text| text.contains("16 MiB")));
    assert_eq!(server.tools().len(), 4);
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has a peak");
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("it is a number");
    assert!(kilobytes < 200_000, "{kilobytes} kB");
    server.end();
}

/// The program as a server over HTTP.
pub(super) struct HttpServer {
    child: Child,
    pub(super) url: String,
}

impl HttpServer {
    fn start(folder: &TempDir, args: &[&str]) -> Self {
        Self::without_token(folder, &[&["--token-variable", "SERVE_TOKEN"], args].concat())
    }

    /// Starts a server for which every program of this machine may be a client, unless the arguments name a token.
    pub(super) fn without_token(folder: &TempDir, args: &[&str]) -> Self {
        let mut child = command(folder, args)
            .args(["--http", "127.0.0.1:0"])
            .env("SERVE_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("failed to start");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let line = lines.map_while(Result::ok).find(|line| !line.starts_with("warning: ")).unwrap_or_default();
        let url = line.trim().strip_prefix("MCP server at ").unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        Self { child, url }
    }

    /// Ends the program with a signal, and waits until it has ended.
    pub(super) fn stop(mut self) {
        toolc_test_support::send_signal("TERM", self.child.id());
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_program_ends_by_itself_after_a_signal() {
    let folder = folder("");
    HttpServer::start(&folder, &[]).stop();
}

/// Clients of the official SDKs. They list the tools, call one rightly and wrongly, answer a question, and print `ok`.
const PYTHON_PACKAGES: &str = "mcp==2.3.0\n";
const NPM_PACKAGES: &str = "@modelcontextprotocol/client@2.4.0\n@modelcontextprotocol/sdk@1.32.2\n";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/clients").join(name)
}

/// Runs a client against the program on its standard streams and over HTTP, with and without sessions if the client can.
fn with_client(client: impl Fn(&Path) -> Command, modes: &[&str]) {
    let folder = folder("");
    fs::create_dir_all(folder.path().join("build/x")).expect("failed to make a folder");
    let http = HttpServer::start(&folder, &["--toolset", "safe,terminal"]);
    for mode in modes {
        for target in ["stdio", &http.url] {
            fs::create_dir_all(folder.path().join("build/x")).expect("failed to make a folder");
            let mut command = client(folder.path());
            command.args([target, mode, env!("CARGO_BIN_EXE_toolc"), TOKEN]).current_dir(folder.path());
            command.env("TOOLC_HOME", folder.path().join("home")).env_remove("TOOLC_APPROVAL");
            let out = packages::run(&mut command).unwrap_or_else(|error| panic!("{target} {mode}: {error}"));
            assert_eq!(out.lines().last(), Some("ok"), "{target} {mode}: {out}");
            assert!(!folder.path().join("build").exists(), "{target} {mode}: the approved command did not run");
        }
    }
    http.stop();
}

#[test]
fn the_python_sdk_uses_the_tools_in_both_eras() {
    let python = match packages::python("mcp-python", PYTHON_PACKAGES) {
        Ok(python) => python,
        Err(why) => return packages::missing("no SDK for Python", &why),
    };
    let client = |_: &Path| {
        let mut command = Command::new(&python);
        command.arg(script("client.py"));
        command
    };
    with_client(client, &["sessions", "stateless"]);
}

#[test]
fn the_typescript_sdk_uses_the_tools_in_both_eras() {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-typescript", NPM_PACKAGES)?)));
    let (node, folder) = match found {
        Ok(found) => found,
        Err(why) => return packages::missing("no SDK for TypeScript", &why),
    };
    // Modules are found from the folder of the script.
    let copy = folder.join("client.mjs");
    fs::copy(script("client.mjs"), &copy).expect("failed to copy");
    let client = |_: &Path| {
        let mut command = Command::new(&node);
        command.arg(&copy);
        command
    };
    with_client(client, &["sessions", "stateless"]);
}

/// MCP Inspector, whose command line is a client of its own.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0\n";

#[test]
fn inspector_finds_no_error_in_either_era_and_calls_tools() {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-inspector", INSPECTOR)?)));
    let (node, packages) = match found {
        Ok(found) => found,
        Err(why) => return packages::missing("no MCP Inspector", &why),
    };
    let folder = folder("");
    fs::write(folder.path().join("a.txt"), "alpha\n").expect("failed to write");
    let program = packages.join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let tools = ["--toolset", "safe,file,terminal"];
    let mut server = Server::start(&folder, &tools, &json!({}));
    let offered = server.tools();
    server.end();
    assert!(offered.len() >= 6, "{offered:?}");
    let http = HttpServer::start(&folder, &tools);
    let authorization = format!("Authorization: Bearer {TOKEN}");
    let targets: [Vec<&str>; 2] = [
        [env!("CARGO_BIN_EXE_toolc"), "mcp", "serve"].into_iter().chain(tools).collect(),
        vec!["--transport", "http", "--server-url", &http.url, "--header", &authorization],
    ];
    for (target, era) in targets.iter().flat_map(|target| ["legacy", "modern"].map(|era| (target, era))) {
        // Returns the exit status, what it prints, and its notes.
        let inspect = |args: &[&str]| {
            let mut command = Command::new(&node);
            command.arg(&program).arg("--cli").args(target).args(["--protocol-era", era]).args(args);
            command.current_dir(folder.path()).env("HOME", folder.path());
            command.env("TOOLC_HOME", folder.path().join("home")).env_remove("TOOLC_APPROVAL");
            let output = command.output().expect("Inspector starts");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        let (status, out, notes) = inspect(&["--method", "tools/list", "--strict"]);
        assert_eq!(status, Some(0), "{target:?} {era}: {notes}");
        // Tools whose schemas it cannot read are missing, and it still succeeds.
        let list: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {notes}"));
        let names = list["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        assert_eq!(names.collect::<Vec<_>>(), offered, "{target:?} {era}");
        let call = |tool: &str, arguments: &str, more: &[&str]| {
            let args = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments];
            inspect(&args.iter().chain(more).copied().collect::<Vec<_>>())
        };
        let (status, out, notes) = call("read_file", r#"{"path": "a.txt"}"#, &[]);
        assert!(status == Some(0) && out.contains("alpha"), "{target:?} {era}: {out} {notes}");
        // 5 is its status for a result with `isError`.
        let (status, out, notes) = call("read_file", "{}", &[]);
        assert!(status == Some(5) && out.contains("invalid_arguments"), "{target:?} {era}: {out} {notes}");
        let (status, out, notes) =
            call("todo", "{}", &["--load", "--load-requests", "100", "--load-concurrency", "20"]);
        let load: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {notes}"));
        assert_eq!((status, &load["ok"]), (Some(0), &json!(100)), "{target:?} {era}: {load}");
    }
    http.stop();
}

/// Checkers of servers.
const CHECKERS: &str = "mcp-runtime-check==0.10.1\nmcp-ssrf-check==0.2.1\n";

/// Returns the folder with the checkers, or says why they are missing.
fn checkers() -> Option<PathBuf> {
    let python = packages::python("mcp-checkers", CHECKERS);
    let python = python.map_err(|why| packages::missing("no checkers of MCP servers", &why)).ok()?;
    Some(python.parent().expect("it is in a folder").to_owned())
}

#[test]
fn no_tool_breaks_on_arguments_that_mcp_fuzz_makes() {
    let Some(checkers) = checkers() else { return };
    let folder = folder("");
    let tools = ["--toolset", "safe,file"];
    let mut server = Server::start(&folder, &tools, &json!({}));
    let offered = server.tools().len();
    server.end();
    let home = format!("TOOLC_HOME={}", folder.path().join("home").display());
    let mut command = Command::new(checkers.join("mcp-fuzz"));
    command.args(["--json", "--include-destructive", "--fail-under", "100", "--env", &home, "--"]);
    command.args([env!("CARGO_BIN_EXE_toolc"), "mcp", "serve"]).args(tools).current_dir(folder.path());
    let report = packages::run(&mut command).unwrap_or_else(|error| panic!("{error}"));
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
    // A server that does not answer at all would get the best grade.
    assert_eq!((&report["tested_count"], &report["skipped_count"]), (&json!(offered), &json!(0)), "{report}");
    assert!(report["total_bad_input_cases"].as_u64().is_some_and(|cases| cases >= 20), "{report}");
    assert_eq!((&report["crash_count"], &report["timeout_count"]), (&json!(0), &json!(0)), "{report}");
}

#[test]
fn mcp_ssrf_check_finds_hosts_origins_and_sessions_checked_in_both_eras() {
    let Some(checkers) = checkers() else { return };
    let folder = folder("");
    let http = HttpServer::start(&folder, &[]);
    let file = folder.path().join("report.json");
    for (era, session) in [("stateful", "pass"), ("stateless", "skip")] {
        let mut command = Command::new(checkers.join("mcp-ssrf-check"));
        command.args(["--url", &http.url, "--bearer", TOKEN, "--lifecycle", era, "--json-out"]).arg(&file);
        let printed = packages::run(&mut command).unwrap_or_else(|error| panic!("{era}: {error}"));
        let report = fs::read_to_string(&file).expect("it wrote a report");
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
        let status = |id: &str| {
            let mut checks = report["checks"].as_array().into_iter().flatten();
            checks.find(|check| check["id"] == id).map_or("missing", |check| check["status"].as_str().unwrap_or("none"))
        };
        let found = ["baseline", "host-header", "origin-header", "session-binding"].map(status);
        assert_eq!(found, ["pass", "pass", "pass", session], "{era}: {printed}");
    }
    http.stop();
}
