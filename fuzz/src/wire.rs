//! A property of any message of a vendor's API or an MCP client: it is an error with a message, or its responses can be sent.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future as _;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use toolc::wire::mcp::{Incoming, Server};
use toolc::wire::{Api, ModelResponse, WireError};
use toolc::{CallResponse, CompletedCall, Dialect, DynamicTool, RawValue, Registry, ToolCall, ToolOutput, Turn};

/// Folders of recorded messages, each with its API. Those of MCP are from a client.
const VENDORS: [(&str, Option<Api>); 5] = [
    ("chat", Some(Api::ChatCompletions)),
    ("responses", Some(Api::Responses)),
    ("anthropic", Some(Api::Anthropic)),
    ("gemini", Some(Api::Gemini)),
    ("mcp", None),
];

/// A message of a vendor: a character that selects the vendor and streaming, and the text.
pub fn message(input: &str) {
    let Some(first) = input.chars().next() else { return };
    let (text, chosen) = (&input[first.len_utf8()..], first as usize);
    match VENDORS[chosen / 2 % VENDORS.len()].1 {
        None => request(text),
        Some(api) if chosen % 2 == 0 => check(api, &api.parse(text)),
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

/// The recorded messages, as [`message`] takes them.
pub(crate) fn seeds(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut seeds = BTreeSet::new();
    for (path, text) in files {
        let (folder, name) = path.split_once('/').expect("messages are in folders");
        let at = VENDORS.iter().position(|(vendor, _)| *vendor == folder).expect("a vendor's folder");
        let mut add = |text: &str, is_stream: bool| {
            let chosen = u32::try_from(10 * 6 + 2 * at + usize::from(is_stream)).ok().and_then(char::from_u32);
            seeds.insert(format!("{}{text}", chosen.expect("it is a small number")));
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

fn streamed(api: Api, bytes: &[u8], size: usize) -> Result<ModelResponse, WireError> {
    let mut stream = api.stream();
    for piece in bytes.chunks(size) {
        stream.push(piece)?;
    }
    stream.finish()
}

fn check(api: Api, response: &Result<ModelResponse, WireError>) {
    match response {
        Err(error) => assert!(error.to_string().chars().count() < 1_500, "{error}"),
        Ok(response) => {
            let calls = response.calls();
            let ids: BTreeSet<&str> = calls.iter().map(ToolCall::id).collect();
            assert_eq!(ids.len(), calls.len(), "each has an id of its own");
            let answers = calls.into_iter().map(|call| CompletedCall { call, response: CallResponse::clone(&ODD) });
            let results = api.results(&answers.collect::<Vec<_>>());
            for text in results.iter().chain(response.messages()) {
                assert!(text.get().starts_with('{'), "it is an object: {text}");
            }
        }
    }
}

/// A result that handlers never return, but a host may construct.
static ODD: LazyLock<CallResponse> = LazyLock::new(|| {
    let mut answer = CallResponse::from(Ok(ToolOutput::text("")));
    "not JSON".clone_into(&mut answer.json);
    answer
});

/// An MCP server with one tool.
static TURN: LazyLock<Turn> = LazyLock::new(|| {
    let schema = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tool = DynamicTool::sync("weather", "The weather.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(tool.build().expect("the tool is valid")).expect("it is the only one");
    registry.session().build().expect("all is known").turn_blocking(Dialect::Mcp)
});

fn request(text: &str) {
    let reply = match Server::new("fuzz", "1").with_page_size(1).receive(text, &TURN) {
        Incoming::Reply(reply) => reply,
        Incoming::Call(request) => {
            let call = request.call();
            let answer = pin!(TURN.call(&call)).poll(&mut Context::from_waker(Waker::noop()));
            let Poll::Ready(answer) = answer else { panic!("nothing waits here") };
            request.result(&TURN, &answer)
        }
        Incoming::Cancelled(_) | Incoming::Nothing => return,
    };
    let reply: BTreeMap<&str, &RawValue> = serde_json::from_str(&reply).expect("replies are JSON");
    let has = |key| reply.contains_key(key);
    assert!(reply.len() == 3 && has("jsonrpc") && has("id") && (has("result") != has("error")), "{reply:?}");
}
