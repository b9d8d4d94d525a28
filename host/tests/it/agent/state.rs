//! What the model must not forget: after a summary, and when another run of the program continues the conversation.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc_test_support::LIMIT;

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script, toolc};
use crate::approval::terminal::InTerminal;

fn todos() -> Value {
    json!({ "todos": [
        { "id": "1", "content": "find the alpha", "status": "in_progress" },
        { "id": "2", "content": "make a plan", "status": "completed" },
    ] })
}

/// The state comes from the task, so a second summary has it, too, although the calls are no longer in the conversation.
#[test]
fn summaries_are_followed_by_what_is_open() {
    let vendor = &VENDORS[0];
    let folder = folder();
    let home = folder.path().join("home");
    fs::create_dir(&home).expect("failed to make a folder");
    fs::write(home.join("config.toml"), "[approval]\ntimeout = \"5s\"\n").expect("failed to write");
    let answer = |text: &str, calls| Reply::Events((vendor.answer)(text, calls));
    let too_long = || Reply::Status(400, "", vendor.overflow.to_owned());
    let read = json!({ "path": "a.txt" });
    let server = Server::start(vec![
        answer("First a plan.", &[("c1", "todo", todos())]),
        answer("", &[("c2", "terminal", json!({ "command": "echo begun; sleep 600", "background": true }))]),
        answer("", &[("c3", "terminal", json!({ "command": "rm -rf build" }))]),
        answer("", &[("c4", "terminal", json!({ "command": "rm -rf b.txt a.txt" }))]),
        answer("", &[("c5", "read_file", read.clone())]),
        answer("", &[("c6", "read_file", read.clone())]),
        answer("", &[("c7", "read_file", read.clone())]),
        too_long(),
        answer("SUMMARY 1", &[]),
        answer("", &[("c8", "read_file", read.clone())]),
        too_long(),
        answer("SUMMARY 2", &[]),
        answer("Done.", &[]),
    ]);
    let args = ["agent", "Find the alpha.", "--json", "--model", &format!("{}:m-1", vendor.api)];
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key"), ("NO_PROXY", "*")];
    let mut terminal = InTerminal::start_with(folder.path(), &args, "", &variables);
    // The first question is not answered in time.
    terminal.wait_for("no longer waits", 1);
    terminal.answer(2, "n");
    let ended = terminal.end();
    assert!(ended.status.success(), "{}\n{}", ended.shown, ended.out);
    assert!(folder.path().join("build/old").exists() && folder.path().join("b.txt").exists());
    let requests = server.requests();
    assert_eq!(requests.len(), 13, "{}", ended.out);
    for (request, summary) in [(&requests[9], "SUMMARY 1"), (&requests[12], "SUMMARY 2")] {
        let first = request["messages"].as_array().expect("messages")[1]["content"].as_str().expect("a text");
        assert!(first.contains(summary), "{first}");
        assert!(first.contains("- [in_progress] 1: find the alpha\n") && !first.contains("make a plan"), "{first}");
        assert!(first.contains("- proc_1: `echo begun; sleep 600`, since 20"), "{first}");
        let (_, approvals) = first.split_once("was not answered").expect("an open question");
        let (unanswered, denied) = approvals.split_once("not approved or were refused").expect("a denied call");
        assert!(unanswered.contains("rm -rf build") && !unanswered.contains("b.txt"), "{first}");
        assert!(denied.contains("rm -rf b.txt") && denied.contains("the user said no"), "{first}");
        assert!(!denied.contains("rm -rf build"), "{first}");
    }
    // The same file for the fourth time, which would be refused if its content were still in the conversation.
    let mut events = ended.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let last = events.rfind(|event| event["event"] == "call_ends").expect("a call");
    assert_eq!((&last["id"], &last["error"]), (&json!("c8"), &Value::Null), "{last}");
}

#[test]
fn a_resumed_conversation_has_its_list_and_knows_what_has_ended() {
    let vendor = &VENDORS[0];
    let folder = folder();
    let answer = |text: &str, calls| Reply::Events((vendor.answer)(text, calls));
    let server = Server::start(vec![
        answer("", &[("c1", "todo", todos())]),
        answer(
            "",
            &[
                ("c2", "terminal", json!({ "command": "sleep 600", "background": true })),
                ("c3", "terminal", json!({ "command": "sleep 0", "background": true })),
                ("c4", "terminal", json!({ "command": "rm -rf build" })),
            ],
        ),
        answer("", &[("c5", "process", json!({ "action": "wait", "session_id": "proc_2" }))]),
        answer("It runs.", &[]),
        answer("", &[("c6", "todo", json!({})), ("c7", "process", json!({ "action": "list" }))]),
        answer("I see.", &[]),
        answer("Yes.", &[]),
        Reply::Status(400, "", vendor.overflow.to_owned()),
        answer("SUMMARY", &[]),
        answer("Yes.", &[]),
    ]);
    let agent = |prompt: &str, more: &[&str]| {
        let model = format!("{}:m-1", vendor.api);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let run = run(folder.path(), &[&["agent", prompt, "--model", &model], more].concat(), &variables);
        assert_eq!(run.status, Some(0), "{}", run.err);
    };
    agent("Start it.", &[]);
    agent("Does it run?", &["--resume"]);
    agent("Really?", &["--resume"]);
    agent("Really, really?", &["--resume"]);
    let requests = server.requests();
    let last = |index: usize| {
        let messages = requests[index]["messages"].as_array().expect("messages");
        messages.last().expect("a message")["content"].as_str().expect("a text").to_owned()
    };
    let told = last(4);
    assert!(told.starts_with("[toolc was restarted") && told.ends_with("Does it run?"), "{told}");
    assert!(told.contains("the to-do list is kept") && told.contains("- proc_1: `sleep 600`, since"), "{told}");
    assert!(!told.contains("proc_2"), "it had ended before: {told}");
    let results = json!(requests[5]["messages"]).to_string();
    assert!(results.contains("find the alpha") && results.contains(r#"{\"processes\":[]}"#), "{results}");
    // Only the first message after a run names its processes.
    let again = last(6);
    assert!(again.contains("toolc was restarted") && !again.contains("proc_1"), "{again}");
    // What was denied in the first run is still known.
    let summary = requests[9]["messages"][1]["content"].as_str().expect("a text");
    assert!(summary.contains("SUMMARY") && summary.contains("rm -rf build"), "{summary}");
}

#[test]
fn a_host_that_was_killed_leaves_the_list_and_the_names_of_its_processes() {
    let folder = folder();
    let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });
    let background = json!({ "command": "sleep 600", "background": true });
    let waiting = script(
        folder.path(),
        "waiting",
        &[
            json!({ "calls": [call("todo", todos()), call("terminal", background)] }),
            json!({ "text": "never", "wait_ms": 600_000 }),
        ],
    );
    let mut host = toolc(folder.path(), &["agent", "Start it.", "--json", "--model", &waiting], &[]);
    let mut host = host.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("failed to start");
    // The second request is sent when the state has been recorded.
    let out = std::io::BufReader::new(host.stdout.take().expect("a pipe"));
    let mut events = std::io::BufRead::lines(out).map(|line| line.expect("it is text"));
    assert!(events.any(|line| line.contains(r#""event":"request","number":2"#)), "it ended early");
    let id = fs::read_dir("/proc").expect("it can be read").find_map(|entry| {
        let entry = entry.expect("it can be read").path();
        let line = fs::read(entry.join("cmdline")).unwrap_or_default();
        let is_host = line.starts_with(env!("CARGO_BIN_EXE_toolc").as_bytes());
        let is_here = fs::read_link(entry.join("cwd")).is_ok_and(|cwd| cwd == folder.path().canonicalize().expect("x"));
        (is_host && is_here).then(|| entry.file_name().expect("a name").to_string_lossy().into_owned())
    });
    toolc_test_support::send_signal("KILL", id.and_then(|id| id.parse().ok()).expect("the host runs"));
    let started = Instant::now();
    while host.try_wait().expect("failed to wait").is_none() {
        assert!(started.elapsed() < LIMIT, "the host still runs");
        thread::sleep(Duration::from_millis(10));
    }
    let vendor = &VENDORS[0];
    let server = Server::start(vec![
        Reply::Events((vendor.answer)("", &[("c1", "todo", json!({}))])),
        Reply::Events((vendor.answer)("Yes.", &[])),
    ]);
    let model = format!("{}:m-1", vendor.api);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let run = run(folder.path(), &["agent", "Go on.", "--model", &model, "--resume"], &variables);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let conversation = json!(server.requests().last().expect("a request")["messages"]).to_string();
    for text in ["proc_1: `sleep 600`", "find the alpha", "make a plan"] {
        assert!(conversation.contains(text), "{text}: {conversation}");
    }
}
