//! The question in a terminal.

use std::thread;
use std::time::Duration;

use serde_json::json;

use super::terminal::InTerminal;
use super::{folder, log, run};

const DELETE: [&str; 3] = ["call", "terminal", "command=cd . && rm -rf a"];

#[test]
fn a_command_runs_after_a_yes() {
    let folder = folder();
    let mut program = InTerminal::start(folder.path(), &DELETE, "");
    program.answer(1, "y");
    let ended = program.end();
    assert_eq!((ended.status.code(), ended.json()["exit_code"].as_i64()), (Some(0), Some(0)), "{}", ended.shown);
    assert!(!folder.path().join("a").exists());
    for text in [
        "The tool `terminal` runs a command.",
        "  | cd . && rm \u{1b}[4;31m-rf\u{1b}[0m",
        "recursive-deletion\u{1b}[0m: Deletes folders with everything in them.",
        "check: Which folders are these, and do their contents exist elsewhere?",
        &format!("directory: {}, environment: local", folder.path().display()),
        "allowed once",
    ] {
        assert!(ended.shown.contains(text), "{text:?} is missing: {}", ended.shown);
    }
    let record = &log(folder.path())[0];
    assert_eq!((&record["decision"], &record["decided_by"]), (&json!("allowed"), &json!("person")), "{record}");
    assert_eq!(record["rules"], json!(["recursive-deletion", "forced-deletion"]));
    let mut keys: Vec<&str> = record.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = "call command decided_by decision directory environment milliseconds process rules session task time tool verdict";
    assert_eq!(keys.join(" "), expected);
}

#[test]
fn a_command_does_not_run_after_a_no() {
    let folder = folder();
    for keys in ["n", "\u{1b}", "\u{4}"] {
        let mut program = InTerminal::start(folder.path(), &DELETE, "");
        program.answer(1, keys);
        let ended = program.end();
        assert_eq!((ended.status.code(), &ended.json()["kind"]), (Some(1), &json!("denied")), "{}", ended.shown);
        assert!(folder.path().join("a").exists());
    }
}

#[test]
fn what_is_typed_before_the_question_and_what_is_pasted_is_no_answer() {
    let folder = folder();
    let mut program = InTerminal::start(folder.path(), &DELETE, "y\ny");
    program.answer(1, "yes\n");
    thread::sleep(Duration::from_millis(500));
    assert!(!program.has_ended(), "{}", program.shown());
    program.press("\u{1b}[A");
    thread::sleep(Duration::from_millis(300));
    assert!(!program.has_ended(), "{}", program.shown());
    program.press("n");
    assert_eq!(program.end().status.code(), Some(1));
    assert!(folder.path().join("a").exists());
}

#[test]
fn the_terminal_is_restored_when_the_program_is_interrupted() {
    let folder = folder();
    let mut program = InTerminal::start(folder.path(), &DELETE, "");
    program.answer(1, "\u{3}");
    assert_eq!(program.end().signal(), Some(2));
    for (name, number) in [("TERM", 15), ("INT", 2)] {
        let program = InTerminal::start(folder.path(), &DELETE, "");
        program.wait_for("[n]", 1);
        toolc_test_support::send_signal(name, program.id());
        assert_eq!(program.end().signal(), Some(number), "{name}");
    }
    assert!(folder.path().join("a").exists());
}

#[test]
fn a_signal_after_a_question_ends_the_program_as_usual() {
    let folder = folder();
    let args = ["call", "terminal", "command=rm -rf a; echo > done; sleep 60"];
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.answer(1, "y");
    while !folder.path().join("done").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    // The terminal sends the signal of Ctrl-C again.
    program.press("\u{3}");
    assert_eq!(program.end().signal(), Some(2));
}

#[test]
fn details_show_what_would_run() {
    let folder = folder();
    let args = ["call", "terminal", "command=sudo sh -c 'rm -rf a'"];
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.answer(1, "d");
    program.answer(2, "n");
    let ended = program.end();
    assert!(ended.shown.contains("rm -rf a   (in the code of sh, run by sudo)"), "{}", ended.shown);
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn an_answer_for_the_session_covers_later_commands() {
    let folder = folder();
    let mut program = InTerminal::start(folder.path(), &["repl"], "");
    program.wait_for("> ", 1);
    program.press("terminal command='rm -rf a'\n");
    program.answer(1, "s");
    program.wait_for("> ", 2);
    program.press("terminal command='rm -rf b'\n");
    program.wait_for("> ", 3);
    program.press("terminal command='git push --force'\n");
    program.answer(2, "n");
    program.wait_for("> ", 4);
    program.press(".quit\n");
    let ended = program.end();
    assert!(!folder.path().join("a").exists() && !folder.path().join("b").exists(), "{}", ended.shown);
    let decisions: Vec<_> = log(folder.path()).iter().map(|record| record["decided_by"].clone()).collect();
    assert_eq!(decisions, ["person", "session", "person"]);
}

#[test]
fn an_answer_of_always_is_kept_until_it_is_revoked() {
    let folder = folder();
    let args = ["call", "terminal", "command=rm -rf a"];
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.answer(1, "a");
    assert_eq!(program.end().status.code(), Some(0));
    // Also without a person, and with other spaces, but not for other words.
    std::fs::create_dir(folder.path().join("a")).expect("failed to make a folder");
    assert_eq!(run(folder.path(), &["call", "terminal", "command=rm  -rf 'a'"]).status, Some(0));
    assert!(!folder.path().join("a").exists());
    assert_eq!(run(folder.path(), &["call", "terminal", "command=rm -rf a b"]).status, Some(1));

    let listed = run(folder.path(), &["approvals", "list", "--json"]).json();
    let [approval] = &listed.as_array().expect("an array")[..] else { panic!("one approval: {listed}") };
    assert_eq!((&approval["command"], &approval["environment"]), (&json!("rm -rf a"), &json!("local")));
    let text = run(folder.path(), &["approvals", "list"]).out;
    assert!(text.starts_with("1: terminal, local, in /") && text.ends_with("\n  | rm -rf a\n"), "{text}");

    let unknown = run(folder.path(), &["approvals", "revoke", "7"]);
    assert_eq!((unknown.status, &*unknown.err), (Some(1), "error: no approval has the id 7\n"));
    let revoked = run(folder.path(), &["approvals", "revoke", "1"]);
    assert_eq!((revoked.status, &*revoked.out), (Some(0), "1 approval revoked\n"));
    assert_eq!(run(folder.path(), &["approvals", "list"]).out, "no approvals\n");
    assert_eq!(run(folder.path(), &args).status, Some(1));
}

#[test]
fn always_is_not_offered_for_words_that_expand() {
    let folder = folder();
    let mut program = InTerminal::start(folder.path(), &["call", "terminal", "command=rm -rf a*"], "");
    program.answer(1, "a");
    thread::sleep(Duration::from_millis(300));
    assert!(!program.has_ended() && !program.shown().contains("always"), "{}", program.shown());
    program.press("n");
    assert_eq!(program.end().status.code(), Some(1));
}

#[test]
fn characters_that_hide_something_are_visible() {
    let folder = folder();
    let args = ["call", "terminal", "{\"command\": \"r\u{200b}m x \\u001b[2K\\u202e; s\u{443}do ls\"}"];
    let mut program = InTerminal::start(folder.path(), &args, "");
    program.answer(1, "n");
    let shown = program.end().shown;
    for text in ["<U+200B>", "<U+001B>", "<U+202E>", "<U+0443>", "is invisible"] {
        assert!(shown.contains(text), "{text} is missing: {shown}");
    }
    assert!(!shown.contains(['\u{200b}', '\u{202e}']) && !shown.contains("\u{1b}[2K"), "{shown:?}");
}

#[test]
fn a_question_is_asked_although_the_arguments_come_from_a_pipe() {
    let folder = folder();
    std::fs::write(folder.path().join("arguments.json"), r#"{"command": "rm -rf a"}"#).expect("failed to write");
    let mut program = InTerminal::start(folder.path(), &["call", "terminal", "@arguments.json"], "");
    program.answer(1, "Y");
    assert_eq!(program.end().status.code(), Some(0));
}
