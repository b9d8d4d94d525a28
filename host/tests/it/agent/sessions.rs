//! Recorded conversations: resumed, listed, searched, exported and removed.

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script};

fn list(folder: &Path) -> Vec<Value> {
    let run = run(folder, &["sessions", "list", "--json"], &[]);
    serde_json::from_str::<Value>(&run.out).expect("it is JSON").as_array().expect("a list").clone()
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

/// The model reads the files of a project with its tools, as information. None of them is an instruction.
#[test]
fn no_file_of_the_folder_becomes_an_instruction() {
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
