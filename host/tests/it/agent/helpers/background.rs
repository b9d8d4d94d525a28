//! Helpers in the background.

use serde_json::{Value, json};

use super::{agent, call, configure, delegate, of, results, text};
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script};

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

/// The message counts even if the helper calls no tool after it.
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
