//! What cannot be written to standard output is an error, and what is wrong before the first request costs none.

use std::fs::{self, OpenOptions};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::agent::{Run, environment, folder, outcome, run, script, toolc};

/// Runs a command whose standard output is a disk that is full.
fn run_full(folder: &std::path::Path, args: &[&str]) -> Run {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("the system has it");
    outcome(&toolc(folder, args, &[]).stdout(full).stderr(Stdio::piped()).output().expect("failed to start `setsid`"))
}

#[test]
fn an_answer_that_cannot_be_written_is_an_error_that_says_where_it_is() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    let plain = run_full(folder.path(), &["agent", "Ask", "--model", &model]);
    assert_eq!(plain.status, Some(2), "{}", plain.err);
    assert!(plain.err.contains("failed to write to standard output"), "{}", plain.err);
    let name = plain.err.split("`toolc sessions show ").nth(1).and_then(|rest| rest.split('`').next());
    let shown = run(folder.path(), &["sessions", "show", name.expect("a name")], &[]);
    assert!(shown.out.contains("The answer."), "{}{}", shown.out, shown.err);
    // The first event is written before the first request.
    fs::remove_dir_all(folder.path().join("home")).expect("failed to remove");
    let json = run_full(folder.path(), &["agent", "Ask", "--json", "--model", &model]);
    assert_eq!(json.status, Some(2), "{}", json.err);
    assert!(json.err.contains("failed to write to standard output"), "{}", json.err);
    assert_eq!(run(folder.path(), &["sessions", "list"], &[]).out, "no conversations\n");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    for args in [&["agent", "Ask", "--model", &model][..], &["agent", "Ask", "--json", "--model", &model], &["doctor"]]
    {
        let mut command = toolc(folder.path(), args, &[]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("failed to start");
        drop(child.stdout.take());
        let ended = outcome(&child.wait_with_output().expect("failed to wait"));
        assert_eq!(ended.status, Some(0), "{args:?}: {}", ended.err);
        assert!(!ended.err.contains("error"), "{args:?}: {}", ended.err);
    }
}

#[test]
fn every_command_that_prints_fails_if_it_cannot() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    let ended = run(folder.path(), &["agent", "Ask", "--model", &model], &[]);
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    let added = run(folder.path(), &["kanban", "add", "Build", "--to", "ann"], &[]);
    assert_eq!(added.status, Some(0), "{}", added.err);
    for args in [
        &["sessions", "list"][..],
        &["sessions", "list", "--json"],
        &["sessions", "export"],
        &["sessions", "search", "answer"],
        &["cron", "list"],
        &["cron", "list", "--json"],
        &["kanban", "list"],
        &["kanban", "show", "t1"],
        &["approvals", "list"],
        &["config", "show"],
        &["config", "path"],
        &["config", "check"],
        &["config", "schema"],
        &["tools"],
        &["environments", "list"],
        &["mcp", "list"],
        &["judge", "ls"],
        &["definitions"],
        &["doctor"],
        &["why", "todo"],
        &["call", "todo"],
    ] {
        let ended = run_full(folder.path(), args);
        assert_eq!(ended.status, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.err.contains("error: "), "{args:?}: {}", ended.err);
    }
}

#[test]
fn an_empty_task_is_refused_before_the_model_is_asked() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    for prompt in ["", " \n\t", "-"] {
        let ended = run(folder.path(), &["agent", prompt, "--model", &model, "--json"], &[]);
        assert_eq!((ended.status, &*ended.out), (Some(2), ""), "{prompt:?}: {}", ended.err);
        assert!(ended.err.contains("is empty"), "{prompt:?}: {}", ended.err);
    }
    assert_eq!(run(folder.path(), &["sessions", "list"], &[]).out, "no conversations\n");
}

#[test]
fn a_sandbox_that_cannot_be_made_is_refused_before_the_model_is_asked() {
    let folder = folder();
    if crate::agent::has_sandbox(folder.path()) {
        return;
    }
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    fs::write(folder.path().join("tasks"), "{\"prompt\":\"x\"}\n").expect("failed to write");
    for args in [&["agent", "Ask", "--json"][..], &["batch", "tasks", "--out", "out"]] {
        let args = [args, &["--model", &model, "--environment", "sandbox"]].concat();
        let ended = run(folder.path(), &args, &[]);
        assert_eq!((ended.status, &*ended.out), (Some(2), ""), "{}", ended.err);
        assert!(ended.err.contains("the tools cannot run in a sandbox on this machine: "), "{}", ended.err);
    }
    assert!(!folder.path().join("out").exists());
    assert_eq!(run(folder.path(), &["sessions", "list"], &[]).out, "no conversations\n");
}

#[test]
fn what_is_ignored_in_a_folder_that_is_not_trusted_is_said_also_without_a_terminal() {
    let folder = folder();
    fs::create_dir_all(folder.path().join(".toolc/plugins/x")).expect("failed to make a folder");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        environment(command.args(args), folder.path(), &[]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let has_git = git(&["init"]) && git(&["config", "core.fsmonitor", "/bin/false"]);
    let model = script(folder.path(), "model", &[json!({ "text": "The answer." })]);
    let ended = run(folder.path(), &["agent", "Ask", "--model", &model], &[]);
    assert_eq!((ended.status, &*ended.out), (Some(0), "The answer.\n"), "{}", ended.err);
    assert!(ended.err.contains("note: the plugins of the project"), "{}", ended.err);
    if has_git {
        let note = "note: this project has git settings that run programs (core.fsmonitor), which git ignores";
        assert!(ended.err.contains(note), "{}", ended.err);
    }
}
