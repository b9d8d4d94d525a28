//! `replay`: recorded calls of models, by the tools of today and by those of another version.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::{TOOL, project, run};

/// Writes recorded calls to a file of the project.
fn record(project: &Path, calls: &[(&str, Value)]) {
    let lines = calls.iter().map(|(tool, arguments)| format!("{}\n", json!({ "tool": tool, "arguments": arguments })));
    fs::write(project.join("calls.jsonl"), lines.collect::<String>()).unwrap();
}

fn replayed(project: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let (status, out, err) = run(project, &[&["replay", "calls.jsonl", "--format", "json"], args].concat());
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

pub(crate) fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn calls_are_accepted_repaired_refused_or_unknown() {
    let project = project();
    record(
        project.path(),
        &[
            ("ping", json!({ "host": "a" })),
            ("ping", json!({ "Host": "a" })),
            ("ping", json!({})),
            ("ping", json!("{\"host\": \"a\"}")),
            ("pong", json!({})),
        ],
    );
    let (status, report) = replayed(project.path(), &[]);
    assert_eq!(status, Some(0));
    let tool = &report["tools"][0];
    assert_eq!([&report["calls"], &tool["accepted"], &tool["repaired"], &tool["refused"]], [5, 3, 1, 1]);
    assert_eq!(report["unknown_tools"][0]["name"], "pong");
    assert_eq!(tool["problems"][0]["first"], "calls.jsonl:3");
}

#[test]
fn a_rename_is_caught_with_the_calls_that_it_would_break() {
    let project = project();
    let folder = project.path();
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"]] {
        git(folder, args);
    }
    record(folder, &[("ping", json!({ "host": "a" })), ("ping", json!({ "host": "b" })), ("ping", json!({}))]);
    assert_eq!(replayed(folder, &["--against", "HEAD"]).0, Some(0));

    let renamed = TOOL.replace("params.host", "params.address");
    fs::write(folder.join("manifests/tools/ping.toml"), &renamed).unwrap();
    let (status, report) = replayed(folder, &["--against", "HEAD"]);
    assert_eq!(status, Some(1));
    assert_eq!(report["breaks"][0]["break"], "refused", "{report}");
    assert_eq!((&report["breaks"][0]["calls"], &report["breaks"][0]["first"]), (&json!(2), &json!("calls.jsonl:1")));

    // With the old name left behind, every call is read as before, except that the parameter has its new name.
    let alias = renamed.replace("required = true", "required = true\naliases = [\"host\"]");
    fs::write(folder.join("manifests/tools/ping.toml"), alias).unwrap();
    let (_, report) = replayed(folder, &["--against", "HEAD"]);
    assert_eq!(report["breaks"][0]["break"], "read_differently", "{report}");

    // A tool with its old name as an alias gets the same calls.
    fs::rename(folder.join("manifests/tools/ping.toml"), folder.join("manifests/tools/probe.toml")).unwrap();
    let tool = TOOL.replace("name = \"ping\"", "name = \"probe\"\naliases = [\"ping\"]");
    fs::write(folder.join("manifests/tools/probe.toml"), tool).unwrap();
    let (status, report) = replayed(folder, &["--against", "HEAD"]);
    assert_eq!((status, report["breaks"].as_array().map(Vec::len)), (Some(0), Some(0)), "{report}");
}

#[test]
fn names_that_models_get_wrong_are_proposed_as_a_diff_that_compiles() {
    let project = project();
    let wrong = ("ping", json!({ "hots": "a" }));
    record(project.path(), &[wrong.clone(), wrong.clone(), wrong, ("pingg", json!({})), ("pingg", json!({}))]);
    let (_, report) = replayed(project.path(), &[]);
    let advice = report["advice"].as_array().unwrap();
    // Two calls are too few for advice.
    assert_eq!(advice.len(), 1, "{report}");
    assert_eq!(advice[0]["reason"], "3 calls of `ping` send `hots`: make it another name of `host`");
    assert!(advice[0]["diff"].as_str().unwrap().contains("\n+aliases = [\"hots\"]\n"), "{report}");
    fs::write(project.path().join("advice.diff"), advice[0]["diff"].as_str().unwrap()).unwrap();
    git(project.path(), &["apply", "-p0", "advice.diff"]);
    let (_, report) = replayed(project.path(), &[]);
    assert_eq!(report["tools"][0]["accepted"], 3, "{report}");
}

#[test]
fn secrets_are_masked_and_broken_lines_are_counted() {
    let project = project();
    let token = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF";
    let lines =
        format!("{{broken\n\n{}\n", json!({ "tool": "ping", "arguments": { "password": "hunter22", "key": token } }));
    fs::write(project.path().join("calls.jsonl"), lines).unwrap();
    for format in ["json", "text", "markdown"] {
        let (status, out, _) = run(project.path(), &["replay", "calls.jsonl", "--format", format]);
        assert_eq!(status, Some(0));
        assert!(!out.contains("hunter22") && !out.contains(token), "{out}");
    }
    let (_, text, _) = run(project.path(), &["replay", "calls.jsonl"]);
    assert!(text.contains("1 line is left out: not JSON, first at calls.jsonl:1."), "{text}");
    let (status, _, err) = run(project.path(), &["replay", "missing.jsonl"]);
    assert!(status == Some(2) && err.starts_with("error: failed to read missing.jsonl: "), "{err}");
}

/// `TOOLC_CALLS` sets how many calls are replayed.
#[test]
fn a_month_of_sessions_is_counted_exactly() {
    const CALLS: u64 = 4000;
    let calls = std::env::var("TOOLC_CALLS").map_or(CALLS, |count| count.parse().expect("TOOLC_CALLS is a number"));
    let project = project();
    let folder = project.path();
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"]] {
        git(folder, args);
    }
    fs::write(folder.join("manifests/tools/ping.toml"), TOOL.replace("params.host", "params.address")).unwrap();
    // In each ten calls: three with the old name, four with the new one, a repair, an unknown tool, and a line that is broken.
    let mut file = std::io::BufWriter::new(fs::File::create(folder.join("calls.jsonl")).unwrap());
    for number in 0..calls {
        let call = |tool: &str, arguments: Value| {
            let arguments = arguments.to_string();
            json!({ "kind": "assistant", "details": [{ "id": number.to_string(), "name": tool, "arguments": arguments }] }).to_string()
        };
        let line = match number % 10 {
            0..=2 => call("ping", json!({ "host": format!("host-{number}") })),
            3..=6 => call("ping", json!({ "address": format!("host-{number}") })),
            7 => call("ping", json!({ "Address": "a" })),
            8 => call("pong", json!({})),
            _ => "{\"kind\": ".to_owned(),
        };
        writeln!(file, "{line}").unwrap();
    }
    file.flush().unwrap();
    let begin = Instant::now();
    let (status, report) = replayed(folder, &["--against", "HEAD"]);
    println!("{calls} lines in {:?}", begin.elapsed());
    let tenth = calls / 10;
    assert_eq!(status, Some(1));
    assert_eq!([&report["lines"], &report["broken_lines"], &report["calls"]], [calls, tenth, calls - tenth]);
    let tool = &report["tools"][0];
    assert_eq!([&tool["accepted"], &tool["repaired"], &tool["refused"]], [tenth * 5, tenth, tenth * 3]);
    assert_eq!((&report["breaks"][0]["calls"], &report["mended"]), (&json!(tenth * 3), &json!(tenth * 5)));
    assert_eq!(report["unknown_tools"][0]["calls"], tenth);
}
