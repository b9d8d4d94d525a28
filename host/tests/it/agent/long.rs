//! Conversations that are too long for the model.

use serde_json::{Value, json};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{Call, VENDORS, Vendor};
use crate::agent::{folder, run, script};

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
fn a_summary_that_is_longer_than_what_it_would_replace_is_refused() {
    let vendor = &VENDORS[0];
    let folder = folder();
    let read = |id: &'static str, path: &str| {
        Reply::Events((vendor.answer)("", &[(id, "read_file", json!({ "path": path }))]))
    };
    let server = Server::start(vec![
        read("c1", "a.txt"),
        read("c2", "b.txt"),
        read("c3", "c.txt"),
        Reply::Status(400, "", vendor.overflow.to_owned()),
        Reply::Events((vendor.answer)(&"word ".repeat(2_000), &[])),
    ]);
    let model = format!("{}:m-1", vendor.api);
    let args = ["agent", "Find the alpha.", "--model", &model];
    let run = run(folder.path(), &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
    assert_eq!(run.status, Some(2), "{} {}", run.out, run.err);
    assert!(run.err.contains("the summary is longer than the"), "{}", run.err);
}

/// Returns an answer of Anthropic that thinks first.
fn thought(text: &str, calls: &[Call<'_>]) -> Reply {
    let mut events = (anthropic().answer)(text, calls);
    let block = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let deltas = json!({ "type": "signature_delta", "signature": "c2lnbmVk" });
    // The thinking takes the first index.
    for event in &mut events {
        let mut value: Value = serde_json::from_str(event).expect("it is JSON");
        if let Some(index) = value["index"].as_u64() {
            value["index"] = (index + 1).into();
        }
        *event = value.to_string();
    }
    let thinking = [
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": deltas }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ];
    events.splice(1..1, thinking.iter().map(Value::to_string));
    Reply::Events(events)
}

fn anthropic() -> &'static Vendor {
    VENDORS.iter().find(|vendor| vendor.api == "anthropic").expect("it is a vendor")
}

/// The refusal of newer models.
const STALE: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."}}"#;

/// A summary changes what came before the thinking in the messages that are kept.
#[test]
fn thinking_that_the_server_refuses_is_removed() {
    let folder = folder();
    let read = |id, path: &str| (id, "read_file", json!({ "path": path }));
    let server = Server::start(vec![
        thought("", &[read("c1", "a.txt")]),
        thought("", &[read("c2", "b.txt")]),
        Reply::Status(400, "", anthropic().overflow.to_owned()),
        Reply::Events((anthropic().answer)("SUMMARY", &[])),
        Reply::Status(400, "", STALE.to_owned()),
        thought("Done.", &[]),
    ]);
    let variables = [(anthropic().base, &*server.url), (anthropic().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Read both.", "--model", "anthropic:m-1"], &variables);
    assert_eq!((ran.status, ran.out.trim()), (Some(0), "Done."), "{}", ran.err);
    let requests = server.requests();
    let has_thinking = |at: usize| requests[at]["messages"].to_string().contains("c2lnbmVk");
    assert!(has_thinking(2) && has_thinking(4) && !has_thinking(5));
    assert!(requests[5]["messages"].to_string().contains("c2"), "the call is kept");
}

/// Returns an answer of Chat Completions that thinks first, in a member that only some servers have.
fn reasoned(text: &str, calls: &[Call<'_>]) -> Reply {
    let chat = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is a vendor");
    let mut events = (chat.answer)(text, calls);
    events.insert(
        0,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Hm.","annotations":[]}}]}"#
            .to_owned(),
    );
    Reply::Events(events)
}

/// Some servers refuse a request with thinking, and some one without it.
#[test]
fn thinking_is_sent_back_until_a_server_refuses_it() {
    let folder = folder();
    let read = |id, path: &str| (id, "read_file", json!({ "path": path }));
    let refusal = r#"{"error":{"message":"messages.2.assistant.reasoning_content: property 'reasoning_content' is unsupported"}}"#;
    let server = Server::start(vec![
        reasoned("", &[read("c1", "a.txt")]),
        reasoned("", &[read("c2", "b.txt")]),
        Reply::Status(422, "", refusal.to_owned()),
        reasoned("", &[read("c3", "b.txt")]),
        reasoned("Done.", &[]),
    ]);
    let variables = [("OPENAI_BASE_URL", &*server.url), ("OPENAI_API_KEY", "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Read both.", "--model", "chat:m-1"], &variables);
    assert_eq!((ran.status, ran.out.trim()), (Some(0), "Done."), "{}", ran.err);
    let requests = server.requests();
    let thoughts = |at: usize| requests[at]["messages"].to_string().matches("reasoning_content").count();
    assert_eq!([0, 1, 2, 3, 4].map(thoughts), [0, 1, 2, 0, 0]);
    assert!(!requests[1].to_string().contains("annotations"));
}

/// A tool that the vendor's search found earlier is gone, for example after a conversation was resumed without its server.
#[test]
fn references_to_tools_that_are_gone_are_removed_if_the_server_refuses_them() {
    let folder = folder();
    let mut found = (anthropic().answer)("", &[("c1", "read_file", json!({ "path": "a.txt" }))]);
    for event in &mut found {
        let mut value: Value = serde_json::from_str(event).expect("it is JSON");
        if let Some(index) = value["index"].as_u64() {
            value["index"] = (index + 1).into();
        }
        *event = value.to_string();
    }
    let reference = |name: &str| json!({ "type": "tool_reference", "tool_name": name });
    let references = [reference("mcp__gone__find"), reference("read_file")];
    let content = json!({ "type": "tool_search_tool_search_result", "tool_references": references });
    let block = json!({ "type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content });
    let search = [
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ];
    found.splice(1..1, search.iter().map(Value::to_string));
    let refusal = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Tool reference 'mcp__gone__find' not found in available tools"}}"#;
    let server = Server::start(vec![
        Reply::Events(found),
        Reply::Status(400, "", refusal.to_owned()),
        Reply::Events((anthropic().answer)("Done.", &[])),
    ]);
    let variables = [(anthropic().base, &*server.url), (anthropic().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Read it.", "--model", "anthropic:m-1"], &variables);
    assert_eq!((ran.status, ran.out.trim()), (Some(0), "Done."), "{}", ran.err);
    let requests = server.requests();
    let refers = |at: usize, name: &str| requests[at]["messages"].to_string().contains(&reference(name).to_string());
    assert!(refers(1, "mcp__gone__find") && !refers(2, "mcp__gone__find"));
    assert!(refers(1, "read_file") && refers(2, "read_file"));
}

/// An answer that ends within a call must not run it.
#[test]
fn a_call_that_is_cut_off_ends_the_task_as_cut_off() {
    for vendor in &VENDORS[..3] {
        let folder = folder();
        let mut events = (vendor.answer)("", &[("c1", "read_file", json!({ "path": "a.txt" }))]);
        for event in &mut events {
            let Ok(mut value) = serde_json::from_str::<Value>(event) else { continue };
            for (place, cut) in [
                ("/choices/0/finish_reason", "length"),
                ("/delta/stop_reason", "max_tokens"),
                ("/response/status", "incomplete"),
            ] {
                if let Some(reason) = value.pointer_mut(place).filter(|reason| reason.is_string()) {
                    *reason = cut.into();
                }
            }
            // The arguments end within a string.
            for place in ["/choices/0/delta/tool_calls/0/function/arguments", "/delta/partial_json"] {
                if let Some(part) =
                    value.pointer_mut(place).filter(|part| part.as_str().is_some_and(|part| part.contains('}')))
                {
                    *part = "".into();
                }
            }
            if let Some(call) = value.pointer_mut("/response/output").and_then(|items| items.as_array_mut()?.last_mut())
            {
                (call["status"], call["arguments"]) = ("incomplete".into(), "{\"path\": \"a".into());
            }
            if value["type"] == "response.completed" {
                value["type"] = "response.incomplete".into();
                value["response"]["status"] = "incomplete".into();
                value["response"]["incomplete_details"] = json!({ "reason": "max_output_tokens" });
            }
            *event = value.to_string();
        }
        let server = Server::start(vec![Reply::Events(events)]);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let ran = run(folder.path(), &["agent", "Read it.", "--model", &format!("{}:m-1", vendor.api)], &variables);
        assert_eq!(ran.status, Some(1), "{}: {}", vendor.api, ran.err);
        assert!(ran.err.contains("cut off at a token limit"), "{}: {}", vendor.api, ran.err);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_refusal_that_is_not_about_thinking_in_the_conversation_is_an_error() {
    let folder = folder();
    let server = Server::start(vec![Reply::Status(400, "", STALE.to_owned())]);
    let variables = [(anthropic().base, &*server.url), (anthropic().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Hello", "--model", "anthropic:m-1"], &variables);
    assert_eq!(ran.status, Some(2), "{} {}", ran.out, ran.err);
    assert_eq!(server.requests().len(), 1);
}

/// A program of the model waits in a container, which only requests with results for it name.
#[test]
fn results_for_a_program_name_its_container() {
    let folder = folder();
    let events = (anthropic().answer)("", &[("c1", "read_file", json!({ "path": "a.txt" }))]);
    let by_program = events.into_iter().map(|event| {
        let mut event: Value = serde_json::from_str(&event).expect("it is JSON");
        if event["content_block"]["type"] == "tool_use" {
            event["content_block"]["caller"] = json!({ "type": "code_execution_20260120", "tool_id": "srvtoolu_1" });
        }
        if event["type"] == "message_delta" {
            event["delta"]["container"] = json!({ "id": "container_1", "expires_at": "2026-11-27T12:00:00Z" });
        }
        event.to_string()
    });
    let server = Server::start(vec![
        Reply::Events(by_program.collect()),
        Reply::Events((anthropic().answer)("", &[("c2", "read_file", json!({ "path": "b.txt" }))])),
        Reply::Events((anthropic().answer)("Done.", &[])),
    ]);
    let variables = [(anthropic().base, &*server.url), (anthropic().key, "sk-a-secret-key")];
    let ran = run(folder.path(), &["agent", "Read it.", "--model", "anthropic:m-1"], &variables);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let containers: Vec<Value> = server.requests().iter().map(|request| request["container"].clone()).collect();
    assert_eq!(containers, [Value::Null, "container_1".into(), Value::Null]);
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

#[test]
fn an_empty_answer_is_asked_for_again() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = vendor.answer;
        let server = Server::start(vec![
            Reply::Events(answer("", &[("c1", "read_file", json!({ "path": "a.txt" }))])),
            Reply::Events(answer("", &[])),
            Reply::Events(answer("Done.", &[])),
        ]);
        let model = format!("{}:m-1", vendor.api);
        let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
        let run = run(folder.path(), &["agent", "Go on.", "--model", &model], &variables);
        assert_eq!((run.status, &*run.out), (Some(0), "Done.\n"), "{}: {}", vendor.api, run.err);
        assert!(run.err.contains("stopped without an answer"), "{}: {}", vendor.api, run.err);
        let requests = server.requests();
        assert_eq!(requests[1][vendor.conversation], requests[2][vendor.conversation], "{}", vendor.api);
    }
}
