//! Helpers: what `delegate_task` does for the model, what helpers cannot do, and what is left when they are stopped.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use toolc_test_support::{programs, wait_until};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{Run, folder, outcome, run, script, toolc};
use crate::approval::terminal::InTerminal;

fn call(tool: &str, arguments: Value) -> Value {
    let call: Value = [("name", Value::from(tool)), ("arguments", arguments)].into_iter().collect();
    json!({ "calls": [call] })
}

fn delegate(arguments: Value) -> Value {
    call("delegate_task", arguments)
}

/// Returns an answer for conversations whose first message contains a text.
fn of(first: &str, mut answer: Value) -> Value {
    answer["for"] = first.into();
    answer
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// Runs `toolc agent` with a script.
fn agent(folder: &Path, answers: &[Value], args: &[&str]) -> Run {
    let model = script(folder, "model", answers);
    run(folder, &[&["agent", "Begin.", "--json", "--model", &model], args].concat(), &[])
}

fn configure(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("home")).expect("failed to make a folder");
    fs::write(folder.join("home/config.toml"), text).expect("failed to write");
}

/// Returns the results of the calls of the conversation itself.
fn results(run: &Run) -> Vec<Value> {
    let ended = run.events().into_iter().filter(|event| event["event"] == "call_ends");
    ended.map(|event| serde_json::from_str(event["json"].as_str().expect("a text")).expect("it is JSON")).collect()
}

/// Returns the events of helpers, without times.
fn events_of_helpers(run: &Run) -> String {
    let mut lines = String::new();
    for mut event in run.events() {
        if event["event"].as_str().is_some_and(|name| name.starts_with("helper_")) {
            event.as_object_mut().expect("an object").remove("milliseconds");
            lines += &format!("{event}\n");
        }
    }
    lines
}

fn without_times(value: &Value) -> Value {
    let mut value = value.clone();
    for helper in value["helpers"].as_array_mut().into_iter().flatten() {
        helper.as_object_mut().expect("an object").remove("seconds");
    }
    value
}

/// The conversation of the parent and that of the helper, as the server sees them.
#[test]
fn a_helper_has_a_conversation_of_its_own_and_returns_a_summary() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = |text: &str, calls| Reply::Events((vendor.answer)(text, calls));
        let goal = json!({ "goal": "Count the lines of b.txt.", "context": "It is a small file." });
        let server = Server::start(vec![
            answer("A helper counts.", &[("c1", "delegate_task", goal)]),
            answer("", &[("h1", "read_file", json!({ "path": "b.txt" }))]),
            answer("b.txt has 3 lines.", &[]),
            answer("It has three.", &[]),
        ]);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let run = run(folder.path(), &["agent", "Begin.", "--model", &format!("{}:m-1", vendor.api)], &variables);
        assert_eq!((run.status, &*run.out), (Some(0), "It has three.\n"), "{}", run.err);
        let requests = server.requests();
        assert_eq!(requests.len(), 4);
        let of_helper = requests[1][vendor.conversation].to_string();
        assert!(of_helper.contains("Count the lines") && !of_helper.contains("Begin."), "{}: {of_helper}", vendor.api);
        let of_parent = requests[3][vendor.conversation].to_string();
        assert!(of_parent.contains("b.txt has 3 lines.") && !of_parent.contains("beta"), "{}: {of_parent}", vendor.api);
        // Without Python, there is no `execute_code`.
        if vendor.api == "chat" && programs::has("python3") {
            insta::assert_snapshot!(transcript(&requests, &run.err));
        }
    }
}

/// Returns the tools and the last messages of each request of Chat Completions.
fn transcript(requests: &[Value], err: &str) -> String {
    let mut text = String::new();
    for (number, request) in (1..).zip(requests) {
        let tools = request["tools"].as_array().expect("tools").iter();
        let tools: Vec<&str> = tools.map(|tool| tool["function"]["name"].as_str().expect("a name")).collect();
        text += &format!("--- request {number}, with {}\n", tools.join(" "));
        let mut messages = request["messages"].as_array().expect("messages").clone();
        let system = messages.remove(0);
        let system = system["content"].as_str().expect("a text");
        if let Some(at) = system.find("You are a helper") {
            text += &format!("[the instructions end with] {}\n", &system[at..]);
        }
        for message in &messages {
            text += &format!("{message}\n");
        }
    }
    let text = format!("{text}--- standard error\n{err}");
    let mut normal = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("seconds\\\":") {
        normal += &format!("{before}seconds\\\":0");
        rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    }
    normal + rest
}

#[test]
fn tasks_are_worked_on_at_the_same_time_and_answered_in_their_order() {
    let folder = folder();
    let wait =
        |first: &str, wait_ms: u64| of(first, json!({ "text": format!("{first} is done."), "wait_ms": wait_ms }));
    let answers = [
        delegate(
            json!({ "context": "A project.", "tasks": [{ "goal": "Task A" }, { "goal": "Task B", "context": "For B." }] }),
        ),
        text("Both are done."),
        wait("Task A", 400),
        of(
            "Task B",
            json!({ "calls": [{ "name": "read_file", "arguments": { "path": "b.txt" } }], "usage": { "input": 5, "output": 1 } }),
        ),
        wait("Task B", 0),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let events = run.events();
    let ends = events.last().expect("an event");
    assert_eq!((&ends["text"], &ends["tokens"]["input"]), (&json!("Both are done."), &json!(5)), "{ends}");
    let ended: Vec<&Value> = events.iter().filter(|event| event["event"] == "helper_ends").collect();
    assert_eq!([&ended[0]["helper"], &ended[1]["helper"]], ["helper_2", "helper_1"], "the second one is faster");
    let progress = events.iter().filter(|event| event["event"] == "progress");
    let done: Vec<&Value> = progress.map(|event| &event["done"]).collect();
    assert!(done.contains(&&json!(1.0)) && done.contains(&&json!(2.0)), "{done:?}");
    insta::assert_snapshot!(serde_json::to_string_pretty(&without_times(&results(&run)[0])).expect("it is JSON"));
}

#[test]
fn each_kind_of_bad_input_is_an_error_that_says_what_to_do() {
    let cases = [
        (json!({}), "expected either goal or tasks, got neither"),
        (json!({ "goal": "a", "tasks": [{ "goal": "b" }] }), "expected either goal or tasks, got both"),
        (json!({ "goal": "  " }), "`/goal`: expected the goal of the helper"),
        (json!({ "goal": "" }), "goal"),
        (json!({ "tasks": [] }), "tasks"),
        (json!({ "tasks": [{ "context": "no goal" }] }), "goal"),
        (json!({ "tasks": [{ "goal": "a" }, { "goal": " " }] }), "`/tasks/1/goal`"),
        (json!({ "tasks": vec![json!({ "goal": "a" }); 11] }), "10"),
        (json!({ "goal": "a", "role": "boss" }), "orchestrator"),
        (json!({ "goal": "a", "message": "b" }), "use steer"),
        (json!({ "goal": "a", "output_schema": { "type": "words" } }), "`/output_schema`: expected a JSON Schema"),
        (json!({ "tasks": [{ "goal": "a", "output_schema": { "$ref": "#/x" } }] }), "`/tasks/0/output_schema`"),
        (json!({ "action": "begin", "goal": "a" }), "spawn"),
        (json!({ "action": "list", "goal": "a" }), "belong to the action spawn, not to list"),
        (json!({ "action": "read", "helper_id": "helper_9" }), "there is no helper `helper_9`"),
        (json!({ "action": "stop", "helper_id": "helper_9" }), "there are none"),
        (json!({ "action": "steer", "message": "a" }), "`/helper_id`"),
        (json!({ "action": "steer", "helper_id": "helper_9" }), "`/message`"),
        (json!({ "action": "steer", "helper_id": "helper_9", "message": "a" }), "there is no helper"),
        (json!({ "goal": "a", "model": "large" }), "model"),
    ];
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nlevels = 2\n");
    let mut answers: Vec<Value> = cases.iter().map(|(arguments, _)| delegate(arguments.clone())).collect();
    answers.push(text("I give up."));
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let results = results(&run);
    assert_eq!(results.len(), cases.len());
    for ((arguments, message), result) in cases.iter().zip(&results) {
        assert!(result["error"].is_string() && result.to_string().contains(message), "{arguments}: {result}");
    }
    assert_eq!(events_of_helpers(&run), "", "no helper begins");
}

/// Each tool that helpers do not have, by its name, by other spellings, through tool search, and from a script.
#[test]
fn a_helper_cannot_use_what_it_does_not_have_in_any_way() {
    // Without Python, there is no `execute_code`.
    if !programs::has("python3") {
        return;
    }
    let vendor = &VENDORS[0];
    let folder = folder();
    let answer = |text: &str, calls| Reply::Events((vendor.answer)(text, calls));
    let blocked = [
        ("memory", json!({ "target": "memory", "action": "add", "content": "A helper was here." })),
        ("clarify", json!({ "questions": [{ "question": "May I?" }] })),
        ("execute_code", json!({ "code": "open('made', 'w')" })),
        ("delegate_task", json!({ "goal": "Below." })),
        ("kanban_complete", json!({ "task_id": "t1", "summary": "Done." })),
        ("cronjob", json!({ "action": "list" })),
        ("send_message", json!({ "message": "Hello" })),
    ];
    let mut calls: Vec<(String, Value)> = Vec::new();
    for (name, arguments) in &blocked {
        calls.push(((*name).to_owned(), arguments.clone()));
        for other in
            [name.to_uppercase(), name.replace('_', "-"), format!("functions.{name}"), format!("tools__{name}")]
        {
            calls.push((other, arguments.clone()));
        }
        calls.push(("tool_call".to_owned(), json!({ "calls": [{ "name": name, "arguments": arguments }] })));
    }
    let script = "from toolc_tools import memory; memory(target='memory', action='add', content='x')";
    calls.push(("execute_code".to_owned(), json!({ "code": script })));
    let ids: Vec<String> = (0..calls.len()).map(|number| format!("h{number}")).collect();
    let calls: Vec<(&str, &str, Value)> =
        ids.iter().zip(&calls).map(|(id, (name, arguments))| (id.as_str(), name.as_str(), arguments.clone())).collect();
    let server = Server::start(vec![
        answer("", &[("c1", "delegate_task", json!({ "goal": "Try everything." }))]),
        answer("", &calls),
        answer("Nothing works.", &[]),
        answer("I see.", &[]),
    ]);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let run =
        run(folder.path(), &["agent", "Begin.", "--json", "--model", "chat:m-1", "--enable", "cli,kanban"], &variables);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let requests = server.requests();
    let tools = |request: &Value| request["tools"].to_string();
    for (name, _) in &blocked[..6] {
        let shown = format!("\"name\":\"{name}\"");
        assert!(tools(&requests[0]).contains(&shown) && !tools(&requests[1]).contains(&shown), "{name}");
    }
    let messages = requests[2]["messages"].as_array().expect("messages");
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().expect("a text"))
        .collect();
    assert_eq!(results.len(), calls.len());
    for ((_, name, _), result) in calls.iter().zip(results) {
        let result: Value = serde_json::from_str(result).expect("it is JSON");
        assert_eq!(result["kind"], "unknown_tool", "{name}: {result}");
    }
    assert!(!folder.path().join("made").exists() && !folder.path().join("home/memories/MEMORY.md").exists());
    // The tools of the parent are not limited.
    assert!(tools(&requests[3]).contains("\"name\":\"memory\""));
}

#[test]
fn an_orchestrator_has_helpers_and_these_have_none() {
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nlevels = 2\n");
    let answers = [
        delegate(json!({ "goal": "Level one", "role": "orchestrator" })),
        text("Done."),
        // A helper of level one can only have leaves.
        of("Level one", delegate(json!({ "goal": "Level two", "role": "orchestrator" }))),
        of("Level one", delegate(json!({ "goal": "Level two" }))),
        of("Level one", text("Level two said: nothing below.")),
        of("Level two", delegate(json!({ "goal": "Level three" }))),
        of("Level two", text("Nothing below.")),
        of("Level three", text("This must not happen.")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    insta::assert_snapshot!(events_of_helpers(&run));
    assert_eq!(results(&run)[0]["helpers"][0]["summary"], "Level two said: nothing below.");
}

#[test]
fn the_configuration_limits_levels_and_the_texts_follow_it() {
    let vendor = &VENDORS[0];
    for (levels, at_once) in [(0, 3), (1, 2), (2, 10)] {
        let folder = folder();
        configure(
            folder.path(),
            &format!("[agent.helpers]\nlevels = {levels}\nat_once = {at_once}\n[facts]\nhelper_levels = 9\n"),
        );
        let orchestrator = json!({ "goal": "x", "role": "orchestrator" });
        let mut replies = vec![Reply::Events((vendor.answer)("", &[("c1", "delegate_task", orchestrator)]))];
        if levels == 2 {
            replies.push(Reply::Events((vendor.answer)("Summary.", &[])));
        }
        replies.push(Reply::Events((vendor.answer)("Done.", &[])));
        let server = Server::start(replies);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let run = run(folder.path(), &["agent", "Begin.", "--json", "--model", "chat:m-1"], &variables);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let request = server.requests().swap_remove(0);
        let tools = request["tools"].as_array().expect("tools");
        let tool = tools.iter().find(|tool| tool["function"]["name"] == "delegate_task");
        assert_eq!(tool.is_some(), levels > 0);
        if let Some(tool) = tool {
            let shown = tool.to_string();
            assert!(shown.contains(&format!("at most {at_once} work at the same time")), "{shown}");
            assert_eq!(shown.contains("which is not possible here"), levels < 2, "{shown}");
        }
        assert_eq!(results(&run)[0]["error"].is_string(), levels < 2, "{:?}", results(&run));
    }
}

#[test]
fn output_matches_the_schema_at_once_or_after_a_retry_or_not_at_all() {
    let folder = folder();
    let schema = json!({ "type": "object", "required": ["lines"], "properties": { "lines": { "type": "integer" } } });
    let answers = [
        delegate(
            json!({ "output_schema": schema, "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B" }, { "goal": "Goal C" }] }),
        ),
        text("Done."),
        of("Goal A", text("```json\n{\"lines\": 3}\n```")),
        of("Goal B", text("Three lines.")),
        of("Goal B", text("{\"lines\": 3}")),
        of("Goal C", text("Three lines.")),
        of("Goal C", text("{\"lines\": \"three\"}")),
        of("Goal C", text("{\"lines\": 3}")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    insta::assert_snapshot!(serde_json::to_string_pretty(&without_times(&results(&run)[0])).expect("it is JSON"));
}

#[test]
fn helpers_in_the_background_are_listed_steered_and_read_once() {
    let folder = folder();
    let wait = call("terminal", json!({ "command": "while [ ! -e go ]; do sleep 0.05; done" }));
    let answers = [
        delegate(json!({ "background": true, "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B" }] })),
        delegate(json!({ "action": "read", "helper_id": "helper_2", "wait": true })),
        delegate(json!({ "action": "list" })),
        delegate(json!({ "action": "steer", "helper_id": "helper_1", "message": "Say please." })),
        call("write_file", json!({ "path": "go", "content": "" })),
        delegate(json!({ "action": "read", "wait": true })),
        delegate(json!({ "action": "read", "helper_id": "helper_1" })),
        delegate(json!({ "action": "list" })),
        text("Done."),
        of("Goal A", wait),
        of("Goal A", text("Please.")),
        of("Goal B", text("B.")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let results = results(&run);
    let statuses = |at: usize| -> Vec<String> {
        let helpers = results[at]["helpers"].as_array().expect("helpers").iter();
        helpers
            .map(|helper| {
                format!("{} {}", helper["helper_id"].as_str().unwrap_or(""), helper["status"].as_str().unwrap_or(""))
            })
            .collect()
    };
    // The second helper can have ended already on a busy machine; the first one waits for the file.
    let begun = statuses(0);
    assert!(begun.len() == 2 && ["helper_1 waiting", "helper_1 running"].contains(&&*begun[0]), "{results:?}");
    assert_eq!((statuses(1), &results[1]["helpers"][0]["summary"]), (vec!["helper_2 done".to_owned()], &json!("B.")));
    assert_eq!(statuses(2), ["helper_1 running"]);
    assert_eq!(statuses(3), ["helper_1 running"]);
    assert_eq!(
        (statuses(5), &results[5]["helpers"][0]["summary"]),
        (vec!["helper_1 done".to_owned()], &json!("Please."))
    );
    assert!(results[6]["error"].as_str().is_some_and(|error| error.contains("already read")), "{results:?}");
    assert_eq!(statuses(7), [""; 0]);
}

#[test]
fn of_two_calls_that_wait_for_a_helper_one_gets_its_result() {
    let folder = folder();
    let read = |arguments: Value| json!({ "name": "delegate_task", "arguments": arguments });
    let by_name = json!({ "action": "read", "helper_id": "helper_1", "wait": true });
    let all = json!({ "action": "read", "wait": true });
    let answers = [
        delegate(json!({ "background": true, "goal": "Goal A" })),
        json!({ "calls": [read(by_name.clone()), read(by_name), read(all.clone()), read(all)] }),
        text("Done."),
        of("Goal A", json!({ "text": "Found it.", "wait_ms": 500 })),
    ];
    let ended = agent(folder.path(), &answers, &[]);
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    let all: Vec<String> = results(&ended)[1..].iter().map(Value::to_string).collect();
    assert_eq!((all.len(), all.concat().matches("Found it.").count()), (4, 1), "{all:?}");
    // What has been read is not announced.
    let recorded = run(folder.path(), &["sessions", "export"], &[]).out;
    assert!(recorded.contains("Found it.") && !recorded.contains("has ended: done. Read its"), "{recorded}");
}

/// Also if the helper makes no call after it.
#[test]
fn a_message_to_a_helper_is_part_of_its_conversation() {
    let vendor = &VENDORS[0];
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nmodel = \"auxiliary\"\n");
    let steer = json!({ "action": "steer", "helper_id": "helper_1", "message": "In French, please." });
    let greet = json!({ "goal": "Greet.", "background": true });
    let calls =
        json!([{ "name": "delegate_task", "arguments": greet }, { "name": "delegate_task", "arguments": steer }]);
    // Both calls run at once, before the thread of the helper has asked its model, or soon after.
    let answers = [json!({ "calls": calls }), delegate(json!({ "action": "read", "wait": true })), text("Done.")];
    let server = Server::start(vec![
        Reply::Events((vendor.answer)("", &[("h1", "terminal", json!({ "command": "sleep 0.5" }))])),
        Reply::Events((vendor.answer)("Bonjour.", &[])),
    ]);
    let model = script(folder.path(), "model", &answers);
    let args = ["agent", "Begin.", "--json", "--model", &model, "--auxiliary-model", "chat:m-1"];
    let run = run(folder.path(), &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_eq!(results(&run)[2]["helpers"][0]["summary"], "Bonjour.");
    let last = server.requests().pop().expect("a request")["messages"].to_string();
    assert!(last.contains("A message of the agent that gave you the task: In French, please."), "{last}");
}

#[test]
fn the_results_of_the_background_reach_a_model_that_forgets_them() {
    let folder = folder();
    let answers = [
        delegate(json!({ "goal": "Goal A", "background": true })),
        text("I am done."),
        text("A says: found it."),
        of("Goal A", json!({ "text": "Found it.", "wait_ms": 300 })),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let events = run.events();
    assert_eq!(events.last().expect("an event")["text"], "A says: found it.");
    assert_eq!(events.last().expect("an event")["requests"], 3);
}

#[test]
fn results_that_were_not_read_outlast_the_run() {
    let folder = folder();
    let answers = [
        delegate(json!({ "background": true, "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B" }] })),
        // B still runs when the model fails.
        delegate(json!({ "action": "read", "helper_id": "helper_3", "wait": true })),
        json!({ "error": "the model is gone", "wait_ms": 1000 }),
        of("Goal A", text("Found it.")),
        of("Goal B", json!({ "text": "Too late.", "wait_ms": 600_000 })),
    ];
    let first = agent(folder.path(), &answers, &[]);
    assert_eq!(first.status, Some(2), "{}", first.err);
    let answers = [delegate(json!({ "action": "read" })), text("I know.")];
    let again = agent(folder.path(), &answers, &["--resume"]);
    assert_eq!(again.status, Some(0), "{}", again.err);
    let result = &results(&again)[0];
    assert_eq!(result["helpers"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(
        (&result["helpers"][0]["helper_id"], &result["helpers"][0]["summary"]),
        (&json!("helper_1"), &json!("Found it."))
    );
}

#[test]
fn helpers_share_the_requests_of_their_parent_and_leave_it_the_last_one() {
    let folder = folder();
    let read = |first: &str| of(first, call("read_file", json!({ "path": "a.txt" })));
    let mut answers = vec![delegate(json!({ "goal": "Goal A" })), text("I have what it found.")];
    answers.extend((0..9).map(|_| read("Goal A")));
    let run = agent(folder.path(), &answers, &["--max-iterations", "5"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let helper = &results(&run)[0]["helpers"][0];
    assert_eq!((&helper["status"], &helper["requests"]), (&json!("out_of_budget"), &json!(3)), "{helper}");
    assert_eq!(run.events().last().expect("an event")["requests"], 2);
    configure(folder.path(), "[agent.helpers]\nmax_iterations = 2\n");
    let run = agent(folder.path(), &answers, &["--max-iterations", "5"]);
    assert_eq!(results(&run)[0]["helpers"][0]["requests"], 2, "{}", run.err);
}

#[test]
fn helpers_can_have_the_auxiliary_model() {
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nmodel = \"auxiliary\"\n");
    let auxiliary = script(folder.path(), "auxiliary", &[text("I am the small one.")]);
    let answers = [delegate(json!({ "goal": "Say who you are." })), text("Done.")];
    let run = agent(folder.path(), &answers, &["--auxiliary-model", &auxiliary]);
    assert_eq!(results(&run)[0]["helpers"][0]["summary"], "I am the small one.", "{}", run.err);
}

#[test]
fn a_call_of_a_helper_is_approved_by_the_person_or_not_at_all() {
    let remove = call("terminal", json!({ "command": "rm -rf build" }));
    let answers = [
        delegate(json!({ "goal": "Goal A" })),
        text("Done."),
        of("Goal A", remove.clone()),
        of("Goal A", text("Tried.")),
    ];
    // Without a person.
    let folder = folder();
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let helper = &results(&run)[0]["helpers"][0];
    assert!(helper["not_approved"][0].as_str().is_some_and(|call| call.contains("rm -rf build")), "{helper}");
    assert!(folder.path().join("build/old").exists());
    // In the background, a person is not asked.
    let mut background = answers.to_vec();
    background[0] = delegate(json!({ "goal": "Goal A", "background": true }));
    background[1] = delegate(json!({ "action": "read", "wait": true }));
    background.insert(2, text("Done."));
    let model = script(folder.path(), "model", &background);
    let args = ["agent", "Begin.", "--json", "--model", &model];
    let ended = InTerminal::start(folder.path(), &args, "").end();
    assert!(ended.out.contains("not_approved") && folder.path().join("build/old").exists(), "{}", ended.out);
    // The person says yes.
    let model = script(folder.path(), "model", &answers);
    let args = ["agent", "Begin.", "--json", "--model", &model];
    let mut terminal = InTerminal::start(folder.path(), &args, "");
    terminal.answer(1, "y");
    let ended = terminal.end();
    assert!(ended.status.success() && !folder.path().join("build").exists(), "{}", ended.shown);
}

#[test]
fn a_helper_cannot_start_another_agent_in_its_shell() {
    let folder = folder();
    let commands = [
        "toolc agent x --model script:model",
        "toolc batch tasks --out out",
        "toolc call memory target=memory action=add content=x",
        "toolc call execute_code code=1",
        "sh -c 'toolc agent x'",
    ];
    let calls: Vec<Value> =
        commands.iter().map(|command| json!({ "name": "terminal", "arguments": { "command": command } })).collect();
    let answers = [
        delegate(json!({ "goal": "Goal A" })),
        text("Done."),
        of("Goal A", json!({ "calls": calls })),
        of("Goal A", text("Tried.")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let helper = &results(&run)[0]["helpers"][0];
    assert_eq!(helper["not_approved"].as_array().map(Vec::len), Some(commands.len()), "{helper}");
}

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

/// What a call of `delegate_task` does in a conversation with one set of tools.
struct Narrowing {
    config: &'static str,
    options: &'static [&'static str],
    arguments: Value,
    /// The tools of each helper, by a word of its goal, or what the refusal says.
    outcome: Result<Vec<(&'static str, &'static str)>, &'static [&'static str]>,
}

/// Returns the outcome of the call of a case, in the form of [`Narrowing::outcome`].
fn narrowed(case: &Narrowing) -> Result<Vec<(String, String)>, String> {
    let vendor = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is listed");
    let helpers = case.outcome.as_ref().map_or(0, Vec::len);
    let folder = folder();
    configure(folder.path(), case.config);
    let mut replies = vec![Reply::Events((vendor.answer)("", &[("c1", "delegate_task", case.arguments.clone())]))];
    replies.extend((0..=helpers).map(|_| Reply::Events((vendor.answer)("Done.", &[]))));
    let server = Server::start(replies);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let args = ["agent", "Begin.", "--json", "--model", "chat:m-1"];
    let run = run(folder.path(), &[&args, case.options].concat(), &variables);
    assert_eq!(run.status, Some(0), "{} {}", case.arguments, run.err);
    let result = results(&run).remove(0);
    if let Some(error) = result["error"].as_str() {
        return Err(error.to_owned());
    }
    let mut seen = Vec::new();
    for request in server.requests() {
        let first = request["messages"][1]["content"].to_string();
        let Some(goal) = ["Goal A", "Goal B"].into_iter().find(|goal| first.contains(goal)) else { continue };
        let tools = request["tools"].as_array().into_iter().flatten();
        let tools: Vec<&str> = tools.map(|tool| tool["function"]["name"].as_str().expect("a name")).collect();
        seen.push((goal.to_owned(), tools.join(" ")));
    }
    seen.sort();
    Ok(seen)
}

const LEVELS: &str = "[agent.helpers]\nlevels = 2\n";
const FILES: &str = "patch read_file search_files write_file";
const ALL_OF_HELPERS: &str = "patch process read_file search_files session_search terminal todo write_file";

fn goal_a(toolsets: &Value) -> Value {
    json!({ "goal": "Goal A", "toolsets": toolsets })
}

fn narrowings() -> Vec<Narrowing> {
    let case = |config, options, arguments, outcome| Narrowing { config, options, arguments, outcome };
    let one = |toolsets: Value, tools: &'static str| case("", &[][..], goal_a(&toolsets), Ok(vec![("Goal A", tools)]));
    let no = |toolsets: Value, texts| case("", &[][..], goal_a(&toolsets), Err(texts));
    vec![
        case("", &[], json!({ "goal": "Goal A" }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        one(json!(["file"]), FILES),
        one(json!(["todo", "file", "todo"]), "patch read_file search_files todo write_file"),
        // The reader makes a list of a single text.
        one(json!("terminal"), "process terminal"),
        one(json!("[\"terminal\"]"), "process terminal"),
        // A composite and a preset whose tools the parent has, without those that helpers never have.
        one(json!(["debugging"]), "patch process read_file search_files terminal write_file"),
        one(json!(["cli"]), ALL_OF_HELPERS),
        no(json!(["kanban"]), &["`/toolsets/0`", "`kanban`, which has tools that you do not have", "file", "terminal"]),
        no(json!(["file", "kanban"]), &["`/toolsets/1`", "`kanban`"]),
        no(json!(["all"]), &["`all`, which is not a toolset"]),
        no(json!(["*"]), &["`*`, which is not a toolset"]),
        no(json!(["mcp-files"]), &["`mcp-files`, which is not a toolset"]),
        no(json!(["flie"]), &["`flie`", "did you mean `file`"]),
        no(json!([" file"]), &["` file`"]),
        no(json!(["read_file"]), &["`read_file`, which is not a toolset"]),
        no(json!(["file,terminal"]), &["`file,terminal`"]),
        no(json!(["memory"]), &["no tool that a helper can have"]),
        no(json!(["delegation"]), &["no tool that a helper can have"]),
        no(json!([]), &["toolsets"]),
        no(json!([""]), &["toolsets"]),
        no(json!(["a\u{1b}[2Jb"]), &["\\u{1b}"]),
        // The parent has less than the default.
        case("", &["--enable", "file"], goal_a(&json!(["terminal"])), Err(&["unknown tool `delegate_task`"])),
        case(
            "",
            &["--enable", "file,delegation"],
            goal_a(&json!(["debugging"])),
            Err(&["`debugging`, which has tools that you do not have"]),
        ),
        case("", &["--enable", "file,delegation"], goal_a(&json!(["file"])), Ok(vec![("Goal A", FILES)])),
        case(
            "[tools]\ndisable_tools = [\"write_file\"]\n",
            &[],
            goal_a(&json!(["file"])),
            Ok(vec![("Goal A", "patch read_file search_files")]),
        ),
        case("", &["--disable", "terminal"], goal_a(&json!(["terminal"])), Err(&["no tool that a helper can have"])),
        case(
            "",
            &["--disable", "terminal"],
            goal_a(&json!(["cli"])),
            Ok(vec![("Goal A", "patch read_file search_files session_search todo write_file")]),
        ),
        case(
            "[tools]\nenable_tools = [\"read_file\", \"delegate_task\"]\n",
            &[],
            goal_a(&json!(["file"])),
            Err(&["`file`, which has tools that you do not have"]),
        ),
        // Each task has its own limit, or that of the call.
        case(
            "",
            &[],
            json!({ "toolsets": ["file"], "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B", "toolsets": ["todo"] }] }),
            Ok(vec![("Goal A", FILES), ("Goal B", "todo")]),
        ),
        case(
            "",
            &[],
            json!({ "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B", "toolsets": ["todo", "kanban"] }] }),
            Err(&["`/tasks/1/toolsets/1`", "`kanban`"]),
        ),
        case("", &[], json!({ "action": "list", "toolsets": ["file"] }), Err(&["toolsets", "not to list"])),
        // Roles.
        case("", &[], json!({ "goal": "Goal A", "role": "leaf", "toolsets": ["todo"] }), Ok(vec![("Goal A", "todo")])),
        case("", &[], json!({ "goal": "Goal A", "role": "LEAF" }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        case("", &[], json!({ "tasks": [{ "goal": "Goal A", "role": "leaf" }] }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        case("", &[], json!({ "goal": "Goal A", "role": "orchestrator" }), Err(&["cannot start helpers", "role leaf"])),
        case(
            LEVELS,
            &[],
            json!({ "goal": "Goal A", "role": "orchestrator", "toolsets": ["todo"] }),
            Ok(vec![("Goal A", "delegate_task todo")]),
        ),
        case(
            LEVELS,
            &[],
            json!({ "goal": "Goal A", "role": "leaf", "toolsets": ["todo"] }),
            Ok(vec![("Goal A", "todo")]),
        ),
    ]
}

#[test]
fn a_call_limits_helpers_to_toolsets_of_the_parent_and_never_gives_them_more() {
    for case in narrowings() {
        let found = narrowed(&case);
        match (&case.outcome, found) {
            (Ok(expected), Ok(found)) => {
                let found: Vec<(&str, &str)> = found.iter().map(|(goal, tools)| (&**goal, &**tools)).collect();
                assert_eq!(&found, expected, "{} {:?}", case.arguments, case.options);
            }
            (Err(texts), Err(error)) => {
                for text in *texts {
                    assert!(error.contains(text), "{text}: {error}: {}", case.arguments);
                }
            }
            (expected, found) => panic!("{}: expected {expected:?}, got {found:?}", case.arguments),
        }
    }
}

#[test]
fn the_helpers_of_a_limited_helper_have_at_most_its_tools() {
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nlevels = 2\n");
    let answers = [
        delegate(json!({ "goal": "Level one", "role": "orchestrator", "toolsets": ["todo"] })),
        text("Done."),
        of("Level one", delegate(json!({ "goal": "Level two", "toolsets": ["file"] }))),
        of("Level one", delegate(json!({ "goal": "Level two" }))),
        of("Level one", text("Summary one.")),
        of("Level two", call("write_file", json!({ "path": "made", "content": "x" }))),
        of("Level two", text("Summary two.")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let begun = |goal: &str| {
        run.events().iter().filter(|event| event["event"] == "helper_begins" && event["goal"] == goal).count()
    };
    assert_eq!((begun("Level one"), begun("Level two")), (1, 1), "the limit to `file` is refused: {}", run.out);
    assert!(!folder.path().join("made").exists(), "{}", run.out);
}
