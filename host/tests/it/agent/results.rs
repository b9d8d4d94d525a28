//! Results that are too long: stored for the conversation, whose model reads the rest.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::agent::{folder, has_sandbox, outcome, script, toolc};

/// Runs an agent that makes one call, and returns the result of the call.
fn call(folder: &Path, tool: &str, arguments: &Value, more: &[&str]) -> Value {
    let call = json!({ "name": tool, "arguments": arguments });
    // A sandbox must not contain the home of the profile.
    let project = folder.join("project");
    fs::create_dir_all(&project).expect("failed to make a folder");
    script(&project, "model", &[json!({ "calls": [call] }), json!({ "text": "Done." })]);
    let args = [&["agent", "Go", "--json", "--model", "script:model"], more].concat();
    let output = toolc(folder, &args, &[]).current_dir(&project).output();
    let run = outcome(&output.expect("failed to start `setsid`"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    let events = run.events();
    let end = events.iter().find(|event| event["event"] == "call_ends").expect("a call");
    serde_json::from_str(end["json"].as_str().expect("a text")).expect("it is JSON")
}

#[test]
fn the_rest_of_a_long_output_is_read_in_the_same_conversation_only() {
    for environment in ["local", "sandbox"] {
        let folder = folder();
        if environment == "sandbox" && !has_sandbox(folder.path()) {
            continue;
        }
        let more = |args: &[&'static str]| [&["--environment", environment], args].concat();
        // 55,000 lines with 318,894 characters.
        let printed = call(folder.path(), "terminal", &json!({ "command": "seq 1 55000" }), &more(&[]));
        let output = printed["output"].as_str().unwrap_or_else(|| panic!("{printed}"));
        assert!(output.starts_with("1\n2\n") && output.ends_with("\n55000\n") && output.len() < 51_000);
        assert!(!output.contains("\n20000\n"));
        let note = printed["note"].as_str().expect("a note");
        let (_, rest) =
            note.split_once("the full output (318894 characters) is in ").unwrap_or_else(|| panic!("{note}"));
        let (path, rest) = rest.split_once(": ").expect("a path");
        assert!(rest.starts_with("read parts of it with `read_file`"), "{note}");
        assert!(
            Path::new(path).starts_with(folder.path().canonicalize().expect("it exists").join("home/cache/results"))
        );

        let read = json!({ "path": path, "offset": 20_000, "limit": 2 });
        let part = call(folder.path(), "read_file", &read, &more(&["--resume"]));
        let content = part["content"].as_str().unwrap_or_else(|| panic!("{part}"));
        assert!(content.contains("20000|20000\n") && content.contains("20001|20001"), "{part}");
        let other = call(folder.path(), "read_file", &read, &more(&[]));
        let expected = if environment == "local" { "a result of another session" } else { "error" };
        assert!(other.to_string().contains(expected) && other["content"].is_null(), "{environment}: {other}");
        // A search finds neither the file nor its name.
        let results = json!({ "pattern": "^20000$", "path": folder.path().join("home") });
        let found = call(folder.path(), "search_files", &results, &more(&[]));
        assert!(!found.to_string().contains("terminal-"), "{environment}: {found}");
    }
}
