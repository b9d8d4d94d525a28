//! `toolc why --call`: what is known about recorded calls.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolc_store::{Database, MessageKind, NewMessage, NewSession, Sessions};
use toolc_test_support::programs;

use crate::agent::{Run, folder, run, script};
use crate::approval::terminal::InTerminal;

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// Runs an agent that makes these calls in one answer.
fn agent(folder: &Path, calls: &[Value], more: &[&str]) -> Run {
    let model = script(folder, "model", &[json!({ "calls": calls }), json!({ "text": "Done." })]);
    let ran = run(folder, &[&["agent", "Begin.", "--model", &model], more].concat(), &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    ran
}

fn why(folder: &Path, args: &[&str]) -> String {
    let ran = run(folder, &[&["why", "--call"], args].concat(), &[]);
    assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{}", ran.out);
    ran.out
}

/// Returns the error of a call that is not found.
fn refused(folder: &Path, args: &[&str]) -> String {
    let ran = run(folder, &[&["why", "--call"], args].concat(), &[]);
    assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{}", ran.err);
    ran.err
}

fn json_of(folder: &Path, id: &str) -> Value {
    serde_json::from_str(&why(folder, &[id, "--json"])).expect("it is JSON")
}

/// Checks that an explanation has these lines.
#[track_caller]
fn assert_has(text: &str, lines: &[(&str, &str)]) {
    for (label, begin) in lines {
        let line = format!("  {label:<12} {begin}");
        assert!(text.lines().any(|found| found.starts_with(&line)), "no {line:?} in {text}");
    }
}

#[test]
fn an_explained_call_has_what_was_sent_what_ran_and_its_repairs() {
    let folder = folder();
    agent(folder.path(), &[call("READ_FILE", &json!({ "path": "b.txt", "limit": "2" }))], &[]);
    let shown = run(folder.path(), &["sessions", "show", "20"], &[]);
    assert!(shown.out.contains("[call ids: call_1_1 (READ_FILE)]"), "{}", shown.out);
    let text = why(folder.path(), &["call_1"]);
    let place = format!("local, in {}", folder.path().canonicalize().expect("it exists").display());
    assert_has(
        &text,
        &[
            ("tool", "read_file, of the toolset file"),
            ("called as", "READ_FILE"),
            ("made by", "the model"),
            ("sent", r#"{"path":"b.txt","limit":"2"}"#),
            ("ran", r#"{"path":"b.txt","limit":2}"#),
            ("repair", r#"the name of the tool: "READ_FILE" became "read_file" (tool_name)"#),
            ("repair", r#"/limit: "2" became 2 (number)"#),
            ("decision", "the call needs no approval"),
            ("environment", &place),
            ("time", "began at 20"),
            ("limits", "none was reached"),
            ("result", "ok, "),
        ],
    );
    assert!(text.contains(" after the model made it; took "), "{text}");
    let json = json_of(folder.path(), "call_1_1");
    let [explained] = &json["calls"].as_array().expect("a list")[..] else { panic!("one call: {json}") };
    assert_eq!((&json["call"], &explained["toolset"]), (&json!("call_1_1"), &json!("file")));
    assert_eq!(explained["repairs"][1]["rule"], "number");
    assert_eq!((&explained["recorded"], &explained["error"]), (&json!(true), &Value::Null));
}

#[test]
fn an_explained_call_has_the_rule_and_who_decided() {
    let folder = folder();
    let calls = [
        call("terminal", &json!({ "command": "ls" })),
        call("terminal", &json!({ "command": "rm -rf build" })),
        call("terminal", &json!({ "command": "rm -rf /" })),
    ];
    agent(folder.path(), &calls, &["--approval", "deny"]);
    assert_has(&why(folder.path(), &["call_1_1"]), &[("decision", "the command rules allow the call")]);
    let asked = "verdict ask: Deletes folders with everything in them (rule `recursive-deletion`)";
    let text = why(folder.path(), &["call_1_2"]);
    assert_has(&text, &[("decision", asked), ("result", "error `denied`: "), ("ran", "as sent")]);
    assert!(text.contains("; denied by the mode of approval at 20"), "{text}");
    let text = why(folder.path(), &["call_1_3"]);
    assert!(text.contains("  decision     verdict deny: ") && text.contains("; denied by the rule at 20"), "{text}");
}

#[test]
fn an_explained_call_says_that_a_person_has_answered_and_how_long_it_waited() {
    let folder = folder();
    let delete = call("terminal", &json!({ "command": "rm -rf build" }));
    let model = script(folder.path(), "model", &[json!({ "calls": [delete] }), json!({ "text": "Done." })]);
    let mut terminal = InTerminal::start(folder.path(), &["agent", "Begin.", "--model", &model], "");
    terminal.answer(1, "y");
    assert!(terminal.end().status.success());
    let explained = &json_of(folder.path(), "call_1_1")["calls"][0];
    let decision = &explained["decisions"][0];
    assert_eq!((&decision["decision"], &decision["decided_by"]), (&json!("allowed"), &json!("person")), "{explained}");
    assert_eq!(decision["reasons"][0]["rule"], "recursive-deletion");
    assert!(explained["milliseconds_waited"].as_u64() > Some(0), "{explained}");
    assert!(explained["milliseconds"].as_u64() >= explained["milliseconds_waited"].as_u64(), "{explained}");
}

#[test]
fn the_calls_of_a_script_are_explained_with_the_call_that_runs_it() {
    if !programs::has("python3") {
        return;
    }
    let folder = folder();
    let code = "import toolc_tools\nprint(toolc_tools.read_file('a.txt'))\nprint(toolc_tools.terminal('ls b.txt'))";
    agent(folder.path(), &[call("execute_code", &json!({ "code": code }))], &["--approval", "off"]);
    let outer = why(folder.path(), &["call_1_1"]);
    assert_has(&outer, &[("call inside", "call_1_1/1 read_file: ok, "), ("call inside", "call_1_1/2 terminal: ok, ")]);
    let inner = why(folder.path(), &["call_1_1/2"]);
    assert_has(
        &inner,
        &[("made by", "a script of the model, in the call call_1_1"), ("sent", r#"{"command": "ls b.txt", ""#)],
    );
    assert_eq!(json_of(folder.path(), "call_1_1")["calls"][0]["calls_inside"], json!(["call_1_1/1", "call_1_1/2"]));
}

#[test]
fn the_calls_of_helpers_are_explained() {
    let folder = folder();
    let read = json!({ "calls": [call("read_file", &json!({ "path": "a.txt" }))], "for": "Look." });
    let answers = [
        json!({ "calls": [call("delegate_task", &json!({ "goal": "Look." }))] }),
        read,
        json!({ "text": "alpha", "for": "Look." }),
        json!({ "text": "Done." }),
    ];
    let model = script(folder.path(), "model", &answers);
    let ran = run(folder.path(), &["agent", "Begin.", "--model", &model], &[]);
    assert_eq!(ran.out, "Done.\n", "{}", ran.err);
    let found = why(folder.path(), &["helper_1/"]);
    assert_has(
        &found,
        &[
            ("tool", "read_file, of the toolset file"),
            ("made by", "the model of helper_1, which the call call_1_1 has started"),
        ],
    );
    assert!(found.starts_with("call helper_1/call_"), "{found}");
    assert!(why(folder.path(), &["call_1_1"]).contains("  call inside  helper_1/call_"));
}

#[test]
fn an_explained_call_has_the_limits_that_cut_its_result() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    fs::write(folder.path().join("home/config.toml"), "[results]\nmax_chars = 2000\n").expect("failed to write");
    let calls = [call("terminal", &json!({ "command": "seq 1 2000" })), call("read_file", &json!({}))];
    agent(folder.path(), &calls, &[]);
    let text = why(folder.path(), &["call_1_1"]);
    assert_has(&text, &[("limits", "the model got the beginning of the ")]);
    assert!(text.contains(" characters of the result; all of it is in "), "{text}");
    let text = why(folder.path(), &["call_1_2"]);
    assert_has(&text, &[("ran", "nothing"), ("result", "error `invalid_arguments`: ")]);
}

#[test]
fn a_batch_records_its_calls_and_a_conversation_that_is_not_recorded_has_none() {
    let folder = folder();
    let read = [call("read_file", &json!({ "path": "a.txt" }))];
    agent(folder.path(), &read, &["--no-record"]);
    assert!(refused(folder.path(), &["call_1_1"]).contains("No call is recorded"));
    let model = script(folder.path(), "model", &[json!({ "calls": read }), json!({ "text": "Done." })]);
    fs::write(folder.path().join("tasks"), json!({ "prompt": "Begin." }).to_string()).expect("failed to write");
    let ran = run(folder.path(), &["batch", "tasks", "--out", "out", "--model", &model], &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert_has(&why(folder.path(), &["call_1_1"]), &[("tool", "read_file, of the toolset file")]);
}

#[test]
fn a_call_that_is_not_found_or_not_unique_is_an_error_that_lists_others() {
    let folder = folder();
    let read = call("read_file", &json!({ "path": "a.txt" }));
    agent(folder.path(), &[read.clone(), read.clone()], &[]);
    let error = refused(folder.path(), &["call_1_9"]);
    for text in [
        "no recorded call has an id that begins with `call_1_9`: did you mean `call_1_",
        "The latest recorded calls are call_1_",
        "Calls of `toolc call`, `toolc repl` and MCP clients are not recorded",
    ] {
        assert!(error.contains(text), "no {text:?} in {error}");
    }
    assert!(refused(folder.path(), &["call_1"]).contains("2 calls have an id that begins with `call_1`"), "two calls");
    // The ids of the scripted model are those of other conversations, too.
    agent(folder.path(), &[read], &[]);
    assert!(refused(folder.path(), &["call_1_1"]).contains("2 calls have an id that begins with `call_1_1`"));
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
    let all = sessions.list(10).expect("failed to read");
    for info in &all {
        assert!(why(folder.path(), &["call_1_1", "--session", &info.name]).contains(&info.name));
    }
    for args in
        [&["call_1_1", "--enable", "cli"][..], &["call_1_1", "read_file"], &[""], &["call_1_1", "--dialect", "mcp"]]
    {
        refused(folder.path(), args);
    }
    assert_eq!(run(folder.path(), &["why"], &[]).status, Some(2), "neither a tool nor a call");
    assert_eq!(run(folder.path(), &["why", "read_file", "--session", "x"], &[]).status, Some(2), "no call");
}

#[test]
fn a_call_of_an_earlier_version_is_explained_as_far_as_it_is_known() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
    let session = NewSession { name: "old", source: "chat", directory: "/w", api: "chat", model: "m", title: "" };
    sessions.start(&session).expect("failed to start");
    let calls =
        [("c1", "terminal"), ("c2", "look")].map(|(id, name)| json!({ "id": id, "name": name, "arguments": "{}" }));
    let results = json!([{ "id": "c1", "name": "terminal", "error": "denied", "json": r#"{"error":"no"}"# }]);
    for (kind, details) in [(MessageKind::Model, json!(calls)), (MessageKind::Results, results)] {
        let details = details.to_string();
        let message = NewMessage {
            kind,
            text: "",
            raw: "[]",
            api: None,
            details: &details,
            keeps_from: None,
            tokens: None,
            after: None,
            calls: &[],
        };
        sessions.append("old", &message).expect("failed to add");
    }
    let text = why(folder.path(), &["c1"]);
    assert_has(&text, &[("tool", "terminal"), ("sent", "{}"), ("result", "error `denied`: no")]);
    assert_has(&text, &[("not recorded", "what ran, repairs, decisions, environment, duration and limits")]);
    assert_has(&why(folder.path(), &["c2"]), &[("result", "not recorded")]);
    assert_eq!(json_of(folder.path(), "c1")["calls"][0]["recorded"], false);
}
