//! What is left of helpers that are stopped.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use toolc_test_support::{programs, wait_until};

use super::{agent, call, configure, delegate, of, results, text};
use crate::agent::{folder, outcome, script, toolc};

/// Returns how many processes run whose command lines contain a text.
fn running(text: &str) -> usize {
    let ids = fs::read_dir("/proc").expect("Linux has `/proc`");
    let lines = ids.filter_map(|id| fs::read(id.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(text)).count()
}

/// Returns ten tasks, and the answers of their helpers, each of which starts a process in the foreground and one in the background.
fn ten_that_sleep(seconds: u32) -> (Value, Vec<Value>) {
    let tasks: Vec<Value> = (0..10).map(|number| json!({ "goal": format!("Sleeper {number}.") })).collect();
    let sleep = |background: bool| json!({ "name": "terminal", "arguments": { "command": format!("sleep {seconds}"), "background": background } });
    let answers =
        vec![of("Sleeper", json!({ "calls": [sleep(true)] })), of("Sleeper", json!({ "calls": [sleep(false)] }))];
    (tasks.into(), answers)
}

#[test]
fn ten_helpers_that_are_stopped_leave_no_process_no_slot_and_no_request() {
    if !programs::has("pgrep") {
        return;
    }
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nat_once = 10\n");
    // A time that no other test has.
    let seconds = 7_000_000 + std::process::id() % 1_000_000;
    let (tasks, of_helpers) = ten_that_sleep(seconds);
    let pattern = format!("sleep {seconds}");
    let waiting =
        format!("n=0; while [ $n -lt 20 ]; do n=$(pgrep -fxc 'sleep {seconds}'); /bin/sleep 0.05; done; echo $n");
    let look = call("terminal", json!({ "command": waiting }));
    let look_again = call("terminal", json!({ "command": format!("pgrep -fxc 'sleep {seconds}'; true") }));
    let mut answers = vec![
        delegate(json!({ "tasks": tasks, "background": true })),
        look,
        delegate(json!({ "action": "stop" })),
        look_again,
        delegate(json!({ "action": "list" })),
        delegate(json!({ "tasks": (0..10).map(|_| json!({ "goal": "Awake." })).collect::<Vec<_>>() })),
        text("Done."),
        of("Awake", text("Here.")),
    ];
    answers.extend(of_helpers);
    // 7 of the conversation, 20 of the helpers that are stopped, 10 of those after them.
    let run = agent(folder.path(), &answers, &["--max-iterations", "37"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let results = results(&run);
    assert_eq!(results[1]["output"].as_str().map(str::trim), Some("20"), "all of them run: {}", results[1]);
    let stopped = results[2]["helpers"].as_array().expect("helpers");
    assert_eq!(stopped.iter().filter(|helper| helper["status"] == "stopped").count(), 10, "{results:?}");
    assert_eq!(results[3]["output"].as_str().map(str::trim), Some("0"), "no process is left: {}", results[3]);
    assert_eq!(results[4], json!({ "helpers": [] }));
    let awake = results[5]["helpers"].as_array().expect("helpers");
    assert_eq!(awake.iter().filter(|helper| helper["status"] == "done").count(), 10, "{}", results[5]);
    assert_eq!(running(&pattern), 0);
    // A helper is not a conversation of the user.
    let sessions = crate::agent::run(folder.path(), &["sessions", "list", "--json"], &[]);
    assert_eq!(sessions.out.matches("\"source\"").count(), 1, "{}", sessions.out);
}

#[test]
fn ctrl_c_ends_helpers_with_the_call_or_with_the_program() {
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nat_once = 10\n");
    for (round, presses) in [1, 2].into_iter().enumerate() {
        let seconds = 8_000_000 + std::process::id() % 1_000_000 * 2 + u32::try_from(round).expect("it is small");
        let pattern = format!("sleep {seconds}");
        let (tasks, of_helpers) = ten_that_sleep(seconds);
        let after = json!({ "text": "You stopped them.", "wait_ms": if presses == 1 { 0 } else { 600_000 } });
        let mut answers = vec![delegate(json!({ "tasks": tasks })), after];
        answers.extend(of_helpers);
        let model = script(folder.path(), "model", &answers);
        let mut host = toolc(folder.path(), &["agent", "Begin.", "--json", "--model", &model], &[]);
        let host = host.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("failed to start");
        wait_until("the commands run", || running(&pattern) >= 20);
        let here = folder.path().canonicalize().expect("it exists");
        let id = fs::read_dir("/proc").expect("Linux has `/proc`").find_map(|entry| {
            let entry = entry.expect("it can be read").path();
            let line = fs::read(entry.join("cmdline")).unwrap_or_default();
            let is_host = line.starts_with(env!("CARGO_BIN_EXE_toolc").as_bytes());
            let is_here = fs::read_link(entry.join("cwd")).is_ok_and(|cwd| cwd == here);
            (is_host && is_here).then(|| entry.file_name().expect("a name").to_string_lossy().into_owned())
        });
        let id = id.expect("the host runs");
        for press in 0..presses {
            toolc_test_support::send_signal("INT", id.parse().expect("a number"));
            if press == 0 {
                wait_until("the commands have ended", || running(&pattern) == 0);
            }
        }
        let run = outcome(&host.wait_with_output().expect("failed to wait"));
        assert_eq!(run.status, Some(if presses == 1 { 0 } else { 130 }), "{}", run.err);
        assert!(run.out.contains("cancelled"), "{}", run.out);
        assert_eq!(running(&pattern), 0);
    }
}
