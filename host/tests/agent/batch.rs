//! `toolc batch`: toolsets by a distribution, several tasks at once, and going on after a stop.

use std::path::Path;

use serde_json::{Value, json};

use crate::{folder, run, script};

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
    let drawn: std::collections::BTreeSet<String> = one.iter().map(|line| line["toolsets"].to_string()).collect();
    assert!(drawn.len() > 2, "{drawn:?}");
    // A task without the toolset of a tool cannot call it.
    let without = one.iter().find(|line| !line["toolsets"].to_string().contains("file")).expect("some draw no files");
    assert_eq!(without["steps"][3]["error"], "unknown_tool");

    // What has ended is not run again; what was cut off is.
    let path = folder.path().join("one");
    let text = std::fs::read_to_string(&path).expect("it exists");
    let cut = text.lines().take(5).chain(["{\"id\":\"t5\",\"outc"]).collect::<Vec<_>>().join("\n");
    std::fs::write(&path, cut).expect("failed to write");
    assert!(batch("one", "2").starts_with("20 tasks, 5 of them have ended before"));
    assert_eq!(lines(&path).len(), 20);
    assert!(batch("one", "2").starts_with("20 tasks, 20 of them have ended before"));
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
