//! Tool search: what a request contains if there are many tools, and how the model reaches those that it does not see.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::agent::hooks::{plugin, seen};
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{VENDORS, Vendor};
use crate::agent::{Run, folder, run, script};

/// The number of tools of the plugin. Together they are larger than the threshold.
const TOOLS: usize = 50;

/// Writes a plugin with many tools, one of which runs shell commands, and a configuration that enables them.
fn many_tools(folder: &Path, search: &str) {
    let manifests = folder.join("home/plugins/books/manifests");
    for kind in ["tools", "toolsets"] {
        fs::create_dir_all(manifests.join(kind)).expect("failed to make a folder");
    }
    let write = |path: &str, text: &str| fs::write(manifests.join(path), text).expect("failed to write");
    write("toolsets/books.toml", "name = \"books\"\ndescription = \"The books of a company.\"\n");
    let filler = "It reads the ledger of the company, and returns what it finds there. ".repeat(28);
    for number in 0..TOOLS {
        let text = format!(
            "name = \"ledger_{number}\"\ntoolset = \"books\"\ndescription = \"Look up account {number}. {filler}\"\n\
             annotations = {{ read_only = true }}\n\n[params.year]\ntype = \"integer\"\ndescription = \"The year.\"\n"
        );
        write(&format!("tools/ledger_{number}.toml"), &text);
    }
    let archive = "name = \"archive_run\"\ntoolset = \"books\"\ndescription = \"Run a command in the archive of invoices.\"\n\
                   approval = { shell = \"command\" }\n\n[params.command]\ntype = \"string\"\ndescription = \"The command.\"\n\
                   required = true\n";
    write("tools/archive_run.toml", archive);
    plugin(folder, "books", "", "echo '{\"result\": \"done\"}'");
    let config = format!("[tools]\nenable = [\"cli\", \"books\"]\n{search}");
    fs::write(folder.join("home/config.toml"), config).expect("failed to write");
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "name": "tool_call", "arguments": { "calls": [{ "name": name, "arguments": arguments }] } })
}

/// Returns the events of a kind, each as its tool and its error.
fn ended(run: &Run) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let events = run.events();
    let ended = events.iter().filter(|event| event["event"] == "call_ends");
    ended.map(|event| (text(&event["tool"]).expect("a tool"), text(&event["error"]))).collect()
}

#[test]
fn the_model_finds_and_calls_a_deferred_tool_under_its_own_name() {
    let folder = folder();
    many_tools(folder.path(), "");
    let answers = [
        json!({ "calls": [{ "name": "tool_search", "arguments": { "queries": ["account 17"] } }] }),
        json!({ "calls": [call("ledger_17", &json!({ "year": "2025" }))] }),
        json!({ "calls": [call("archive_run", &json!({ "command": "rm -rf build" }))] }),
        json!({ "text": "done" }),
    ];
    let model = script(folder.path(), "model", &answers);
    let ran = run(folder.path(), &["agent", "Look up account 17.", "--json", "--model", &model], &[]);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let denied = Some("refused".to_owned());
    let expected = [("tool_search", None), ("ledger_17", None), ("archive_run", denied)];
    assert_eq!(ended(&ran), expected.map(|(tool, error)| (tool.to_owned(), error)), "{}", ran.out);
    // The arguments were repaired toward the tool's own schema.
    let requests = seen(folder.path(), "books");
    assert_eq!(requests.len(), 1, "the command was not run: {requests:?}");
    assert_eq!((&requests[0]["tool"], &requests[0]["arguments"]), (&json!("ledger_17"), &json!({ "year": 2025 })));
    let log = fs::read_to_string(folder.path().join("home/logs/approvals.jsonl")).expect("there is a log");
    let record: Value = serde_json::from_str(log.lines().next().expect("a record")).expect("it is JSON");
    assert_eq!(record["tool"], "archive_run", "{record}");
    let recorded = run(folder.path(), &["sessions", "export"], &[]);
    assert!(recorded.out.contains("ledger_17"), "{} {}", recorded.out, recorded.err);
}

/// Returns the tools of the first request to a vendor.
fn tools_sent(vendor: &Vendor, folder: &Path) -> Vec<Value> {
    let server = Server::start(vec![Reply::Events((vendor.answer)("done", &[]))]);
    let model = format!("{}:m-1", vendor.api);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let ran = run(folder, &["agent", "Go", "--model", &model], &variables);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let request = server.requests().remove(0);
    let tools = &request["tools"];
    let tools = if vendor.api == "gemini" { &tools[0]["functionDeclarations"] } else { tools };
    tools.as_array().expect("an array").clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["name"].as_str().or_else(|| tool["function"]["name"].as_str())).collect()
}

#[test]
fn a_request_has_the_tools_that_most_conversations_need_and_a_search_for_the_others() {
    for vendor in &VENDORS {
        let folder = folder();
        many_tools(folder.path(), "");
        let tools = tools_sent(vendor, folder.path());
        let names = names(&tools);
        for shown in ["read_file", "write_file", "patch", "search_files", "terminal", "tool_search", "tool_call"] {
            assert!(names.contains(&shown), "{}: {shown} is not among {names:?}", vendor.api);
        }
        assert!(!names.iter().any(|name| name.starts_with("ledger_")), "{}: {names:?}", vendor.api);
    }
}

#[test]
fn the_search_of_a_vendor_gets_all_definitions_with_marks() {
    for vendor in &VENDORS {
        let folder = folder();
        many_tools(folder.path(), "search = \"vendor\"\n");
        let tools = tools_sent(vendor, folder.path());
        let kinds: Vec<&str> = tools.iter().filter_map(|tool| tool["type"].as_str()).collect();
        let find = |tools: &[Value], name: &str| tools.iter().find(|tool| tool["name"] == name).cloned();
        match vendor.api {
            "anthropic" => {
                assert!(kinds.contains(&"tool_search_tool_bm25_20251119"), "{kinds:?}");
                assert_eq!(find(&tools, "ledger_17").expect("it is sent")["defer_loading"], true);
                assert!(find(&tools, "read_file").expect("it is sent").get("defer_loading").is_none());
            }
            "responses" => {
                assert!(kinds.contains(&"tool_search"), "{kinds:?}");
                let namespace = find(&tools, "books").expect("the toolset is a namespace");
                let inner = namespace["tools"].as_array().expect("an array");
                assert_eq!(find(inner, "ledger_17").expect("it is sent")["defer_loading"], true);
                assert!(find(&tools, "read_file").expect("it is sent").get("defer_loading").is_none());
            }
            "interactions" => {
                assert!(kinds.contains(&"tool_search"), "{kinds:?}");
                assert_eq!(find(&tools, "ledger_17").expect("it is sent")["defer_loading"], true);
                assert!(find(&tools, "read_file").expect("it is sent").get("defer_loading").is_none());
            }
            // An API without a search gets the three tools.
            _ => assert!(names(&tools).contains(&"tool_search"), "{}", vendor.api),
        }
    }
}

#[test]
fn tool_search_can_be_off_and_other_commands_do_not_have_it() {
    let folder = folder();
    many_tools(folder.path(), "search = \"off\"\n");
    let tools = tools_sent(&VENDORS[0], folder.path());
    assert_eq!(names(&tools).iter().filter(|name| name.starts_with("ledger_")).count(), TOOLS);
    assert!(!names(&tools).contains(&"tool_search"));
    many_tools(folder.path(), "");
    let definitions = run(folder.path(), &["definitions", "--json"], &[]);
    assert!(definitions.out.contains("ledger_17") && !definitions.out.contains("tool_search"), "{}", definitions.err);
    let listed = run(folder.path(), &["tools"], &[]);
    assert!(listed.out.contains("ledger_17") && !listed.out.contains("tool_search"), "{}", listed.out);
    many_tools(folder.path(), "search = \"vendors\"\n");
    let checked = run(folder.path(), &["config", "check"], &[]);
    assert!(checked.err.contains("vendor") && checked.status != Some(0), "{} {}", checked.out, checked.err);
}
