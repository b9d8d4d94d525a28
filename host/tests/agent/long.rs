//! Conversations that are too long for the model.

use serde_json::json;

use crate::server::{Reply, Server};
use crate::vendors::VENDORS;
use crate::{folder, run, script};

/// The conversation is summarised; calls and results stay together; the to-do list and refused calls are written again.
#[test]
fn a_summary_replaces_the_beginning() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = vendor.answer;
        let todos = json!({ "todos": [{ "id": "1", "content": "find the alpha", "status": "in_progress" }] });
        let server = Server::start(vec![
            Reply::Events(answer("First a plan.", &[("c1", "todo", todos)])),
            Reply::Events(answer("", &[("c2", "terminal", json!({ "command": "rm -rf build" }))])),
            Reply::Events(answer(
                "",
                &[("c3", "read_file", json!({ "path": "a.txt" })), ("c4", "read_file", json!({ "path": "b.txt" }))],
            )),
            Reply::Status(400, "", vendor.overflow.to_owned()),
            Reply::Events(answer("SUMMARY: the user wants alpha.", &[])),
            Reply::Events(answer("It is alpha.", &[])),
        ]);
        let model = format!("{}:m-1", vendor.api);
        let args = ["agent", "Find the alpha.", "--json", "--model", &model];
        let run = run(folder.path(), &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
        assert_eq!(run.status, Some(0), "{} {}", run.out, run.err);
        let requests = server.requests();
        assert_eq!(requests.len(), 6, "{}", run.out);
        let asked = requests[4][vendor.conversation].to_string();
        assert!(asked.contains("Find the alpha.") && asked.contains("First a plan."), "{asked}");
        let mut after = requests[5][vendor.conversation].as_array().expect("a conversation").clone();
        after.retain(|message| message["role"] != "system");
        let first = after[0].to_string();
        for expected in ["SUMMARY: the user wants alpha.", "find the alpha", "rm -rf build"] {
            assert!(first.contains(expected), "{}: {first}", vendor.api);
        }
        // Only the last calls are left, with their results.
        let rest = json!(after[1..]).to_string();
        assert!(!rest.contains("First a plan."), "{rest}");
        for text in ["a.txt", "b.txt", "alpha\\\\n", "beta\\\\n"] {
            assert!(rest.contains(text) || rest.contains(&text.replace("\\\\", "\\")), "{text}: {rest}");
        }
        let events = run.events();
        assert!(events.iter().any(|event| event["event"] == "compacted"), "{}", run.out);
    }
}

#[test]
fn a_conversation_that_cannot_be_shortened_is_an_error() {
    for vendor in &VENDORS {
        let folder = folder();
        let server = Server::start(vec![Reply::Status(400, "", vendor.overflow.to_owned())]);
        let args = ["agent", "Hello", "--model", &format!("{}:m-1", vendor.api)];
        let run = run(folder.path(), &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
        assert_eq!((run.status, &*run.out), (Some(2), ""), "{}", run.err);
        assert!(run.err.contains("the last messages cannot be summarised"), "{}", run.err);
        assert_eq!(server.requests().len(), 1);
    }
}

/// The size of the context is known, so the conversation is summarised before the server refuses it.
#[test]
fn a_conversation_is_summarised_before_the_context_is_full() {
    let folder = folder();
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "context_tokens": 10_000, "text": "a", "calls": [call], "usage": { "input": 2_000, "output": 10 } }),
            json!({ "text": "b", "calls": [call], "usage": { "input": 9_000, "output": 10 } }),
            json!({ "text": "Done.", "usage": { "input": 2_500, "output": 10 } }),
        ],
    );
    let auxiliary = script(folder.path(), "auxiliary", &[json!({ "text": "A summary." })]);
    let args = ["agent", "Hello", "--json", "--model", &model, "--auxiliary-model", &auxiliary];
    let run = run(folder.path(), &args, &[]);
    assert_eq!(run.status, Some(0), "{} {}", run.out, run.err);
    let events = run.events();
    let at = |kind: &str| events.iter().position(|event| event["event"] == kind);
    let compacted = at("compacted").expect("it is summarised");
    assert!(events[compacted]["tokens_before"].as_u64() > events[compacted]["tokens_after"].as_u64());
    assert_eq!(events.last().expect("an event")["text"], "Done.");
}
