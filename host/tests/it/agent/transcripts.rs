//! Whole conversations with each vendor, as their servers see them.

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{VENDORS, Vendor};
use crate::agent::{Run, folder, run};
use crate::approval::terminal::InTerminal;

/// Runs `toolc agent` against a server of a vendor.
fn agent(vendor: &Vendor, folder: &Path, server: &Server, args: &[&str]) -> Run {
    let model = format!("{}:m-1", vendor.api);
    let args = [&["agent", "Look into the files.", "--model", &model], args].concat();
    run(folder, &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")])
}

/// Returns what each request has added to the conversation.
fn transcript(vendor: &Vendor, folder: &Path, requests: &[Value]) -> String {
    let mut text = String::new();
    let mut known = 0;
    for (number, request) in (1..).zip(requests) {
        let mut messages = request[vendor.conversation].as_array().expect("a conversation").clone();
        // The instructions have the date.
        messages.retain(|message| message["role"] != "system");
        text += &format!("--- request {number}\n");
        for message in &messages[known.min(messages.len())..] {
            text += &format!("{}\n", serde_json::to_string_pretty(message).expect("it is JSON"));
        }
        known = messages.len();
    }
    normal(&text, folder)
}

/// Replaces what differs from run to run.
fn normal(text: &str, folder: &Path) -> String {
    let path = folder.canonicalize().expect("the folder exists");
    let text = text.replace(&path.display().to_string(), "[folder]");
    // Times, also in JSON within JSON.
    let mut normal = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("duration_ms") {
        let start = after.find(|c: char| c.is_ascii_digit()).unwrap_or_default();
        let digits = after[start..].chars().take_while(char::is_ascii_digit).count();
        normal += &format!("{before}duration_ms{}0", &after[..start]);
        rest = &after[start + digits..];
    }
    normal + rest
}

/// Sequential and parallel calls, a repaired one, one that is refused, a busy server, and a stream that breaks.
#[test]
fn a_conversation_is_the_same_with_each_vendor() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = vendor.answer;
        let server = Server::start(vec![
            Reply::Events(answer("I read a.", &[("c1", "read_file", json!({ "path": "a.txt" }))])),
            Reply::Status(429, "retry-after: 0\r\n", r#"{"error":{"message":"slow down"}}"#.to_owned()),
            Reply::Events(answer(
                "",
                &[
                    ("c2", "read_file", json!({ "path": "b.txt", "limit": "1" })),
                    ("c3", "read_file", json!({ "path": "c.txt" })),
                ],
            )),
            Reply::Broken(answer("This is los", &[])[..2].to_vec()),
            Reply::Events(answer("", &[("c4", "terminal", json!({ "command": "rm -rf build" }))])),
            Reply::Events(answer("Alpha, beta, and nothing is deleted.", &[])),
        ]);
        let run = agent(vendor, folder.path(), &server, &[]);
        let requests = server.requests();
        assert_eq!((run.status, &*run.out), (Some(0), "Alpha, beta, and nothing is deleted.\n"), "{}", run.err);
        assert_eq!(requests.len(), 6);
        assert!(folder.path().join("build/old").exists());
        let text = format!(
            "{}--- standard error\n{}",
            transcript(vendor, folder.path(), &requests),
            stable(&run.err, &server)
        );
        insta::assert_snapshot!(vendor.api, text);
    }
}

/// Removes the address of the server.
fn stable(text: &str, server: &Server) -> String {
    text.replace(&server.url, "http://[server]")
}

#[test]
fn a_command_runs_if_the_person_approves_it() {
    for vendor in &VENDORS {
        let folder = folder();
        let server = Server::start(vec![
            Reply::Events((vendor.answer)("", &[("c1", "terminal", json!({ "command": "rm -rf build" }))])),
            Reply::Events((vendor.answer)("It is gone.", &[])),
        ]);
        let model = format!("{}:m-1", vendor.api);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key"), ("NO_PROXY", "*")];
        let args = ["agent", "Clean up.", "--model", &model];
        let mut terminal = InTerminal::start_with(folder.path(), &args, "", &variables);
        terminal.answer(1, "y");
        let ended = terminal.end();
        assert!(ended.status.success(), "{}", ended.shown);
        assert_eq!(ended.out, "It is gone.\n", "{}", ended.shown);
        assert!(!folder.path().join("build").exists(), "{}", ended.shown);
        let requests = server.requests();
        let result = requests[1][vendor.conversation].to_string();
        assert!(result.contains("exit_code"), "{}: {result}", vendor.api);
    }
}

#[test]
fn results_that_are_too_long_together_are_stored() {
    for vendor in &VENDORS {
        let folder = folder();
        let call = |id| (id, "terminal", json!({ "command": "seq 1 20000" }));
        let server = Server::start(vec![
            Reply::Events((vendor.answer)("", &["c1", "c2", "c3", "c4", "c5"].map(call))),
            Reply::Events((vendor.answer)("Done.", &[])),
        ]);
        let run = agent(vendor, folder.path(), &server, &["--json"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let events = run.events();
        let stored: Vec<Value> = events
            .iter()
            .filter(|event| event["event"] == "call_ends")
            .map(|event| serde_json::from_str::<Value>(event["json"].as_str().expect("a text")).expect("it is JSON"))
            .filter(|result| result["truncated"] == true && result["file"].is_string())
            .collect();
        assert!(!stored.is_empty(), "{}", vendor.api);
        let path = stored[0]["file"].as_str().expect("a path");
        assert!(
            Path::new(path).starts_with(folder.path().canonicalize().expect("it exists").join("home/cache/results")),
            "{path}"
        );
    }
}

#[test]
fn a_model_that_cannot_be_asked_is_an_error_without_the_key() {
    for vendor in &VENDORS {
        let folder = folder();
        let page = "<html><title>Bad gateway</title></html>".to_owned();
        let unauthorized =
            r#"{"error":{"type":"authentication_error","message":"invalid key sk-a-secret-key"}}"#.to_owned();
        for (reply, message) in [
            (Reply::Status(401, "", unauthorized), "invalid key [key]; check the key of this model, in the variable"),
            (Reply::Status(200, "content-type: text/html\r\n", page), "an HTML page with the title \"Bad gateway\""),
        ] {
            let server = Server::start(vec![reply]);
            let run = agent(vendor, folder.path(), &server, &[]);
            assert_eq!((run.status, &*run.out), (Some(2), ""), "{}", run.err);
            assert!(run.err.contains(message) && !run.err.contains("sk-a-secret"), "{}", run.err);
        }
    }
}

#[test]
fn the_model_gets_a_limited_number_of_requests() {
    let vendor = &VENDORS[0];
    let folder = folder();
    let calls = || Reply::Events((vendor.answer)("", &[("c1", "read_file", json!({ "path": "a.txt" }))]));
    let server = Server::start(vec![calls(), calls(), calls()]);
    let run = agent(vendor, folder.path(), &server, &["--max-iterations", "2"]);
    assert_eq!(run.status, Some(1), "{}", run.err);
    assert!(run.err.contains("the model used up its 2 requests"), "{}", run.err);
    assert_eq!(server.requests().len(), 2);
}
