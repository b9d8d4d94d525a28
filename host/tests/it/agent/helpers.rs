//! Helpers: what `delegate_task` does for the model, and what helpers cannot do.

mod background;
mod stopped;
mod toolsets;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolc_test_support::programs;

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{Run, folder, run, script};
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
