//! Recorded conversations: resumed, listed, searched, exported and removed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};
use toolc_store::{Database, NewMessage, NewSession, Sessions, StoredMessage};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script, toolc};

fn list(folder: &Path) -> Vec<Value> {
    let run = run(folder, &["sessions", "list", "--json"], &[]);
    serde_json::from_str::<Value>(&run.out).expect("it is JSON").as_array().expect("a list").clone()
}

/// Returns a recorded message as an earlier version recorded it: without its API.
fn without_api(message: &StoredMessage) -> NewMessage<'_> {
    let StoredMessage { kind, text, raw, details, .. } = message;
    NewMessage { kind: *kind, text, raw, api: None, details, keeps_from: None, tokens: None, after: None, calls: &[] }
}

#[test]
fn a_conversation_is_resumed_to_the_letter() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = vendor.answer;
        let server = Server::start(vec![
            Reply::Events(answer("", &[("c1", "read_file", json!({ "path": "a.txt" }))])),
            Reply::Events(answer("It is alpha.", &[])),
            Reply::Events(answer("I said alpha.", &[])),
        ]);
        let model = format!("{}:m-1", vendor.api);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let first = run(folder.path(), &["agent", "What is in a.txt?", "--model", &model], &variables);
        assert_eq!(first.out, "It is alpha.\n", "{}", first.err);
        let again = run(folder.path(), &["agent", "What did you say?", "--model", &model, "--resume"], &variables);
        assert_eq!(again.out, "I said alpha.\n", "{}", again.err);
        let requests = server.requests();
        let messages = |index: usize| requests[index][vendor.conversation].as_array().expect("a list").clone();
        // Anthropic's requests mark the last message for the cache.
        let plain =
            |messages: &[Value]| json!(messages).to_string().replace(r#""cache_control":{"type":"ephemeral"},"#, "");
        let before = messages(1);
        let after = messages(2);
        let kept = before.len() - 1;
        assert_eq!(plain(&after[1..kept]), plain(&before[1..kept]), "{}", vendor.api);
        assert!(plain(&after).contains("What did you say?") && plain(&after).contains("It is alpha."));
        let [session] = &list(folder.path())[..] else { panic!("one session") };
        assert_eq!((&session["messages"], &session["api"]), (&json!(6), &json!(vendor.api)));
        assert_eq!(session["tokens"], json!({ "input": 300, "cached": 120, "output": 21 }));
    }
}

/// The model reads the files of a project with its tools, as information. None of them is an instruction before the user trusts it.
#[test]
fn no_untrusted_file_of_the_folder_becomes_an_instruction() {
    let folder = folder();
    for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "README.md", ".toolc/AGENTS.md"] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
        std::fs::write(path, "HOSTILE INSTRUCTIONS\n").expect("failed to write");
    }
    let vendor = &VENDORS[0];
    let server = Server::start(vec![Reply::Events((vendor.answer)("Hello.", &[]))]);
    let model = format!("{}:m-1", vendor.api);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let run = run(folder.path(), &["agent", "Hello", "--model", &model], &variables);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let request = server.requests()[0].to_string();
    assert!(request.contains("You are toolc") && !request.contains("HOSTILE"), "{request}");
}

#[test]
fn another_api_can_continue_a_conversation() {
    let folder = folder();
    let (first, second) = (&VENDORS[2], &VENDORS[3]);
    let server = Server::start(vec![Reply::Events((first.answer)("It is alpha.", &[]))]);
    let model = format!("{}:m-1", first.api);
    run(folder.path(), &["agent", "What?", "--model", &model], &[(first.base, &server.url), (first.key, "sk-1234567")]);
    let server = Server::start(vec![Reply::Events((second.answer)("Yes.", &[]))]);
    let model = format!("{}:m-1", second.api);
    let variables = [(second.base, &*server.url), (second.key, "sk-1234567")];
    let run = run(folder.path(), &["agent", "Really?", "--model", &model, "--resume"], &variables);
    assert_eq!(run.out, "Yes.\n", "{}", run.err);
    let conversation = server.requests()[0][second.conversation].to_string();
    assert!(conversation.contains("It is alpha.") && conversation.contains("Really?"), "{conversation}");
}

/// Runs a task with each API in turn. Each but the last calls a tool. Returns the conversation of the last request.
fn conversation_with_apis(folder: &Path, apis: &[usize]) -> String {
    let mut conversation = String::new();
    for (number, api) in apis.iter().enumerate() {
        let vendor = &VENDORS[*api];
        let call = ("c1", "read_file", json!({ "path": "a.txt" }));
        let answer = format!("Answer {number}.");
        let mut replies = vec![Reply::Events((vendor.answer)(&answer, &[]))];
        if number + 1 < apis.len() {
            replies.insert(0, Reply::Events((vendor.answer)("", &[call])));
        }
        let server = Server::start(replies);
        let (prompt, model) = (format!("Question {number}?"), format!("{}:m-1", vendor.api));
        let resume: &[&str] = if number > 0 { &["--resume"] } else { &[] };
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-1234567")];
        let run = run(folder, &[&["agent", &prompt, "--model", &model], resume].concat(), &variables);
        assert_eq!(run.out, format!("{answer}\n"), "{}: {}", vendor.api, run.err);
        conversation = server.requests().last().expect("a request")[vendor.conversation].to_string();
    }
    conversation
}

#[test]
fn a_conversation_changes_its_api_and_changes_it_back() {
    for (first, vendor) in VENDORS.iter().enumerate() {
        let second = (first + 1) % VENDORS.len();
        let folder = folder();
        let conversation = conversation_with_apis(folder.path(), &[first, second, first, first]);
        for text in ["Question 0?", "Answer 0.", "Question 1?", "[calls read_file", "Answer 1.", "Question 3?"] {
            assert!(conversation.contains(text), "{}: no {text}: {conversation}", vendor.api);
        }
        // The answers after the last change are in the form of the API.
        assert_eq!(conversation.matches("[calls read_file").count(), 2, "{conversation}");
        assert!(!conversation.contains("assistant: Answer 2."), "{conversation}");
    }
}

/// An earlier version recorded only the API with which a conversation began.
#[test]
fn a_conversation_of_an_earlier_version_changes_its_api_back() {
    for (first, vendor) in VENDORS.iter().enumerate().take(4) {
        let second = (first + 1) % 4;
        let folder = folder();
        conversation_with_apis(folder.path(), &[first, second, second]);
        let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
        let recorded = sessions.list(1).expect("failed to read").remove(0);
        let old = NewSession {
            name: "old",
            source: "agent",
            directory: &recorded.directory,
            api: vendor.api,
            model: "m-1",
            title: "",
        };
        sessions.start(&old).expect("failed to write");
        for message in sessions.messages(&recorded.name).expect("failed to read") {
            sessions.append("old", &without_api(&message)).expect("failed to write");
        }
        let server = Server::start(vec![Reply::Events((vendor.answer)("Done.", &[]))]);
        let model = format!("{}:m-1", vendor.api);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-1234567")];
        let run = run(folder.path(), &["agent", "And?", "--model", &model, "--resume", "old"], &variables);
        assert_eq!(run.out, "Done.\n", "{}", run.err);
        let conversation = server.requests()[0][vendor.conversation].to_string();
        assert!(conversation.contains("assistant: Answer 0."), "{}: {conversation}", vendor.api);
    }
}

#[test]
fn conversations_are_listed_searched_exported_and_removed() {
    // Also of a new home.
    let new = folder();
    let none = run(new.path(), &["sessions"], &[]);
    assert_eq!((none.status, &none.out), (Some(0), &run(new.path(), &["sessions", "list"], &[]).out), "{}", none.err);
    let folder = folder();
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let model =
        script(folder.path(), "model", &[json!({ "text": "Look", "calls": [call] }), json!({ "text": "Élan vital" })]);
    let agent = |prompt: &str, more: &[&str]| {
        let run = run(folder.path(), &[&["agent", prompt, "--model", &model], more].concat(), &[]);
        assert_eq!(run.status, Some(0), "{}", run.err);
    };
    agent("The first question", &[]);
    agent("The second question", &[]);
    agent("Not recorded", &["--no-record"]);
    let sessions = list(folder.path());
    let titles: Vec<&str> = sessions.iter().map(|session| session["title"].as_str().expect("a title")).collect();
    assert_eq!(titles, ["The second question", "The first question"]);

    let toolc = |args: &[&str]| run(folder.path(), args, &[]);
    let found = toolc(&["sessions", "search", "elan", "--json"]);
    let found: Value = serde_json::from_str(&found.out).expect("it is JSON");
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    assert_eq!(found[0]["excerpt"], "**Élan** vital");
    assert_eq!(toolc(&["sessions", "search", "nowhere"]).status, Some(1));

    let name = sessions[1]["session"].as_str().expect("a name");
    let exported = toolc(&["sessions", "export", name]);
    let lines: Vec<Value> = exported.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["user", "model", "results", "model"]);
    assert_eq!(lines[1]["details"][0]["name"], "read_file");
    assert_eq!(lines[1]["raw"][0]["role"], "assistant");
    assert!(lines[2]["text"].as_str().expect("a text").contains("alpha"));
    assert_eq!(toolc(&["sessions", "export"]).out.lines().count(), 8);
    assert!(toolc(&["sessions", "show", name]).out.contains("The first question"));

    assert_eq!(toolc(&["sessions", "remove", "nothing"]).status, Some(2));
    assert_eq!(toolc(&["sessions", "remove", name]).status, Some(0));
    assert_eq!(list(folder.path()).len(), 1);
    let unknown = toolc(&["agent", "x", "--model", &model, "--resume", "nothing"]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("no conversation has a name that begins with `nothing`"), "{}", unknown.err);
}

#[test]
fn a_conversation_has_one_writer_and_may_be_copied() {
    let folder = folder();
    let start = script(folder.path(), "start", &[json!({ "text": "Ready." })]);
    assert_eq!(run(folder.path(), &["agent", "Start", "--model", &start], &[]).status, Some(0));
    let name = list(folder.path())[0]["session"].as_str().expect("a name").to_owned();
    let waits = json!({ "command": "while [ ! -e go ]; do sleep 0.05; done; cat go" });
    let calls = json!([{ "name": "terminal", "arguments": waits }]);
    let slow = script(folder.path(), "slow", &[json!({ "calls": calls }), json!({ "text": "A is done." })]);
    let mut first = toolc(folder.path(), &["agent", "A", "--json", "--resume", &name, "--model", &slow], &[]);
    let mut first = first.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("failed to start");
    let out = BufReader::new(first.stdout.take().expect("a pipe"));
    let mut events = out.lines().map(|line| line.expect("it is text"));
    assert!(events.any(|line| line.contains(r#""event":"call_begins""#)), "it ended early");

    let resume = |more: &[&str]| {
        let quick = script(folder.path(), "quick", &[json!({ "text": "B is done." })]);
        run(folder.path(), &[&["agent", "B", "--model", &quick, "--resume", &name], more].concat(), &[])
    };
    let refused = resume(&[]);
    assert_eq!((refused.status, &*refused.out), (Some(2), ""), "{}", refused.err);
    let expected = [&format!("works on the conversation {name}"), "--copy"];
    assert!(expected.iter().all(|text| refused.err.contains(*text)), "{}", refused.err);
    let removed = run(folder.path(), &["sessions", "remove", &name], &[]);
    assert_eq!(removed.status, Some(2), "{}", removed.err);
    let holder = format!("the process {} works on the conversation {name}", first.id());
    assert!(removed.err.contains(&holder), "{}", removed.err);
    let copied = resume(&["--copy"]);
    assert_eq!((copied.status, &*copied.out), (Some(0), "B is done.\n"), "{}", copied.err);

    std::fs::write(folder.path().join("go"), "gone on\n").expect("failed to write");
    assert_eq!(events.last().map(|line| line.contains("A is done.")), Some(true));
    assert_eq!(first.wait().expect("it ends").code(), Some(0));
    let again = resume(&[]);
    assert_eq!((again.status, &*again.out), (Some(0), "B is done.\n"), "the lock is free again: {}", again.err);

    let exported = |name: &str| {
        let lines = run(folder.path(), &["sessions", "export", name], &[]).out;
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
        lines.map(|line| line["text"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    let texts = exported(&name);
    let kinds: Vec<bool> = texts.iter().map(|text| text.contains("gone on")).collect();
    assert_eq!(kinds, [false, false, false, false, true, false, false, false], "{texts:?}");
    let sessions = list(folder.path());
    let copy = sessions.iter().find(|session| session["session"] != *name).expect("a copy");
    let texts = exported(copy["session"].as_str().expect("a name"));
    assert_eq!(texts.len(), 7, "{texts:?}");
    assert!(texts[4].contains("before the call had a result"), "{texts:?}");
    assert_eq!(std::fs::read_dir(folder.path().join("home/sessions")).expect("it exists").count(), 0);
    let removed = run(folder.path(), &["sessions", "remove", &name, &name], &[]);
    assert_eq!((removed.status, list(folder.path()).len()), (Some(0), 1), "{}", removed.err);
    let wrong = run(folder.path(), &["agent", "x", "--copy", "--model", "script:quick"], &[]);
    assert_eq!(wrong.status, Some(2), "a copy needs a conversation: {}", wrong.err);
}

/// Two processes of an earlier version could write to one conversation.
#[test]
fn a_broken_conversation_is_mended_when_it_is_resumed() {
    let folder = folder();
    let vendor = &VENDORS[0];
    let server = Server::start(vec![
        Reply::Events((vendor.answer)("", &[("c1", "read_file", json!({ "path": "a.txt" }))])),
        Reply::Events((vendor.answer)("It is alpha.", &[])),
        Reply::Events((vendor.answer)("I am here.", &[])),
    ]);
    let model = format!("{}:m-1", vendor.api);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    run(folder.path(), &["agent", "What is in a.txt?", "--model", &model], &variables);
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
    let name = sessions.list(1).expect("failed to read")[0].name.clone();
    let messages = sessions.messages(&name).expect("failed to read");
    for message in [&messages[1], &messages[3], &messages[2]] {
        sessions.append(&name, &without_api(message)).expect("failed to write");
    }
    let again = run(folder.path(), &["agent", "Are you there?", "--model", &model, "--resume"], &variables);
    assert_eq!(again.out, "I am here.\n", "{}", again.err);
    let requests = server.requests();
    let messages = requests[2]["messages"].as_array().expect("messages");
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().expect("a role")).collect();
    let expected = ["system", "user", "assistant", "tool", "assistant", "assistant", "tool", "assistant", "user"];
    assert_eq!(roles, expected, "{messages:?}");
    assert!(messages[6].to_string().contains("before the call had a result"), "{}", messages[6]);
    assert!(messages[8].to_string().contains("[result of read_file]"), "{}", messages[8]);
}
