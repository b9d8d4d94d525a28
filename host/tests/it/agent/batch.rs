//! `toolc batch`: toolsets by a distribution, several tasks at once, and going on after a stop.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc_test_support::LIMIT;

use crate::agent::{environment, folder, run, script};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file exists");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn each_task_has_one_line_and_draws_its_toolsets_by_its_seed() {
    let folder = folder();
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "text": "Look", "calls": [call], "usage": { "input": 10, "output": 1 } }),
            json!({ "text": "Alpha", "usage": { "input": 20, "output": 2 } }),
        ],
    );
    let tasks: Vec<String> = (0..20)
        .map(|number| json!({ "id": format!("t{number}"), "prompt": format!("Task {number}") }).to_string())
        .collect();
    let tasks = tasks.join("\n");
    std::fs::write(folder.path().join("tasks"), tasks).expect("failed to write");
    let batch = |out: &str, jobs: &str| {
        let args = [
            "batch",
            "tasks",
            "--distribution",
            "balanced",
            "--seed",
            "7",
            "--out",
            out,
            "--jobs",
            jobs,
            "--model",
            &model,
        ];
        let run = run(folder.path(), &args, &[]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        run.err
    };
    batch("one", "1");
    batch("four", "4");
    let [mut one, mut four] = ["one", "four"].map(|name| lines(&folder.path().join(name)));
    for lines in [&mut one, &mut four] {
        assert_eq!(lines.len(), 20);
        lines.sort_by_key(|line| line["seed"].as_u64());
    }
    for (number, (line, other)) in (7_u64..).zip(one.iter().zip(&four)) {
        assert_eq!((line["seed"].as_u64(), &line["outcome"]), (Some(number), &json!("done")));
        assert_eq!((&line["toolsets"], &line["prompt"]), (&other["toolsets"], &other["prompt"]));
        assert_eq!(
            (&line["answer"], &line["requests"], &line["tokens"]["input"]),
            (&json!("Alpha"), &json!(2), &json!(30))
        );
        let kinds: Vec<&str> = line["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .map(|step| step["event"].as_str().expect("a kind"))
            .collect();
        assert_eq!(kinds, ["request", "answer", "call_begins", "call_ends", "request", "answer"]);
        assert_eq!(line["messages"].as_array().map(Vec::len), Some(4));
    }
    let drawn: BTreeSet<String> = one.iter().map(|line| line["toolsets"].to_string()).collect();
    assert!(drawn.len() > 2, "{drawn:?}");
    // A task without the toolset of a tool cannot call it.
    let without = one.iter().find(|line| !line["toolsets"].to_string().contains("file")).expect("some draw no files");
    assert_eq!(without["steps"][3]["error"], "unknown_tool");

    // What has ended is not run again; what was cut off is.
    let path = folder.path().join("one");
    let text = std::fs::read_to_string(&path).expect("it exists");
    let cut = text.lines().take(5).chain(["{\"id\":\"t5\",\"outc"]).collect::<Vec<_>>().join("\n");
    std::fs::write(&path, cut).expect("failed to write");
    assert!(batch("one", "2").starts_with("20 tasks, 5 of them have already ended"));
    assert_eq!(lines(&path).len(), 20);
    assert!(batch("one", "2").starts_with("20 tasks, 20 of them have already ended"));
}

#[test]
fn a_task_that_failed_runs_again() {
    let folder = folder();
    std::fs::write(folder.path().join("tasks"), "{\"prompt\":\"x\"}\n").expect("failed to write");
    let args = |model: &str| ["batch", "tasks", "--out", "out", "--model", model].map(str::to_owned);
    let go = |model: &str| {
        let args = args(model);
        run(folder.path(), &args.each_ref().map(String::as_str), &[])
    };
    let failing = script(folder.path(), "failing", &[json!({ "error": "out of order" })]);
    let failed = go(&failing);
    assert_eq!(failed.status, Some(1), "{}", failed.err);
    let model = script(folder.path(), "model", &[json!({ "text": "Done." })]);
    assert_eq!(go(&model).status, Some(0));
    let lines = lines(&folder.path().join("out"));
    let outcomes: Vec<&Value> = lines.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["failed", "done"]);
    assert!(lines[0]["error"].as_str().expect("a text").contains("out of order"));
    let unknown =
        run(folder.path(), &["batch", "tasks", "--out", "out", "--model", &model, "--distribution", "x"], &[]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("unknown distribution `x`: expected one of balanced"), "{}", unknown.err);
}

#[test]
fn a_batch_says_how_to_allow_calls_that_no_person_could_approve() {
    let folder = folder();
    std::fs::write(folder.path().join("tasks"), "{\"prompt\":\"x\"}\n{\"prompt\":\"y\"}\n").expect("failed to write");
    let remove = json!({ "calls": [{ "name": "terminal", "arguments": { "command": "rm -rf build" } }] });
    let model = script(folder.path(), "model", &[remove, json!({ "text": "Tried." })]);
    for mode in ["ask", "deny"] {
        let args = ["batch", "tasks", "--out", mode, "--model", &model, "--approval", mode];
        let ran = run(folder.path(), &args, &[]);
        let note = "calls that no person could approve, and that did not run: 2. ";
        assert!(ran.status == Some(0) && ran.err.contains(note), "{mode}: {}", ran.err);
        assert!(
            ran.err.contains("let your own rules allow such calls") && ran.err.contains("`--approval off`"),
            "{}",
            ran.err
        );
    }
}

/// Starts a batch in its own process, without waiting for its end.
fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolc"));
    environment(command.args(args), folder, &[]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("failed to start toolc")
}

fn complete_lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().matches('\n').count()
}

#[test]
fn a_run_that_is_killed_again_and_again_loses_and_doubles_no_task() {
    let folder = folder();
    let call = json!({ "name": "terminal", "arguments": { "command": "sleep 0.05; echo x" } });
    let model = script(
        folder.path(),
        "model",
        &[json!({ "calls": [call], "wait_ms": 50 }), json!({ "text": "Done.", "wait_ms": 50 })],
    );
    let tasks: Vec<String> =
        (0..24).map(|number| json!({ "id": format!("t{number}"), "prompt": "Go" }).to_string()).collect();
    std::fs::write(folder.path().join("tasks"), tasks.join("\n")).expect("failed to write");
    let out = folder.path().join("out");
    let args = ["batch", "tasks", "--out", "out", "--model", &model, "--jobs", "4"];
    for expected in [3, 9, 15] {
        let mut batch = start(folder.path(), &args);
        let started = Instant::now();
        while complete_lines(&out) < expected {
            assert!(started.elapsed() < LIMIT, "{expected} results are missing");
            assert!(batch.try_wait().expect("failed to look").is_none(), "it ended early");
            thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL.
        batch.kill().and_then(|()| batch.wait()).expect("failed to kill");
    }
    let before = complete_lines(&out);
    let run = run(folder.path(), &args, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.starts_with(&format!("24 tasks, {before} of them have already ended")), "{}", run.err);
    let lines = lines(&out);
    let ids: BTreeSet<&str> = lines.iter().map(|line| line["id"].as_str().expect("an id")).collect();
    assert_eq!((lines.len(), ids.len()), (24, 24));
    assert!(lines.iter().all(|line| line["outcome"] == "done" && line["requests"] == 2), "{lines:?}");
    // Each line is a conversation of its own.
    let sessions: BTreeSet<&str> = lines.iter().map(|line| line["session"].as_str().expect("a name")).collect();
    assert_eq!(sessions.len(), 24);
}

#[test]
fn two_runs_do_not_share_a_file_of_results() {
    let folder = folder();
    std::fs::write(folder.path().join("tasks"), "{\"prompt\":\"x\"}\n").expect("failed to write");
    let waiting = script(folder.path(), "waiting", &[json!({ "text": "never", "wait_ms": 600_000 })]);
    let args = ["batch", "tasks", "--out", "out", "--model", &waiting];
    let mut first = start(folder.path(), &args);
    let started = Instant::now();
    while !folder.path().join("home/state.db").exists() {
        assert!(started.elapsed() < LIMIT, "the task does not begin");
        thread::sleep(Duration::from_millis(5));
    }
    let second = run(folder.path(), &args, &[]);
    first.kill().and_then(|()| first.wait()).expect("failed to kill");
    assert_eq!(second.status, Some(2), "{}", second.err);
    assert!(second.err.contains("another run writes to out: wait for its end"), "{}", second.err);
}

#[test]
fn a_file_that_is_no_file_of_results_is_refused_and_stays_as_it_is() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "Done." })]);
    let path = |name: &str| folder.path().join(name);
    let tasks = "{\"id\":\"t1\",\"prompt\":\"x\"}\n";
    std::fs::write(path("tasks"), tasks).expect("failed to write");
    std::os::unix::fs::symlink(path("tasks"), path("link")).expect("failed to link");
    std::fs::hard_link(path("tasks"), path("hard")).expect("failed to link");
    std::fs::write(path("notes"), "one line of mine").expect("failed to write");
    for (out, problem) in [
        ("tasks", "is the file of tasks: choose another file for `--out`"),
        ("./link", "is the file of tasks"),
        ("hard", "is the file of tasks"),
        ("notes", "line 1 is not the result of a task. The file was not changed: use another file for `--out`"),
    ] {
        let refused = run(folder.path(), &["batch", "tasks", "--out", out, "--model", &model], &[]);
        assert_eq!(refused.status, Some(2), "{out}: {}", refused.err);
        assert!(refused.err.contains(problem), "{out}: {}", refused.err);
    }
    assert_eq!(std::fs::read_to_string(path("tasks")).expect("it exists"), tasks);
    assert_eq!(std::fs::read_to_string(path("notes")).expect("it exists"), "one line of mine");
    assert!(!path("home/state.db").exists());
}
