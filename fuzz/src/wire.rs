//! A property of any message of a vendor's API or an MCP client: parsing it fails with a message, or its calls can be answered.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future as _;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use toolc::wire::mcp::{Incoming, Server};
use toolc::wire::{Api, ModelResponse, WireError};
use toolc::{CallResponse, CompletedCall, Dialect, DynamicTool, RawValue, Registry, ToolCall, ToolOutput, Turn};

/// Folders of recorded messages, each with its API. The messages in `mcp` are those of a client.
const VENDORS: [(&str, Option<Api>); 6] = [
    ("chat", Some(Api::ChatCompletions)),
    ("responses", Some(Api::Responses)),
    ("anthropic", Some(Api::Anthropic)),
    ("gemini", Some(Api::Gemini)),
    ("mcp", None),
    ("interactions", Some(Api::Interactions)),
];

/// Checks a message. `input` has a character that selects the vendor and streaming, and the text of the message.
pub fn message(input: &str) {
    let Some(first) = input.chars().next() else { return };
    let text = &input[first.len_utf8()..];
    let selector = first as usize;
    match VENDORS[selector / 2 % VENDORS.len()].1 {
        None => check_mcp_message(text),
        Some(api) if selector.is_multiple_of(2) => check(api, &api.parse(text)),
        Some(api) => {
            let whole = streamed(api, text.as_bytes(), text.len().max(1));
            for size in [1, 7] {
                let pieces = streamed(api, text.as_bytes(), size);
                assert_eq!(format!("{whole:?}"), format!("{pieces:?}"), "in pieces of {size} bytes");
            }
            check(api, &whole);
        }
    }
}

/// Returns the recorded messages, in the format of [`message`].
pub(crate) fn seeds(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut seeds = BTreeSet::new();
    for (path, text) in files {
        let (folder, name) = path.split_once('/').expect("messages are in folders");
        let at = VENDORS.iter().position(|(vendor, _)| *vendor == folder).expect("a vendor's folder");
        let mut add = |text: &str, is_stream: bool| {
            let selector = u32::try_from(10 * 6 + 2 * at + usize::from(is_stream)).ok().and_then(char::from_u32);
            seeds.insert(format!("{}{text}", selector.expect("a small number")));
        };
        match name.rsplit_once('.') {
            Some((_, "jsonl")) => text.lines().for_each(|line| add(line, false)),
            Some((_, "json")) => add(text, false),
            Some((_, "sse")) => add(text, true),
            _ => {}
        }
    }
    seeds
}

/// Parses a streamed message in pieces of `size` bytes.
fn streamed(api: Api, bytes: &[u8], size: usize) -> Result<ModelResponse, WireError> {
    let mut stream = api.stream();
    for piece in bytes.chunks(size) {
        stream.push(piece)?;
    }
    stream.finish()
}

/// Asserts that a response has distinct ids, and that results of its calls can be written.
fn check(api: Api, response: &Result<ModelResponse, WireError>) {
    match response {
        Err(error) => assert!(error.to_string().chars().count() < 1_500, "{error}"),
        Ok(response) => {
            let calls = response.calls();
            let ids: BTreeSet<&str> = calls.iter().map(ToolCall::id).collect();
            assert_eq!(ids.len(), calls.len(), "ids of calls are unique");
            let answers =
                calls.into_iter().map(|call| CompletedCall { call, response: CallResponse::clone(&NOT_JSON) });
            let answers: Vec<CompletedCall<'_>> = answers.collect();
            let results = api.results(&answers);
            check_ids(response, &answers, &results);
            for text in results.iter().chain(response.messages()) {
                assert!(text.get().starts_with('{'), "not an object: {text}");
            }
        }
    }
}

/// Asserts that the model's messages and the results have the ids of the calls. Ids of calls of Gemini without ids are not sent.
fn check_ids(response: &ModelResponse, answers: &[CompletedCall<'_>], results: &[Box<RawValue>]) {
    // Numbers and characters that this parser refuses are sent back all the same.
    let (Some(sent), Some(answered)) = (texts(response.messages()), texts(results)) else { return };
    for CompletedCall { call, .. } in answers.iter().filter(|answer| !answer.call.id().starts_with("no-id:")) {
        assert!(sent.contains(call.id()), "the message has no {:?}: {sent:?}", call.id());
        assert!(answered.contains(call.id()), "no result has {:?}: {answered:?}", call.id());
    }
}

/// Returns all strings of JSON texts, if they can be parsed.
fn texts(messages: &[Box<RawValue>]) -> Option<BTreeSet<String>> {
    fn collect(value: &serde_json::Value, texts: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::String(text) => _ = texts.insert(text.clone()),
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
            serde_json::Value::Object(entries) => entries.values().for_each(|value| collect(value, texts)),
            _ => {}
        }
    }
    let mut texts = BTreeSet::new();
    for message in messages {
        collect(&serde_json::from_str(message.get()).ok()?, &mut texts);
    }
    Some(texts)
}

/// A response that no handler returns, but a host can construct.
static NOT_JSON: LazyLock<CallResponse> = LazyLock::new(|| {
    let mut answer = CallResponse::from(Ok(ToolOutput::text("")));
    "not JSON".clone_into(&mut answer.json);
    answer
});

/// The turn of an MCP server with one tool.
static TURN: LazyLock<Turn> = LazyLock::new(|| {
    let schema = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tool = DynamicTool::sync("weather", "The weather.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(tool.build().expect("the tool is valid")).expect("the name is free");
    registry.session().build().expect("the session is valid").turn_blocking(Dialect::Mcp)
});

/// Asserts that the server replies to a message with a result or an error, or not at all.
fn check_mcp_message(text: &str) {
    check_mcp_incoming(Server::new("fuzz", "1").with_page_size(1).receive(text, &TURN));
}

fn check_mcp_incoming(incoming: Incoming) {
    let reply = match incoming {
        Incoming::Reply(reply) => reply,
        Incoming::Call(request) => {
            let call = request.call();
            let answer = pin!(TURN.call(&call)).poll(&mut Context::from_waker(Waker::noop()));
            let Poll::Ready(answer) = answer else { panic!("the call is not ready") };
            request.result(&TURN, &answer)
        }
        Incoming::Batch(parts) => return parts.into_iter().for_each(check_mcp_incoming),
        Incoming::Cancelled(_) | Incoming::Nothing => return,
    };
    let reply: BTreeMap<&str, &RawValue> = serde_json::from_str(&reply).expect("replies are JSON");
    let has = |key| reply.contains_key(key);
    assert!(reply.len() == 3 && has("jsonrpc") && has("id") && (has("result") != has("error")), "{reply:?}");
}
