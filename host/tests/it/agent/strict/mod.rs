//! Conversations with models that send odd messages, with servers that refuse what the vendors refuse.

mod rules;

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{Run, folder, run};

/// An answer of a model: its thinking, its text, and its calls.
#[derive(Clone, Default)]
struct Odd {
    thinking: &'static str,
    text: &'static str,
    /// The id, the name, and the arguments as the server sends them.
    calls: &'static [(&'static str, &'static str, &'static str)],
}

impl Odd {
    const fn calls(calls: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        Self { thinking: "", text: "", calls }
    }

    /// Returns the events of the answer.
    fn events(&self, api: &str) -> Vec<String> {
        let events = match api {
            "chat" => self.chat(),
            "responses" => self.responses(),
            "anthropic" => self.anthropic(),
            _ => self.gemini(),
        };
        let end = (api == "chat").then(|| "[DONE]".to_owned());
        events.iter().map(Value::to_string).chain(end).collect()
    }

    fn chat(&self) -> Vec<Value> {
        let chunk = |delta: Value, reason: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
        let mut events = vec![chunk(json!({ "role": "assistant", "content": self.text }), Value::Null)];
        for (index, (id, name, arguments)) in self.calls.iter().enumerate() {
            let function = json!({ "name": name, "arguments": arguments });
            let call = json!({ "index": index, "id": id, "type": "function", "function": function });
            events.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
        }
        events.push(chunk(json!({}), if self.calls.is_empty() { "stop" } else { "tool_calls" }.into()));
        events
    }

    fn responses(&self) -> Vec<Value> {
        let mut items = Vec::new();
        if !self.thinking.is_empty() {
            let summary = json!([{ "type": "summary_text", "text": self.thinking }]);
            items.push(json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VjcmV0", "content": null }));
        }
        if !self.text.is_empty() {
            let content = json!([{ "type": "output_text", "text": self.text, "annotations": [], "logprobs": [] }]);
            items.push(json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content }));
        }
        items.extend(self.calls.iter().map(|(id, name, arguments)| {
            json!({ "type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments, "status": "completed" })
        }));
        let done = items.iter().enumerate();
        let done = done
            .map(|(index, item)| json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
        let mut events: Vec<Value> = done.collect();
        events.push(json!({ "type": "response.completed", "response": { "status": "completed", "output": items } }));
        events
    }

    fn anthropic(&self) -> Vec<Value> {
        let mut blocks = Vec::new();
        if !self.thinking.is_empty() {
            let deltas = vec![
                json!({ "type": "thinking_delta", "thinking": self.thinking }),
                json!({ "type": "signature_delta", "signature": "c2lnbmVk" }),
            ];
            blocks.push((json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas));
        }
        if !self.text.is_empty() {
            let delta = json!({ "type": "text_delta", "text": self.text });
            blocks.push((json!({ "type": "text", "text": "", "citations": null }), vec![delta]));
        }
        blocks.extend(self.calls.iter().map(|(id, name, arguments)| {
            let delta = json!({ "type": "input_json_delta", "partial_json": arguments });
            (json!({ "type": "tool_use", "id": id, "name": name, "input": {} }), vec![delta])
        }));
        let mut events = vec![json!({ "type": "message_start", "message": { "role": "assistant", "usage": {} } })];
        for (index, (block, deltas)) in blocks.into_iter().enumerate() {
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
            events.extend(
                deltas.iter().map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
            );
            events.push(json!({ "type": "content_block_stop", "index": index }));
        }
        let reason = if self.calls.is_empty() { "end_turn" } else { "tool_use" };
        events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": {} }));
        events.push(json!({ "type": "message_stop" }));
        events
    }

    fn gemini(&self) -> Vec<Value> {
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(json!({ "text": self.thinking, "thought": true, "thoughtSignature": "c2lnbmVk" }));
        }
        if !self.text.is_empty() {
            parts.push(json!({ "text": self.text }));
        }
        parts.extend(self.calls.iter().map(|(id, name, arguments)| {
            let args = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(*arguments));
            json!({ "functionCall": { "id": id, "name": name, "args": args }, "thoughtSignature": "c2lnbmVk" })
        }));
        parts.push(json!({ "text": "" }));
        let content = json!({ "role": "model", "parts": parts });
        vec![json!({ "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }] })]
    }
}

const READ: &str = r#"{"path":"a.txt"}"#;

/// What the model sends, in one answer after the other.
const ODD: &[(&str, &[Odd])] = &[
    ("arguments that are cut off", &[Odd::calls(&[("c1", "read_file", r#"{"path": "a.txt"#)])]),
    ("arguments that are empty", &[Odd::calls(&[("c1", "read_file", "")])]),
    ("arguments that are a text", &[Odd::calls(&[("c1", "read_file", r#""a.txt""#)])]),
    ("arguments that are a list", &[Odd::calls(&[("c1", "read_file", "[1]")])]),
    ("arguments that are null", &[Odd::calls(&[("c1", "read_file", "null")])]),
    ("arguments that are a number", &[Odd::calls(&[("c1", "read_file", "5")])]),
    ("arguments of Python", &[Odd::calls(&[("c1", "read_file", "{'path': 'a.txt', 'x': None}")])]),
    ("half a pair of surrogates", &[Odd::calls(&[("c1", "read_file", r#"{"path":"\ud83d"}"#)])]),
    ("two objects", &[Odd::calls(&[("c1", "read_file", r#"{"path":"a.txt"}{"path":"b.txt"}"#)])]),
    ("a name that is empty", &[Odd::calls(&[("c1", "", READ)])]),
    ("a name with spaces", &[Odd::calls(&[("c1", "read file", READ)])]),
    ("a name with a namespace", &[Odd::calls(&[("c1", "functions.read_file", READ)])]),
    ("a name of other letters", &[Odd::calls(&[("c1", "lire_été", READ)])]),
    (
        "a very long name",
        &[Odd::calls(&[(
            "c1",
            "read_file_read_file_read_file_read_file_read_file_read_file_read_file_read_file",
            READ,
        )])],
    ),
    ("a tool that does not exist", &[Odd::calls(&[("c1", "no_such_tool", READ)])]),
    ("one id for two calls", &[Odd::calls(&[("c1", "read_file", READ), ("c1", "read_file", r#"{"path":"b.txt"}"#)])]),
    (
        "one id in two answers",
        &[Odd::calls(&[("c1", "read_file", READ)]), Odd::calls(&[("c1", "read_file", r#"{"path":"b.txt"}"#)])],
    ),
    ("an id that is empty", &[Odd::calls(&[("", "read_file", READ), ("", "read_file", r#"{"path":"b.txt"}"#)])]),
    ("an id of other letters", &[Odd::calls(&[("call:1/ä", "read_file", READ)])]),
    (
        "calls at the same time",
        &[Odd {
            text: "I read all.",
            ..Odd::calls(&[("c1", "read_file", READ), ("c2", "no_such_tool", "{}"), ("c3", "read_file", "[")])
        }],
    ),
    ("thinking", &[Odd { thinking: "Hm.", ..Odd::calls(&[("c1", "read_file", READ)]) }]),
    ("thinking and text", &[Odd { thinking: "Hm.", text: "I read.", calls: &[("c1", "read_file", "{")] }]),
    ("a text that is blank", &[Odd { text: "\n\n", ..Odd::calls(&[("c1", "read_file", READ)]) }]),
    ("a call that is refused", &[Odd::calls(&[("c1", "terminal", r#"{"command":"rm -rf /"}"#)])]),
    (
        "a refused call next to another",
        &[Odd::calls(&[("c1", "terminal", r#"{"command":"rm -rf ~"}"#), ("c2", "read_file", READ)])],
    ),
];

const DONE: Odd = Odd { thinking: "", text: "Done.", calls: &[] };

/// Runs a task whose model sends these answers.
fn task(folder: &Path, api: &str, answers: &[Odd], args: &[&str]) -> Run {
    let vendor = VENDORS.iter().find(|vendor| vendor.api == api).expect("it is listed");
    let replies = answers.iter().map(|odd| Reply::Events(odd.events(api))).collect();
    let server = Server::strict(replies, rules::of(api));
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    run(folder, &[&["agent", "Go on.", "--model", &format!("{api}:m-1")], args].concat(), &variables)
}

const APIS: [&str; 4] = ["chat", "responses", "anthropic", "gemini"];

#[test]
fn a_strict_server_accepts_the_history_of_each_odd_answer_and_of_a_resumed_one() {
    let mut refused = Vec::new();
    for api in APIS {
        for (name, odd) in ODD {
            let folder = folder();
            let first = task(folder.path(), api, &[odd, &[DONE][..]].concat(), &[]);
            if (first.status, &*first.out) != (Some(0), "Done.\n") {
                refused.push(format!("{api}, {name}: {}{}", first.out, first.err));
                continue;
            }
            let again = task(folder.path(), api, &[DONE], &["--resume"]);
            if (again.status, &*again.out) != (Some(0), "Done.\n") {
                refused.push(format!("{api}, {name}, resumed: {}{}", again.out, again.err));
            }
        }
    }
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn a_strict_server_accepts_one_history_with_all_odd_answers() {
    for api in APIS {
        let folder = folder();
        let all: Vec<Odd> = ODD.iter().flat_map(|(_, odd)| odd.iter().cloned()).chain([DONE]).collect();
        let run = task(folder.path(), api, &all, &[]);
        assert_eq!((run.status, &*run.out), (Some(0), "Done.\n"), "{api}: {}", run.err);
    }
}

#[test]
fn a_strict_server_accepts_a_conversation_that_other_apis_have_continued() {
    let mut refused = Vec::new();
    for (first, second) in APIS.into_iter().flat_map(|first| APIS.map(|second| (first, second))) {
        let folder = folder();
        let calls = [Odd { thinking: "Hm.", ..Odd::calls(&[("c1", "read_file", READ)]) }, DONE];
        for (turn, api) in [first, second, first, first, second].into_iter().enumerate() {
            let resume: &[&str] = if turn > 0 { &["--resume"] } else { &[] };
            let run = task(folder.path(), api, &calls, resume);
            if (run.status, &*run.out) != (Some(0), "Done.\n") {
                refused.push(format!("{first}, {second}, turn {turn}: {}{}", run.out, run.err));
            }
        }
    }
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}

/// The rules refuse what they are made to refuse.
#[test]
fn the_rules_of_each_api_refuse_what_its_server_refuses() {
    let user = json!({ "role": "user", "content": "a" });
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": arguments } });
    let assistant = |calls: Value| json!({ "role": "assistant", "content": null, "tool_calls": calls });
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "r" });
    for messages in [
        json!([user, { "role": "assistant", "content": "" }]),
        json!([user, { "role": "assistant", "content": "a", "reasoning": "b" }]),
        json!([user, assistant(json!([call("1", "{")])), result("1")]),
        json!([user, assistant(json!([call("1", "[]")])), result("1")]),
        json!([user, assistant(json!([call("1", "{}")]))]),
        json!([user, assistant(json!([call("1", "{}")])), result("1"), result("1")]),
        json!([user, result("1")]),
        json!([user, assistant(json!([call("1", "{}"), call("1", "{}")])), result("1"), result("1")]),
    ] {
        rules::of("chat")(&json!({ "messages": messages })).expect_err(&messages.to_string());
    }
    let item = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "r" });
    for input in [
        json!([item("1")]),
        json!([output("1")]),
        json!([item("1"), output("1"), output("1")]),
        json!([item("1"), output("1"), item("1"), output("1")]),
        json!([{ "type": "reasoning", "summary": [] }, output("1")]),
        json!([{ "type": "message", "role": "user", "content": [], "x": 1 }]),
    ] {
        rules::of("responses")(&json!({ "input": input })).expect_err(&input.to_string());
    }
    let block = |input: Value| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "f", "input": input }] });
    let results = |ids: &[&str]| {
        let blocks: Vec<Value> =
            ids.iter().map(|id| json!({ "type": "tool_result", "tool_use_id": id, "content": "r" })).collect();
        json!({ "role": "user", "content": blocks })
    };
    for messages in [
        json!([{ "role": "assistant", "content": "a" }]),
        json!([user, user]),
        json!([user, block(json!("{}")), results(&["1"])]),
        json!([user, block(json!({})), results(&[])]),
        json!([user, block(json!({})), results(&["1", "1"])]),
        json!([user, block(json!({})), user]),
        json!([user, { "role": "assistant", "content": [{ "type": "text", "text": " " }] }]),
        json!([user, { "role": "assistant", "content": [{ "type": "thinking", "thinking": "a", "signature": "" }] }]),
    ] {
        rules::of("anthropic")(&json!({ "messages": messages })).expect_err(&messages.to_string());
    }
    let says = json!({ "role": "user", "parts": [{ "text": "a" }] });
    let calls = |args: Value| json!({ "role": "model", "parts": [{ "functionCall": { "name": "f", "args": args } }] });
    let answers = |names: &[&str]| {
        let parts: Vec<Value> =
            names.iter().map(|name| json!({ "functionResponse": { "name": name, "response": {} } })).collect();
        json!({ "role": "user", "parts": parts })
    };
    for contents in [
        json!([calls(json!({})), answers(&["f"])]),
        json!([says, calls(json!("{}")), answers(&["f"])]),
        json!([says, calls(json!({})), answers(&["f", "f"])]),
        json!([says, calls(json!({})), answers(&["g"])]),
        json!([says, calls(json!({})), says]),
        json!([says, { "role": "model", "parts": [] }]),
        json!([says, { "role": "model", "parts": [{ "thoughtSignature": "a" }] }]),
    ] {
        rules::of("gemini")(&json!({ "contents": contents })).expect_err(&contents.to_string());
    }
}
