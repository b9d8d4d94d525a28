//! What servers ask the person: forms, addresses, logins and packages, in a real terminal.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{config, configure, folder, run, server};
use crate::approval::terminal::InTerminal;

/// A scripted server with HTTP, which is killed at the end.
struct Scripted {
    child: Child,
    port: String,
}

impl Scripted {
    fn start(script: &str, note: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture").join(script);
        let mut command = Command::new("python3");
        let mut child = command.arg(script).env("NOTE", note).stdout(Stdio::piped()).spawn().expect("failed to start");
        let mut port = String::new();
        BufReader::new(child.stdout.take().expect("it is a pipe")).read_line(&mut port).expect("it prints its port");
        Self { child, port: port.trim().to_owned() }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns what the scripted tool got, which it returns as JSON in a text.
fn got(result: &Value) -> Value {
    serde_json::from_str(result.as_str().unwrap_or_else(|| panic!("{result}"))).expect("it is JSON")
}

#[test]
fn a_form_is_filled_in_at_the_terminal() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &["asks"], ""));
    let mut program = InTerminal::start(folder.path(), &["call", "mcp__s__ask"], "");
    program.wait_for("[y] answer", 1);
    program.answer(1, "y");
    // The name is corrected, and a text that is not a number is asked for again.
    let typed = ["\r", "Anx\u{7f}n\r", "old\r", "\r", "y\r", "2\r", "mon, tue\r"];
    for (prompt, keys) in typed.iter().enumerate() {
        program.wait_for("\n> ", prompt + 1);
        program.press(keys);
    }
    program.wait_for("[y] send", 1);
    std::thread::sleep(std::time::Duration::from_millis(200));
    program.press("y");
    let ended = program.end();
    let got = got(&ended.json());
    let content = json!({ "name": "Ann", "age": 7, "admin": true, "colour": "g", "days": ["mon", "tue"] });
    assert_eq!((&got["action"], &got["content"]), (&json!("accept"), &content), "{}", ended.shown);
    for text in [
        "The MCP server `s` asks you, while it runs `ask`.",
        "  | Who are you?<U+202E><U+001B>[2J",
        "a value is required",
        "expected an integer of at least 0",
        "default: 7",
        "2. g (Green)",
        "These values are sent to the server:",
    ] {
        assert!(ended.shown.contains(text), "{text:?} is missing: {}", ended.shown);
    }
    assert!(!ended.shown.contains("\u{1b}[2J") && !ended.shown.contains('\u{202e}'), "{:?}", ended.shown);
}

#[test]
fn a_question_can_be_declined_or_left_and_needs_a_terminal() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &["asks"], ""));
    for (keys, action) in [("n", "decline"), ("\u{1b}", "cancel")] {
        let mut program = InTerminal::start(folder.path(), &["call", "mcp__s__ask"], "y");
        program.answer(1, keys);
        assert_eq!(got(&program.end().json())["action"], action);
    }
    let alone = run(&folder, &["call", "mcp__s__ask"]).succeeded();
    assert_eq!(got(&alone.json())["action"], "cancel");
    let mut program = InTerminal::start(folder.path(), &["call", "mcp__s__ask"], "");
    program.answer(1, "\u{3}");
    assert_eq!(program.end().signal(), Some(2), "Ctrl-C ends the program, and the terminal is as it was");
}

#[test]
fn an_address_is_shown_with_its_domain_and_not_opened() {
    let Some(folder) = folder() else { return };
    configure(&folder, &server("s", &["asks"], ""));
    let mut program = InTerminal::start(folder.path(), &["call", "mcp__s__ask-address"], "");
    program.answer(1, "y");
    let ended = program.end();
    assert_eq!(got(&ended.json())["action"], "accept");
    for text in ["xn--exmple-cua.com", "Address: https://xn--exmple-cua.com/pay?id=1", "  | Pay here."] {
        assert!(ended.shown.contains(text), "{text:?} is missing: {}", ended.shown);
    }
}

#[test]
fn a_person_logs_in_with_a_browser_and_out_again() {
    let Some(folder) = folder() else { return };
    let server = Scripted::start("oauth_server.py", &folder.path().join("note"));
    configure(&folder, &format!("[mcp.servers.web]\nurl = 'http://127.0.0.1:{}/mcp'\n", server.port));
    let refused = run(&folder, &["mcp", "test", "web"]);
    assert!(refused.status == Some(1) && refused.out.contains("run `toolc mcp login web`"), "{}", refused.out);
    let program = InTerminal::start(folder.path(), &["mcp", "login", "web"], "");
    program.wait_for("paste the address", 1);
    let shown = program.shown();
    let address = shown.lines().find(|line| line.starts_with("http://127.0.0.1")).expect("the address is shown").trim();
    let browser = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()";
    let came_back = Command::new("python3").args(["-c", browser, address]).status().expect("the browser starts");
    assert!(came_back.success());
    let ended = program.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(
        ended.out.contains("logged in: web") && ended.shown.contains("Rights: read"),
        "{} {}",
        ended.out,
        ended.shown
    );
    assert!(!ended.shown.contains("access-token"), "{}", ended.shown);
    assert_eq!(run(&folder, &["call", "mcp__web__read"]).succeeded().out.trim(), r#""read""#);
    assert!(run(&folder, &["mcp", "logout", "web"]).succeeded().out.contains("logged out: web"));
    assert!(run(&folder, &["mcp", "logout", "web"]).succeeded().out.contains("not logged in"));
    assert!(!folder.path().join("home/mcp/web.tokens.json").exists());
    let unknown = run(&folder, &["mcp", "login", "wet"]);
    assert!(unknown.status == Some(2) && unknown.err.contains("did you mean `web`"), "{}", unknown.err);
    assert_eq!(run(&folder, &["mcp", "remove", "web"]).succeeded().status, Some(0));
}

#[test]
fn a_server_of_a_package_is_added_with_its_version_unless_it_is_malicious() {
    let Some(folder) = folder() else { return };
    let registry = Scripted::start("registry.py", &folder.path().join("note"));
    let base = format!("http://127.0.0.1:{}", registry.port);
    let registries = format!("[mcp]\nnpm_registry = '{base}'\npypi = '{base}'\nosv = '{base}'\n");
    configure(&folder, &registries);
    let added = run(&folder, &["mcp", "add", "a", "--", "npx", "-y", "@scope/server", "/x"]).succeeded();
    assert!(added.out.contains("package: npm:@scope/server@1.2.3"), "{}", added.out);
    assert!(config(&folder).contains(r#"args = ["-y", "@scope/server@1.2.3", "/x"]"#), "{}", config(&folder));
    let advised = run(&folder, &["mcp", "add", "b", "--", "uvx", "py-server"]).succeeded();
    assert!(advised.out.contains("known vulnerabilities: PYSEC-2026-1"), "{}", advised.out);
    let before = config(&folder);
    let evil = run(&folder, &["mcp", "add", "c", "--", "npx", "evil@1.0.0"]);
    assert!(evil.status == Some(2) && evil.err.contains("is malicious"), "{}", evil.err);
    let unknown = run(&folder, &["mcp", "add", "d", "--", "npx", "missing"]);
    assert!(unknown.status == Some(2) && unknown.err.contains("could not be found"), "{}", unknown.err);
    let unpinned = run(&folder, &["mcp", "add", "e", "--", "npx", "./local.js"]);
    assert!(unpinned.status == Some(2) && unpinned.err.contains("could not be checked"), "{}", unpinned.err);
    assert!(unpinned.err.contains("in a terminal, this command asks whether to run it"), "{}", unpinned.err);
    assert_eq!(config(&folder), before);
}

#[test]
fn a_package_is_added_unchecked_only_after_a_question() {
    let Some(folder) = folder() else { return };
    let registry = Scripted::start("registry.py", &folder.path().join("note"));
    let base = format!("http://127.0.0.1:{}", registry.port);
    // Nothing listens at the port of OSV.
    configure(&folder, &format!("[mcp]\nnpm_registry = '{base}'\npypi = '{base}'\nosv = 'http://127.0.0.1:1'\n"));
    let add = ["mcp", "add", "a", "--", "npx", "-y", "@scope/server"];
    let refused = run(&folder, &add);
    let advice = "in a terminal, this command asks whether to run it anyway";
    assert!(refused.status == Some(2) && refused.err.contains(advice), "{}", refused.err);
    assert!(!config(&folder).contains("servers.a"), "{}", config(&folder));
    let mut program = InTerminal::start(folder.path(), &add, "");
    program.wait_for("could not be checked", 1);
    program.wait_for("[y]", 1);
    program.answer(1, "y");
    let ended = program.end();
    assert!(ended.status.success(), "{}", ended.shown);
    assert!(config(&folder).contains("@scope/server@1.2.3"), "{}", config(&folder));
}

#[test]
fn what_a_server_asks_the_model_counts_towards_the_budget_and_is_stopped_by_it() {
    let Some(folder) = folder() else { return };
    let usage = |input: u32, output: u32| json!({ "input": input, "output": output });
    let calls = json!([{ "name": "mcp__s__sample", "arguments": {} }]);
    let answers = [
        json!({ "calls": calls, "usage": usage(15_000, 10) }),
        json!({ "for": "Say something.", "text": "Sampled.", "usage": usage(500, 50) }),
        json!({ "text": "Done.", "usage": usage(15_100, 5) }),
    ];
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(folder.path().join("model"), lines.join("\n")).expect("failed to write");
    let args = ["agent", "Begin.", "--json", "--model", "script:model", "--no-record"];
    let events = |out: &str| -> Vec<Value> { out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect() };
    let of_kind = |events: &[Value], kind: &str| {
        let event = events.iter().find(|event| event["event"] == kind).cloned();
        event.unwrap_or_else(|| panic!("no event {kind} in {events:?}"))
    };

    configure(&folder, &format!("[budget]\nsession_tokens = 200000\n{}", server("s", &["asks"], "sampling = true")));
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.wait_for("asks your model", 1);
    program.answer(1, "y");
    program.wait_for("would receive this answer", 1);
    program.answer(2, "y");
    let ended = program.end();
    let seen = events(&ended.out);
    assert!(of_kind(&seen, "call_ends")["json"].to_string().contains("Sampled."), "{}", ended.out);
    let tokens = &of_kind(&seen, "ends")["tokens"];
    assert_eq!((&tokens["input"], &tokens["output"]), (&json!(30_600), &json!(65)), "{}", ended.out);

    // The longest answer that the server allows would pass the limit.
    configure(&folder, &format!("[budget]\nsession_tokens = 18000\n{}", server("s", &["asks"], "sampling = true")));
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.wait_for("asks your model", 1);
    program.answer(1, "y");
    let ended = program.end();
    let result = of_kind(&events(&ended.out), "call_ends")["json"].to_string();
    assert!(result.contains("(`budget.session_tokens`) is 18000 tokens") && !result.contains("Sampled."), "{result}");
}
