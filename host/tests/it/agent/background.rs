//! Calls in the background, which only OpenAI's Responses knows: the model goes on, and gets their results later.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::agent::hooks::plugin;
use crate::agent::interrupts::Running;
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{Call, VENDORS, Vendor};
use crate::agent::{folder, run};

const TOOL: &str = r#"name = "slow_fetch"
toolset = "slow"
description = "Fetch a report. It takes a while."
background = true
timeout = "5m"

[params.report]
type = "string"
description = "The report."
required = true
"#;

/// Writes a plugin with a tool that runs in the background. It returns when the file `go` is there.
fn slow_tool(folder: &Path) {
    let manifests = folder.join("home/plugins/slow/manifests");
    for kind in ["tools", "toolsets"] {
        fs::create_dir_all(manifests.join(kind)).expect("failed to make a folder");
    }
    fs::write(manifests.join("tools/slow_fetch.toml"), TOOL).expect("failed to write");
    let toolset = "name = \"slow\"\ndescription = \"Slow tools.\"\n";
    fs::write(manifests.join("toolsets/slow.toml"), toolset).expect("failed to write");
    let go = folder.join("go");
    let program = format!("until [ -e {} ]; do sleep 0.05; done\necho '{{\"result\": \"the report\"}}'", go.display());
    plugin(folder, "slow", "", &program);
    fs::write(folder.join("home/config.toml"), "[tools]\nenable = [\"cli\", \"slow\"]\n").expect("failed to write");
}

fn vendor() -> &'static Vendor {
    VENDORS.iter().find(|vendor| vendor.api == "responses").expect("it is a vendor")
}

/// Returns an answer in which the calls of the slow tool are marked as ones without which the model goes on.
fn answer(text: &str, calls: &[Call<'_>]) -> Reply {
    let marked = |item: &mut Value| {
        if item["name"] == "slow_fetch" {
            item["async"] = true.into();
        }
    };
    let events = (vendor().answer)(text, calls).into_iter().map(|event| {
        let mut event: Value = serde_json::from_str(&event).expect("it is JSON");
        if let Some(item) = event.get_mut("item") {
            marked(item);
        }
        if let Some(items) = event.pointer_mut("/response/output").and_then(Value::as_array_mut) {
            items.iter_mut().for_each(marked);
        }
        event.to_string()
    });
    Reply::Events(events.collect())
}

fn slow(id: &str) -> Call<'_> {
    (id, "slow_fetch", json!({ "report": "sales" }))
}

/// Returns the results in a request, each as its id and its text.
fn results(request: &Value) -> Vec<(String, String)> {
    let items = request["input"].as_array().expect("a conversation").iter();
    let results = items.filter(|item| item["type"] == "function_call_output");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    results.map(|item| (text(&item["call_id"]), text(&item["output"]))).collect()
}

#[test]
fn the_model_continues_and_gets_the_result_after_the_call_has_ended() {
    let folder = folder();
    slow_tool(folder.path());
    let server = Server::start(vec![
        answer("", &[slow("c1"), ("c2", "read_file", json!({ "path": "a.txt" }))]),
        answer("", &[("c3", "write_file", json!({ "path": "go", "content": "now" }))]),
        // The call may still run when the model is done.
        answer("Nothing else to do.", &[]),
        answer("Here is the report.", &[]),
        answer("Here is the report.", &[]),
    ]);
    let variables = [(vendor().base, &*server.url), (vendor().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Fetch it.", "--model", "responses:m-1"], &variables);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let requests = server.requests();
    let tool = requests[0]["tools"].as_array().expect("tools").iter().find(|tool| tool["name"] == "slow_fetch");
    assert_eq!(tool.expect("it is sent")["async"], true);
    let ids = |request: &Value| results(request).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(&requests[1]), ["c2"], "the model does not wait");
    let call = requests[1]["input"].as_array().expect("items").iter().find(|item| item["call_id"] == "c1");
    assert_eq!(call.expect("the call is sent back")["async"], true);
    let last = results(requests.last().expect("a request"));
    let late: Vec<_> = last.iter().filter(|(id, _)| id == "c1").collect();
    assert_eq!(late.len(), 1, "{last:?}");
    assert!(late[0].1.contains("the report"), "{last:?}");
    assert_eq!(last.len(), 3);
}

#[test]
fn a_result_whose_call_was_summarised_reaches_the_model_as_a_text() {
    let folder = folder();
    slow_tool(folder.path());
    let read = |id: &'static str, path: &str| (id, "read_file", json!({ "path": path }));
    let server = Server::start(vec![
        answer("", &[slow("c1"), read("c2", "a.txt")]),
        answer("", &[read("c3", "b.txt")]),
        Reply::Status(400, "", vendor().overflow.to_owned()),
        answer("SUMMARY", &[]),
        answer("", &[("c4", "write_file", json!({ "path": "go", "content": "now" }))]),
        answer("Nothing else to do.", &[]),
        answer("Here is the report.", &[]),
        answer("Here is the report.", &[]),
    ]);
    let variables = [(vendor().base, &*server.url), (vendor().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Fetch it.", "--model", "responses:m-1"], &variables);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let requests = server.requests();
    let summary = requests[4]["input"][0].to_string();
    assert!(summary.contains("SUMMARY") && summary.contains("Calls that run in the background"), "{summary}");
    let last = requests.last().expect("a request");
    assert!(results(last).iter().all(|(id, _)| id != "c1"), "the API does not know the call: {last}");
    let told = "[The call of slow_fetch in the background has ended. Its result:]";
    assert!(last.to_string().contains(told) && last.to_string().contains("the report"), "{last}");
}

#[test]
fn ctrl_c_cancels_the_background_calls_that_the_turn_waits_for() {
    let folder = folder();
    slow_tool(folder.path());
    let server = Server::start(vec![
        answer("", &[slow("c1"), slow("c2")]),
        answer("I wait.", &[]),
        answer("You stopped them.", &[]),
    ]);
    let mut running = Running::start(vendor(), folder.path(), &server);
    running.wait_for("answer");
    running.wait_for_text("I wait.");
    running.press();
    running.wait_for("ends");
    assert_eq!(running.last()["text"], "You stopped them.");
    let (status, err) = running.end();
    assert_eq!(status, Some(0), "{err}");
    let results = results(&server.requests()[2]);
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|(_, text)| text.contains("cancelled")), "{results:?}");
}

#[test]
fn a_call_in_the_background_of_a_killed_program_has_an_unknown_outcome() {
    let folder = folder();
    slow_tool(folder.path());
    let stalled = Reply::Stalled((vendor().answer)("Not to its end", &[])[..1].to_vec());
    let read = ("c2", "read_file", json!({ "path": "a.txt" }));
    let server = Server::start(vec![answer("", &[slow("c1"), read]), stalled]);
    let mut running = Running::start(vendor(), folder.path(), &server);
    running.wait_for("text");
    running.kill();
    running.end();
    let server = Server::start(vec![answer("I look.", &[])]);
    let variables = [(vendor().base, &*server.url), (vendor().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Go on.", "--model", "responses:m-1", "--resume"], &variables);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let request = &server.requests()[0];
    let results = results(request);
    let of = |id: &str| results.iter().filter(|(of, _)| of == id).map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    assert_eq!((of("c1").len(), of("c2").len()), (1, 1), "{results:?}");
    assert!(of("c1")[0].contains("it is unknown what the call has done"), "{results:?}");
    assert!(of("c2")[0].contains("alpha"), "{results:?}");
    assert!(request.to_string().contains("These calls in the background have ended"), "{request}");
}
