//! Messages of the vendors' APIs, written by hand from their published schemas: `tests/wire/VENDOR/NAME.json` is complete,
//! `NAME.sse` is streamed. A snapshot next to each holds its calls, their results and the messages to send back.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc::behaviour::Callers;
use toolc::limits::ResultLimits;
use toolc::origin::CallOrigin;
use toolc::search::ToolSearch;
use toolc::wire::mcp::{Incoming, Request, Server};
use toolc::wire::{Api, ModelResponse, WireError};
use toolc::{Dialect, DynamicTool, DynamicTools, RawValue, Registry, ToolError, ToolOutput, Turn};
use toolc_tests::echo::Echo;

/// The folder of each API, and a dialect for its turns.
const APIS: [(&str, Api, Dialect); 5] = [
    ("chat", Api::ChatCompletions, Dialect::OpenAi),
    ("responses", Api::Responses, Dialect::OpenAiResponses),
    ("anthropic", Api::Anthropic, Dialect::Anthropic),
    ("gemini", Api::Gemini, Dialect::Gemini),
    ("interactions", Api::Interactions, Dialect::Gemini),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("wire").join(name)
}

/// Returns the messages in a folder with this extension, sorted.
fn recorded(name: &str, extension: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(folder(name)).expect("failed to read a folder");
    let paths = files.map(|file| file.expect("a file").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|is| is == extension)).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).expect("a message is text"))
    };
    let found: Vec<_> = paths.into_iter().map(read).collect();
    assert!(!found.is_empty(), "{name} has .{extension}");
    found
}

/// Returns all streams with their APIs.
fn streams() -> impl Iterator<Item = (Api, String, String)> {
    APIS.into_iter().flat_map(|(folder, api, _)| {
        recorded(folder, "sse").into_iter().map(move |(name, text)| (api, format!("{folder}/{name}"), text))
    })
}

/// Returns a turn with the tools that the recorded messages call, and some tools with a schema for results.
fn turn(dialect: Dialect) -> Turn {
    let city = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": ["integer", "number"]}},
        "required": ["city"],
        "additionalProperties": false,
    });
    let patch = json!({"type": "object", "properties": {"patch": {"type": "string"}}, "required": ["patch"]});
    let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let tools = [
        DynamicTool::sync("weather", "The weather in a city.", city, |args, call| {
            ToolOutput::json(&json!({"asked": args, "sky": "🌧 \"wet\"", "id": call.id()}))
        })
        .toolset("places"),
        DynamicTool::sync("apply", "Apply a patch.", patch, |args, _| {
            Ok(ToolOutput::text(args["patch"].as_str().unwrap_or_default()))
        })
        .toolset("files"),
        DynamicTool::sync("now", "The time.", nothing.clone(), |_, _| Ok(ToolOutput::text("noon\n\"sharp\""))),
        DynamicTool::sync("fail", "Fail.", nothing, |_, _| Err(ToolError::new("asked to fail"))),
    ];
    let tools = DynamicTools::new().tools(tools.map(|tool| tool.callers(Callers::BOTH)));
    let registry = Registry::new();
    registry.add(tools.build().expect("the tools are valid")).expect("the names are unique");
    registry.add(toolc_tests::golden::shared_provider(Echo)).expect("the names are unique");
    let mut session = registry.session().enable(["dynamic", "places", "files", "returns"]);
    if dialect == Dialect::OpenAiResponses {
        // Deferred tools are in the namespaces of their toolsets.
        session = session.tool_search(ToolSearch::with_threshold(0).by_vendor());
    }
    session.build().expect("the session is valid").turn_blocking(dialect)
}

/// Returns indented JSON with sorted keys.
fn indented(texts: &[Box<RawValue>]) -> String {
    let value = |text: &RawValue| serde_json::from_str::<Value>(text.get()).expect("it is JSON");
    let lines = texts.iter().map(|text| format!("{:#}\n", sorted(value(text))));
    lines.collect()
}

/// Sorts keys, so that the text does not depend on whether a crate in the build enables `preserve_order`.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.into_iter().collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// Describes a response in full.
fn describe(response: &Result<ModelResponse, WireError>) -> String {
    let response = match response {
        Ok(response) => response,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut out = format!("stop: {:?} ({})\n", response.stop(), response.stop_reason());
    let _ = writeln!(out, "text: {:?}", response.text());
    if let Some(container) = response.container() {
        let _ = writeln!(out, "container: {container}");
    }
    for call in response.calls() {
        let _ = writeln!(out, "call: {} {} {}", call.id(), call.name(), call.arguments());
        if *call.origin() != CallOrigin::default() {
            let _ = writeln!(out, "      {:?}", call.origin());
        }
    }
    for unknown in response.unknown() {
        let _ = writeln!(out, "unknown: {unknown}");
    }
    out + "messages:\n" + &indented(response.messages())
}

/// Describes a response, and the messages with the results of its calls.
fn describe_with_results(api: Api, dialect: Dialect, response: &Result<ModelResponse, WireError>) -> String {
    let mut out = describe(response);
    if let Ok(response) = response
        && !response.calls().is_empty()
    {
        let answers = pollster::block_on(turn(dialect).batch(&response.calls()));
        out += "results:\n";
        out += &indented(&api.results(&answers));
    }
    out
}

fn snapshot(folder_name: &str, name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => folder(folder_name), prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

/// Parses a stream that arrives in these pieces. Returns the text that was shown, and the response.
fn streamed<'p>(api: Api, pieces: impl IntoIterator<Item = &'p [u8]>) -> (String, Result<ModelResponse, WireError>) {
    let (mut stream, mut shown) = (api.stream(), String::new());
    for piece in pieces {
        match stream.push(piece) {
            Ok(text) => shown += &text,
            Err(error) => {
                assert_eq!(stream.push(b"data: {}\n\n"), Err(error.clone()), "the error is repeated");
                assert_eq!(stream.finish().map(|_| ()), Err(error.clone()), "the error is final");
                return (String::new(), Err(error));
            }
        }
    }
    let response = stream.finish();
    (if response.is_ok() { shown } else { String::new() }, response)
}

#[test]
fn messages_are_parsed_answered_and_written_back() {
    for (folder, api, dialect) in APIS {
        for (name, text) in recorded(folder, "json") {
            let response = api.parse(&text);
            snapshot(folder, &name, &describe_with_results(api, dialect, &response));
        }
        for (name, text) in recorded(folder, "sse") {
            let (shown, response) = streamed(api, [text.as_bytes()]);
            if let Ok(response) = &response {
                assert_eq!(
                    shown,
                    response.text(),
                    "{folder}/{name}: the streamed text differs from that of the response"
                );
            }
            snapshot(folder, &name, &describe_with_results(api, dialect, &response));
        }
    }
}

/// Messages with members that servers refuse. The tests of each API compare them, and messages with new ids or arguments.
const MENDED: &[&str] = &[
    "chat/calls.json",
    "chat/refusal.json",
    "chat/two_choices.json",
    "responses/calls.json",
    "anthropic/calls.json",
    "anthropic/programs.json",
    "anthropic/server_tools.json",
];

#[test]
fn a_models_message_is_sent_back_unchanged() {
    for (folder, api, _) in APIS {
        let has_new_values =
            |name: &str| ["_id.json", "_input.json", "args.json"].iter().any(|end| name.ends_with(end));
        for (name, text) in recorded(folder, "json") {
            let Ok(response) = api.parse(&text) else { continue };
            let again = api.sent_back(response.messages());
            let texts =
                |messages: &[Box<RawValue>]| messages.iter().map(|json| json.get().to_owned()).collect::<Vec<_>>();
            assert_eq!(texts(&again), texts(response.messages()), "{folder}/{name}");
            if has_new_values(&name) || MENDED.contains(&&*format!("{folder}/{name}")) {
                continue;
            }
            for message in response.messages() {
                let own = message.get();
                let own = own.strip_prefix(r#"{"role":"assistant","content":"#).unwrap_or(own);
                let own = own.strip_prefix(r#"{"role":"model","parts":"#).unwrap_or(own);
                let own = if own.starts_with('[') { own.strip_suffix('}').unwrap_or(own) } else { own };
                assert!(own.len() > 10 && text.contains(own), "{folder}/{name}: {own}");
            }
        }
    }
}

#[test]
fn a_stream_parses_equally_at_any_chunk_boundary() {
    for (api, name, text) in streams() {
        let bytes = text.as_bytes();
        let (all, whole) = streamed(api, [bytes]);
        let whole = format!("{whole:?}");
        for at in 0..bytes.len() {
            let (shown, response) = streamed(api, [&bytes[..at], &bytes[at..]]);
            assert_eq!((&shown, format!("{response:?}")), (&all, whole.clone()), "{name}, cut at {at}");
        }
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', end);
            let (shown, response) = streamed(api, text.as_bytes().chunks(1));
            assert_eq!((&shown, format!("{response:?}")), (&all, whole.clone()), "{name}, byte by byte, {end:?}");
        }
    }
}

#[test]
fn a_truncated_stream_is_an_error_unless_it_is_complete() {
    for (api, name, text) in streams() {
        let bytes = text.as_bytes();
        // The usage comes last, and a response is complete without it.
        let shown = |response: &Result<ModelResponse, WireError>| {
            let shown = format!("{response:?}");
            shown.split_once(", usage: ").map_or(shown.clone(), |(before, _)| before.to_owned())
        };
        let whole = shown(&streamed(api, [bytes]).1);
        let mut errors = 0;
        for end in 0..bytes.len() {
            let (_, response) = streamed(api, [&bytes[..end]]);
            errors += usize::from(response.is_err());
            assert!(response.is_err() || shown(&response) == whole, "{name}, the first {end} bytes");
        }
        assert!(errors > bytes.len() / 2, "{name}: the beginning decides");
    }
}

/// Returns the reply of an MCP server to a message.
fn reply_to(server: &Server, turn: &Turn, message: &str) -> String {
    let incoming = server.receive(message, turn);
    if let Incoming::Cancelled(id) = incoming {
        return format!("(cancelled: {id})");
    }
    let run = |request: &Request| Some(request.result(turn, &pollster::block_on(turn.call(&request.call()))));
    incoming.reply_with(run).unwrap_or_else(|| "(nothing)".to_owned())
}

#[test]
fn an_mcp_server_answers_its_clients() {
    let (server, turn) = (Server::new("tests", "1.0").with_instructions("Only for \"tests\"."), turn(Dialect::Mcp));
    let mut out = String::new();
    for message in
        fs::read_to_string(folder("mcp").join("requests.jsonl")).expect("failed to read the requests").lines()
    {
        let reply = reply_to(&server, &turn, message);
        let shown = serde_json::from_str::<Value>(&reply).map_or(reply, |reply| sorted(reply).to_string());
        let _ = writeln!(out, "▶ {message}\n◀ {shown}\n");
    }
    snapshot("mcp", "requests.jsonl", &out);
}

/// Returns the metadata that a client of the newest version sends with each request.
fn newest_meta() -> Value {
    json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })
}

#[test]
fn an_mcp_server_lists_tools_in_pages() {
    let turn = turn(Dialect::Mcp);
    let all: Vec<Value> = serde_json::from_str(turn.definitions()).expect("definitions are JSON");
    let ask = |page: usize, cursor: Option<&str>| {
        let params = json!({"cursor": cursor, "_meta": newest_meta()});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        let reply = reply_to(&Server::new("tests", "1.0").with_page_size(page), &turn, &request.to_string());
        serde_json::from_str::<Value>(&reply).expect("replies are JSON")
    };
    for page in 1..=all.len() + 1 {
        let (mut tools, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
        loop {
            let reply = ask(page, cursor.as_deref());
            tools.extend(reply["result"]["tools"].as_array().expect("tools").clone());
            pages += 1;
            cursor = reply["result"]["nextCursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((tools, pages), (all.clone(), all.len().div_ceil(page)));
    }
    let cursor = ask(2, None)["result"]["nextCursor"].as_str().expect("the list has more pages").to_owned();
    let other = turn_with_fewer_tools();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": cursor}});
    let reply = reply_to(&Server::new("tests", "1.0"), &other, &request.to_string());
    assert!(reply.contains("-32602"), "the cursor of another list: {reply}");
}

/// Returns a turn with fewer tools, and a small limit of results.
fn turn_with_fewer_tools() -> Turn {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::shared_provider(Echo)).expect("the names are unique");
    let limits = ResultLimits::default().with_per_call(30);
    let session = registry.session().enable(["returns"]).result_limits(limits).build();
    session.expect("the session is valid").turn_blocking(Dialect::Mcp)
}

#[test]
fn a_shortened_result_is_not_sent_as_structured_content() {
    let call = |name: &str| {
        let params = json!({"name": name, "_meta": newest_meta()});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let reply = reply_to(&Server::new("tests", "1.0"), &turn_with_fewer_tools(), &request.to_string());
        serde_json::from_str::<Value>(&reply).expect("replies are JSON")["result"].clone()
    };
    let (whole, shortened) = (call("return_list"), call("return_def"));
    assert_eq!((&whole["isError"], &shortened["isError"]), (&json!(false), &json!(true)));
    assert_eq!(shortened.get("structuredContent"), None);
    let text = shortened["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with(r#"{"truncated":true,"#), "{text}");
}

#[test]
fn messages_beyond_a_limit_are_errors() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let many: Vec<Value> = (0..=toolc::wire::MAX_CALLS)
        .map(|id| json!({"id": id.to_string(), "function": {"name": "now", "arguments": "{}"}}))
        .collect();
    let body = |message: Value| json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    for (body, expected) in [
        (format!(r#"{{"choices":{deep}}}"#), "at most 128 levels of JSON"),
        (body(json!({"content": null, "tool_calls": many})), "at most 1024 calls"),
        (" ".repeat(toolc::wire::MAX_BODY_BYTES + 1), "at most 67108864 bytes"),
    ] {
        let error = Api::ChatCompletions.parse(&body).expect_err("the body exceeds a limit").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut stream = Api::ChatCompletions.stream();
    let piece = vec![b'x'; 1 << 20];
    stream.push(b"data: ").expect("the stream has begun");
    let error = (0..=64).find_map(|_| stream.push(&piece).err()).expect("the event is too long").to_string();
    assert_eq!(error, "event 1: expected at most 67108864 bytes of an event, got more");
}
