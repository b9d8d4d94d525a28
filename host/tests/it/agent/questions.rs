//! What the model asks the user, and what it finds in earlier conversations.

use serde_json::{Value, json};

use crate::agent::{Run, folder, run, script};
use crate::approval::terminal::InTerminal;

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "calls": [{ "name": tool, "arguments": arguments }] })
}

/// Returns the results of the calls, each on a line, with the times left out.
fn results(run: &Run) -> String {
    let events = run.events();
    let ended = events.iter().filter(|event| event["event"] == "call_ends");
    let results = ended.map(|event| event["json"].as_str().expect("a text"));
    let mut text = results.collect::<Vec<_>>().join("\n");
    let is_time = |at: &str| at.len() > 20 && at.as_bytes()[10] == b'T' && at.as_bytes()[19] == b'Z';
    while let Some(at) = text.match_indices("\"20").map(|(at, _)| at + 1).find(|at| is_time(&text[*at..])) {
        text.replace_range(at..at + 20, "[time]");
    }
    text
}

fn questions() -> Value {
    json!({ "questions": [
        { "question": "Which database?", "choices": ["SQLite", "Postgres"] },
        { "question": "Which platforms?", "choices": ["Linux", "macOS", "Windows"], "multi_select": true },
        { "question": "What is its name?" },
    ] })
}

#[test]
fn the_user_answers_at_the_terminal() {
    let folder = folder();
    let model = script(folder.path(), "model", &[call("clarify", &questions()), json!({ "text": "Thank you." })]);
    let args = ["agent", "Begin.", "--model", &model, "--json"];
    let mut terminal = InTerminal::start(folder.path(), &args, "");
    for (prompt, typed) in ["9\r", "2\r", "1,3\r", "toolc\r"].iter().enumerate() {
        terminal.wait_for("\n> ", prompt + 1);
        terminal.press(typed);
    }
    let ended = terminal.end();
    assert!(ended.status.success(), "{}", ended.shown);
    for text in ["The model has 3 questions.", "  | Which database?", "  2. Postgres", "there is no choice 9"] {
        assert!(ended.shown.contains(text), "{text:?} is missing: {}", ended.shown);
    }
    let run = Run { status: Some(0), out: ended.out, err: String::new() };
    insta::assert_snapshot!(results(&run));
}

#[test]
fn the_model_goes_on_without_the_answers_that_the_user_does_not_give_in_time() {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    let config = "[agent]\nquestion_timeout = \"3s\"\n";
    std::fs::write(folder.path().join("home/config.toml"), config).expect("failed to write");
    let model = script(folder.path(), "model", &[call("clarify", &questions()), json!({ "text": "I go on." })]);
    let args = ["agent", "Begin.", "--model", &model, "--json"];
    let mut terminal = InTerminal::start(folder.path(), &args, "");
    terminal.wait_for("\n> ", 1);
    terminal.press("2\r");
    let ended = terminal.end();
    assert!(ended.status.success() && ended.shown.contains("the time to answer is over"), "{}", ended.shown);
    assert!(ended.out.contains("timed_out") && ended.out.contains("Postgres"), "{}", ended.out);
}

#[test]
fn the_user_leaves_a_question() {
    let folder = folder();
    let model = script(folder.path(), "model", &[call("clarify", &questions()), json!({ "text": "I see." })]);
    let args = ["agent", "Begin.", "--model", &model, "--json"];
    let mut terminal = InTerminal::start(folder.path(), &args, "");
    terminal.wait_for("\n> ", 1);
    terminal.press("none\r");
    terminal.wait_for("\n> ", 2);
    terminal.press("\u{1b}");
    let ended = terminal.end();
    let run = Run { status: Some(0), out: ended.out, err: String::new() };
    insta::assert_snapshot!(results(&run));
}

#[test]
fn without_a_user_the_model_is_told_at_once() {
    let folder = folder();
    let bad = json!({ "questions": [{ "question": "Sure?", "choices": ["yes"] }] });
    let answers = [call("clarify", &questions()), call("clarify", &bad), json!({ "text": "I chose SQLite." })];
    let model = script(folder.path(), "model", &answers);
    let run = run(folder.path(), &["agent", "Begin.", "--model", &model, "--json"], &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    insta::assert_snapshot!(results(&run));
}

#[test]
fn a_conversation_about_earlier_ones() {
    let folder = folder();
    let first = script(folder.path(), "first", &[json!({ "text": "Run `make deploy` on the build host." })]);
    let earlier = run(folder.path(), &["agent", "How do I deploy the shop?", "--model", &first], &[]);
    assert_eq!(earlier.status, Some(0), "{}", earlier.err);
    let model = script(
        folder.path(),
        "model",
        &[
            call("session_search", &json!({})),
            call("session_search", &json!({ "query": "deploy shop" })),
            call("session_search", &json!({ "query": "deploy", "role_filter": "assistant", "after": "1d" })),
            call("session_search", &json!({ "around_message_id": 1, "window": 2 })),
            call("session_search", &json!({ "after": "someday" })),
            call("session_search", &json!({ "query": "deploy", "summarize": "How is the shop deployed?" })),
            json!({ "text": "With make." }),
        ],
    );
    let summary = script(
        folder.path(),
        "summary",
        &[json!({ "text": "With `make deploy`.", "usage": { "input": 700, "output": 9 } })],
    );
    let args = ["agent", "How was it?", "--model", &model, "--auxiliary-model", &summary, "--json"];
    let found = run(folder.path(), &args, &[]);
    assert_eq!(found.status, Some(0), "{}", found.err);
    let end = found.events().pop().expect("an event");
    assert_eq!(
        (&end["tokens"]["input"], &end["tokens"]["output"]),
        (&json!(700), &json!(9)),
        "the summary is counted: {end}"
    );
    let path = folder.path().canonicalize().expect("the folder exists").display().to_string();
    let mut text = results(&found).replace(&path, "[folder]");
    let listed = run(folder.path(), &["sessions", "list", "--json"], &[]);
    let listed: Value = serde_json::from_str(&listed.out).expect("it is JSON");
    let ids = listed.as_array().into_iter().flatten().filter_map(|session| session["session"].as_str());
    for id in ids {
        text = text.replace(id, "[session]");
    }
    insta::assert_snapshot!(text);
}
