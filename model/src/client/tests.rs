//! The client against a server that behaves in every way in which servers do.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::json;
use toolc::wire::Stop;

use super::server::{Received, Reply, events, serve};
use super::*;
use crate::key::Key;

pub(super) const SAYS: &str = r#"{"choices":[{"delta":{"content":"Hello"}}]}"#;
pub(super) const ENDS: &str = r#"{"choices":[{"delta":{"content":" you"},"finish_reason":"stop"}]}"#;
const USAGE: &str = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;

fn settings(api: Api, base_url: String) -> Settings {
    Settings {
        model: Model { base_url: Some(base_url), max_output_tokens: Some(500), ..Model::new(api, "m-1") },
        key: Some(Key::new("sk-secret-key")),
        limits: Limits { first_delay: Duration::from_millis(1), ..Limits::default() },
    }
}

/// The outcome of a request.
pub(super) struct Outcome {
    pub(super) result: Result<Answer, ModelError>,
    /// The text as it arrived, and `<retry>` where the request was repeated.
    shown: String,
    pub(super) requests: Receiver<Received>,
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(super) fn ask_with(replies: Vec<Reply>, api: Api, change: impl FnOnce(&mut Settings)) -> Outcome {
    let (url, requests) = serve(replies);
    let mut settings = settings(api, url);
    change(&mut settings);
    let client = Client::with_settings(settings);
    let messages = [user_message(api, "Hi")];
    let tools = serde_json::value::to_raw_value(&json!([{ "name": "a_tool" }])).unwrap();
    let request = Request { system: "Be brief.", messages: &messages, tools: Some(&tools), ..Request::default() };
    let mut shown = String::new();
    let result = block_on(client.ask(&request, &mut |event| match event {
        Event::Text(text) => shown += text,
        Event::Retry { .. } => shown += "<retry>",
    }));
    Outcome { result, shown, requests }
}

fn ask(replies: Vec<Reply>) -> Outcome {
    ask_with(replies, Api::ChatCompletions, |_| {})
}

/// Checks something with time limits that grow. On a busy machine, a short limit can pass before the server has done its part, so only
/// the longest one, which is as good as none there, decides.
pub(super) fn with_a_long_enough_limit(check: impl Fn(Duration) -> Result<(), String>) {
    let mut limits = [50, 500, 5_000, 30_000].map(Duration::from_millis).into_iter();
    let mut failures = Vec::new();
    let is_met = limits.any(|limit| check(limit).map_err(|error| failures.push(error)).is_ok());
    assert!(is_met, "{failures:#?}");
}

/// Returns an error that shows a text, unless it has this part.
fn has(text: &str, part: &str) -> Result<(), String> {
    if text.contains(part) { Ok(()) } else { Err(format!("{part:?} is not in {text:?}")) }
}

#[test]
fn each_api_gets_its_own_request() {
    let anthropic = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":9}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello you"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let item = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello you"}]}"#;
    let responses = [
        r#"{"type":"response.output_text.delta","delta":"Hello you"}"#.to_owned(),
        format!(
            r#"{{"type":"response.completed","response":{{"status":"completed","output":[{item}],"usage":{{"input_tokens":9,"output_tokens":2}}}}}}"#
        ),
    ];
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"Hello you"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}"#;
    let interactions = [
        r#"{"event_type":"interaction.created","interaction":{"id":"i1","status":"in_progress"}}"#,
        r#"{"event_type":"step.start","index":0,"step":{"type":"model_output"}}"#,
        r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Hello you"}}"#,
        r#"{"event_type":"step.stop","index":0}"#,
        r#"{"event_type":"interaction.completed","interaction":{"id":"i1","status":"completed","usage":{"total_input_tokens":9,"total_output_tokens":2}}}"#,
    ];
    for (api, stream, path, auth, body) in [
        (
            Api::ChatCompletions,
            vec![SAYS, ENDS, USAGE, "[DONE]"],
            "post /chat/completions ",
            "authorization: bearer sk-secret-key",
            json!({
                "model": "m-1", "stream": true, "stream_options": { "include_usage": true }, "max_completion_tokens": 500,
                "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi" }],
                "tools": [{ "name": "a_tool" }],
            }),
        ),
        (
            Api::Responses,
            responses.iter().map(String::as_str).collect(),
            "post /responses ",
            "authorization: bearer sk-secret-key",
            json!({
                "model": "m-1", "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
                "max_output_tokens": 500, "instructions": "Be brief.",
                "input": [{ "role": "user", "content": "Hi" }], "tools": [{ "name": "a_tool" }],
            }),
        ),
        (
            Api::Anthropic,
            anthropic.to_vec(),
            "post /v1/messages ",
            "x-api-key: sk-secret-key",
            json!({
                "model": "m-1", "stream": true, "max_tokens": 500,
                "system": [{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }],
                "messages": [{ "role": "user", "content": [
                    { "type": "text", "text": "Hi", "cache_control": { "type": "ephemeral" } }
                ]}],
                "tools": [{ "name": "a_tool" }],
            }),
        ),
        (
            Api::Gemini,
            vec![gemini],
            "post /models/m-1:streamgeneratecontent?alt=sse ",
            "x-goog-api-key: sk-secret-key",
            json!({
                "systemInstruction": { "parts": [{ "text": "Be brief." }] },
                "generationConfig": { "maxOutputTokens": 500 },
                "contents": [{ "role": "user", "parts": [{ "text": "Hi" }] }],
                "tools": [{ "functionDeclarations": [{ "name": "a_tool" }] }],
            }),
        ),
        (
            Api::Interactions,
            interactions.to_vec(),
            "post /interactions ",
            "x-goog-api-key: sk-secret-key",
            json!({
                "model": "m-1", "stream": true, "store": false, "system_instruction": "Be brief.",
                "generation_config": { "max_output_tokens": 500 },
                "input": [{ "type": "user_input", "content": [{ "type": "text", "text": "Hi" }] }],
                "tools": [{ "name": "a_tool" }],
            }),
        ),
    ] {
        let Outcome { result, shown, requests } = ask_with(vec![events(&stream)], api, |_| {});
        let answer = result.unwrap();
        assert_eq!((answer.response.text(), &*shown, answer.tries), ("Hello you", "Hello you", 1), "{api:?}");
        let usage = answer.response.usage().unwrap();
        assert_eq!((usage.input, usage.output), (9, 2), "{api:?}");
        let request = requests.recv().unwrap();
        assert!(request.head.starts_with(path) && request.head.contains(auth), "{}", request.head);
        assert_eq!(request.head.contains("anthropic-version: 2023-06-01"), api == Api::Anthropic);
        assert_eq!(request.body, body, "{api:?}");
    }
}

#[test]
fn only_apis_that_know_them_get_a_choice_of_tools_a_container_and_beta_features() {
    let choice = serde_json::value::to_raw_value(&json!({ "type": "auto" })).unwrap();
    for &api in Api::ALL {
        let (url, requests) = serve(vec![Reply::Whole(400, "", String::new())]);
        let request = Request {
            tool_choice: Some(&choice),
            betas: &["one-2026-01-01", "two-2026-01-01"],
            container: Some("container_1"),
            ..Request::default()
        };
        block_on(Client::with_settings(settings(api, url)).ask(&request, &mut |_| {})).unwrap_err();
        let sent = requests.recv().unwrap();
        let is_anthropic = api == Api::Anthropic;
        assert_eq!(sent.head.contains("anthropic-beta: one-2026-01-01,two-2026-01-01"), is_anthropic, "{}", sent.head);
        assert_eq!(sent.body["container"] == "container_1", is_anthropic);
        assert_eq!(sent.body["tool_choice"]["type"] == "auto", is_anthropic || api == Api::Responses);
    }
}

#[test]
fn a_request_is_repeated_if_the_failure_may_pass() {
    let page = Reply::Whole(502, "content-type: text/html\r\n", "<h1>Bad gateway</h1>".to_owned());
    let busy = Reply::Whole(429, "retry-after: 0\r\n", r#"{"error":{"message":"slow down"}}"#.to_owned());
    let cut = Reply::Cut(format!("data: {SAYS}\n\n"));
    let early = events(&[SAYS]);
    let Outcome { result, shown, requests } = ask(vec![page, busy, cut, early, events(&[SAYS, ENDS])]);
    let answer = result.unwrap();
    assert_eq!((answer.response.text(), answer.tries, answer.response.stop()), ("Hello you", 5, Stop::Done));
    assert_eq!(shown, "<retry><retry>Hello<retry>Hello<retry>Hello you");
    assert_eq!(requests.try_iter().count(), 5);
    // A router passes on the error of a server, and a model fails to write a call.
    let behind = events(&[r#"{"error":{"code":502,"message":"Provider returned error"}}"#]);
    let malformed = events(&[r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#]);
    assert_eq!(ask(vec![behind, malformed, events(&[SAYS, ENDS])]).result.unwrap().tries, 3);
    // A proxy ends the stream within an event.
    let within =
        Reply::Whole(200, "content-type: text/event-stream\r\n", format!("data: {SAYS}\n\ndata: {{\"choices\":[{{"));
    assert_eq!(ask(vec![within, events(&[SAYS, ENDS])]).result.unwrap().tries, 2);
}

#[test]
fn a_request_is_not_repeated_for_ever() {
    let failing = Reply::Whole(503, "", r#"{"error":{"message":"overloaded"}}"#.to_owned());
    let Outcome { result, requests, .. } = ask(vec![failing; 10]);
    let error = result.unwrap_err();
    assert!(error.to_string().ends_with("answered with status 503: overloaded (after 9 tries)"), "{error}");
    assert_eq!(requests.try_iter().count(), 9);
}

#[test]
fn a_request_that_cannot_succeed_is_not_repeated() {
    let moved = Reply::Whole(302, "location: http://127.0.0.1:9/\r\n", String::new());
    let long_wait = Reply::Whole(429, "retry-after: 3600\r\n", r#"{"error":{"message":"slow down"}}"#.to_owned());
    let page = "<!DOCTYPE html><title>Sign in</title>".to_owned();
    let refused = Reply::Whole(401, "", r#"{"error":{"message":"wrong key sk-secret-key"}}"#.to_owned());
    let overflow = Reply::Whole(400, "", r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#.to_owned());
    for (reply, kind, message) in [
        (moved, ErrorKind::Refused, "set base_url to the final address"),
        (long_wait, ErrorKind::RateLimited, "asks to wait 3600 seconds"),
        (
            Reply::Whole(200, "content-type: text/html; charset=utf-8\r\n", page.clone()),
            ErrorKind::Unreadable,
            "an HTML page with the title \"Sign in\"",
        ),
        (
            Reply::Whole(200, "", page),
            ErrorKind::Unreadable,
            "answered with status 200 and an HTML page with the title",
        ),
        (
            Reply::Whole(200, "", "Service started".to_owned()),
            ErrorKind::Unreadable,
            "a text that begins with \"Service started\"; check base_url",
        ),
        (refused, ErrorKind::Unauthorized, "wrong key [key]; check the key"),
        (overflow, ErrorKind::ContextOverflow, "context_length_exceeded"),
        (
            events(&[r#"{"error":{"code":"insufficient_quota","message":"m"}}"#]),
            ErrorKind::Unauthorized,
            "check the plan and the billing",
        ),
        (
            events(&[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}}]}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
            ]),
            ErrorKind::CutOff,
            "was cut off at a token limit",
        ),
        (
            events(&[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}}]}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
            ]),
            ErrorKind::Refused,
            "ended the answer within a call (content_filter), which was not run",
        ),
        (
            events(&[r#"{"greeting":"hello"}"#, r#"{"choices":[{"delta":5}]}"#]),
            ErrorKind::Unreadable,
            "does not match the API",
        ),
    ] {
        let Outcome { result, requests, .. } = ask(vec![reply]);
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(message) && !error.to_string().contains("sk-secret"), "{error}");
        assert_eq!(requests.try_iter().count(), 1);
    }
}

#[test]
fn a_server_that_does_not_answer_in_time_is_an_error_that_says_so() {
    with_a_long_enough_limit(|limit| {
        let silent = ask_with(vec![Reply::Silent], Api::ChatCompletions, |settings| {
            (settings.model.answer_timeout, settings.model.retries) = (limit * 2, 0);
        });
        let error = silent.result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        has(&error.to_string(), &format!("did not begin its answer within {limit:?}"))
    });
    with_a_long_enough_limit(|limit| {
        let stalls = ask_with(vec![Reply::Stalls(format!("data: {SAYS}\n\n"))], Api::ChatCompletions, |settings| {
            (settings.model.timeout, settings.model.retries) = (limit, 0);
        });
        has(&stalls.shown, "Hello")?;
        has(&stalls.result.unwrap_err().to_string(), &format!("did not continue its answer within {limit:?}"))
    });
    with_a_long_enough_limit(|limit| {
        let whole = ask_with(vec![Reply::Stalls(String::new())], Api::ChatCompletions, |settings| {
            (settings.limits.total, settings.model.retries) = (limit, 0);
        });
        has(&whole.result.unwrap_err().to_string(), &format!("did not complete its answer within {limit:?}"))
    });
}

/// There are replies for nine tries, so that the number of requests shows when the client gave up.
#[test]
fn a_silent_server_ends_a_request_within_a_limit_with_all_tries() {
    with_a_long_enough_limit(|limit| {
        let begun = Instant::now();
        let silent = ask_with((0..9).map(|_| Reply::Silent).collect(), Api::ChatCompletions, |settings| {
            settings.model.answer_timeout = limit;
        });
        assert!(begun.elapsed() >= limit / 2, "{:?}", begun.elapsed());
        let error = silent.result.unwrap_err().to_string();
        has(&error, &format!("; an answer must begin within {limit:?} (`answer_timeout`)"))?;
        let requests = silent.requests.try_iter().count();
        if (1..=3).contains(&requests) { Ok(()) } else { Err(format!("{requests} requests")) }
    });
    // Nor is a busy server asked again after that time.
    with_a_long_enough_limit(|limit| {
        let busy = || Reply::Whole(503, "retry-after: 40\r\n", "busy".to_owned());
        let busy = ask_with(vec![busy(), busy()], Api::ChatCompletions, |settings| {
            settings.model.answer_timeout = limit;
        });
        has(&busy.result.unwrap_err().to_string(), "answered with status 503")?;
        assert_eq!(busy.requests.try_iter().count(), 1);
        Ok(())
    });
}

/// Servers that never answer. Each ends a request within the limit for the beginning of an answer, or that for one try.
#[test]
fn a_server_that_never_answers_ends_a_request_within_a_limit_whatever_it_sends() {
    let events = |more: &str| format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{more}");
    let status = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\r\n");
    let (begin, complete, go_on) = ("begin its answer", "complete its answer", "continue its answer");
    let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n";
    let servers: Vec<(Reply, &str)> = vec![
        (Reply::Silent, begin),
        (Reply::Drips(String::new(), ""), begin),
        (Reply::Drips("HTTP/1.1 200 OK\r\n".to_owned(), "x: y\r\n"), begin),
        (Reply::Drips("HTTP/1.1 100 Continue\r\n\r\n".to_owned(), ""), begin),
        (Reply::Drips(events(""), ""), begin),
        (Reply::Drips(events(""), ": OPENROUTER PROCESSING\n\n"), begin),
        (Reply::Drips(events(""), ":\n"), begin),
        (Reply::Drips(events(""), "\n"), begin),
        (Reply::Drips(events(""), " "), begin),
        (Reply::Drips(events(""), "event: ping\ndata: {\"type\": \"ping\"}\n\n"), begin),
        (Reply::Drips(events(""), "data: {\"type\":\"heartbeat\"}\n\n"), begin),
        (Reply::Drips(events(""), "data:\n\n"), begin),
        (Reply::Drips(events(""), "retry: 1000\n\n"), begin),
        (Reply::Drips(events("data: {\"choices\":"), ""), begin),
        (Reply::Drips(events(role), ""), go_on),
        (Reply::Drips(events(&format!("data: {SAYS}\n\n")), ""), go_on),
        (Reply::Drips(events(&format!("data: {SAYS}\n\n")), ": alive\n\n"), complete),
        (Reply::Drips(events(role), "data: {\"choices\":[]}\n\n"), complete),
        (Reply::Drips(events(""), role), complete),
        (Reply::Drips(events("{\"choices\":"), " "), complete),
        (Reply::Drips(status("503 Busy"), " "), "503"),
        (Reply::Drips(status("429 Busy") + "{\"error\":{\"message\":\"slow\"}}", ""), "429"),
    ];
    for (reply, part) in servers {
        let description = format!("{reply:?}");
        with_a_long_enough_limit(|limit| {
            let outcome = ask_with(vec![reply.clone(); 9], Api::ChatCompletions, |settings| {
                (settings.model.answer_timeout, settings.model.timeout) = (limit * 4, limit * 4);
                (settings.limits.total, settings.limits.error_body) = (limit * 8, limit * 4);
            });
            let error = outcome.result.map(drop).expect_err("there is no answer").to_string();
            has(&error, part)
                .and_then(|()| has(&error, "`answer_timeout`"))
                .map_err(|error| description.clone() + &error)
        });
    }
}

#[test]
fn a_time_in_the_body_of_an_error_is_waited() {
    let busy = |body: &str| Reply::Whole(429, "", body.to_owned());
    let retry_info = r#"{"error":{"code":429,"message":"m","details":[{"retryDelay":"0.3s"}]}}"#;
    let phrase = r#"{"error":{"message":"Rate limit reached. Please try again in 300ms."}}"#;
    for body in [retry_info, phrase] {
        let start = Instant::now();
        let outcome = ask(vec![busy(body), events(&[SAYS, ENDS, "[DONE]"])]);
        assert_eq!(outcome.result.unwrap().tries, 2);
        assert!(start.elapsed() >= Duration::from_millis(300), "{body}");
    }
    let long = ask(vec![busy(r#"{"error":{"message":"Please try again in 6m0s."}}"#)]).result.unwrap_err();
    assert!(long.to_string().contains("asks to wait 360 seconds"), "{long}");
}

#[test]
fn dropping_a_request_closes_its_connection() {
    let (url, requests) = serve(vec![Reply::Stalls(format!("data: {SAYS}\n\n"))]);
    let client = Client::with_settings(settings(Api::ChatCompletions, url));
    let messages = [user_message(Api::ChatCompletions, "Hi")];
    let start = Instant::now();
    block_on(async {
        let request = Request { messages: &messages, ..Request::default() };
        let mut shown = String::new();
        let mut on_event = |event: Event<'_>| {
            if let Event::Text(text) = event {
                shown += text;
            }
        };
        let asked = client.ask(&request, &mut on_event);
        assert!(tokio::time::timeout(Duration::from_millis(300), asked).await.is_err());
    });
    let request = requests.recv().unwrap();
    // The server notices that the connection is closed long before its own limit.
    let closed = request.closed.recv_timeout(Duration::from_secs(30));
    assert_eq!(closed, Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
    assert!(start.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_server_that_cannot_be_reached_is_named_without_path_and_key() {
    let outcome = ask_with(Vec::new(), Api::ChatCompletions, |settings| {
        settings.model.base_url = Some("http://user:sk-secret-key@127.0.0.1:9/v1?key=sk-secret-key".to_owned());
        settings.model.retries = 0;
    });
    let error = outcome.result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.to_string().starts_with("failed to connect to http://127.0.0.1:9: "), "{error}");
    for (base_url, key, message) in [
        ("not a url", "k", "is not a URL"),
        ("http://127.0.0.1:9", "a\nb", "has characters that a header cannot contain"),
    ] {
        let outcome = ask_with(Vec::new(), Api::Anthropic, |settings| {
            settings.model.base_url = Some(base_url.to_owned());
            settings.key = Some(Key::new(key));
        });
        let error = outcome.result.unwrap_err();
        assert!(error.to_string().contains(message) && !error.is_transient(), "{error}");
    }
}

#[test]
fn a_script_answers_in_order() {
    let script = Script::parse(
        "{\"text\": \"Let me see.\", \"calls\": [{\"name\": \"look\", \"arguments\": {\"a\": 1}}, {\"name\": \"now\"}], \
         \"usage\": {\"input\": 9}}\n\n{\"error\": \"context_overflow\"}\n{\"text\": \"Done.\"}",
    );
    let client = Client::scripted(script.unwrap());
    let request = Request::default();
    let ask = |client: &Client| block_on(client.ask(&request, &mut |_| {}));
    let first = ask(&client).unwrap().response;
    let calls: Vec<_> = first
        .calls()
        .iter()
        .map(|call| (call.id().to_owned(), call.name().to_owned(), call.arguments().to_owned()))
        .collect();
    let expected = [("call_1_1", "look", r#"{"a":1}"#), ("call_1_2", "now", "{}")];
    assert_eq!(calls, expected.map(|(id, name, arguments)| (id.to_owned(), name.to_owned(), arguments.to_owned())));
    assert_eq!((first.text(), first.usage().unwrap().input), ("Let me see.", 9));
    assert_eq!(ask(&client).unwrap_err().kind(), ErrorKind::ContextOverflow);
    assert_eq!(ask(&client).unwrap().response.text(), "Done.");
    assert!(ask(&client).unwrap_err().to_string().contains("has no more answers: it has 3"));
    assert_eq!(ask(&client.for_new_conversation()).unwrap().response.text(), "Let me see.");
}

#[test]
fn an_empty_answer_is_an_answer_only_if_the_request_says_so() {
    for (may_be_empty, reason, is_answer) in
        [(true, "stop", true), (true, "error", false), (false, "stop", false), (false, "length", true)]
    {
        let chunk = json!({ "choices": [{ "delta": {}, "finish_reason": reason }] });
        let (url, _requests) =
            serve(vec![Reply::Whole(200, "content-type: text/event-stream\r\n", format!("data: {chunk}\n\n"))]);
        let mut settings = settings(Api::ChatCompletions, url);
        settings.model.retries = 0;
        let messages = [user_message(Api::ChatCompletions, "Hi")];
        let request = Request { messages: &messages, may_be_empty, ..Request::default() };
        let result = block_on(Client::with_settings(settings).ask(&request, &mut |_| {}));
        assert_eq!(result.is_ok(), is_answer, "{may_be_empty} {reason}: {result:?}");
    }
}

#[test]
fn the_models_of_a_server_are_listed_within_a_limit() {
    let json = |body: &serde_json::Value| Reply::Whole(200, "content-type: application/json\r\n", body.to_string());
    let list = |api: Api, reply: Reply| {
        let (url, requests) = serve(vec![reply]);
        let result = block_on(Client::with_settings(settings(api, url)).models(Duration::from_millis(500)));
        (result, requests.recv().expect("a request").head)
    };
    let (models, head) = list(Api::Anthropic, json(&json!({ "data": [{ "id": "claude-x" }] })));
    assert_eq!(models.expect("a list").iter().map(|model| &*model.name).collect::<Vec<_>>(), ["claude-x"]);
    assert!(head.starts_with("get /v1/models?limit=1000 ") && head.contains("x-api-key: sk-secret-key"), "{head}");
    let (_, head) = list(Api::Gemini, json(&json!({ "models": [] })));
    assert!(head.starts_with("get /models?pagesize=1000 ") && head.contains("x-goog-api-key: sk-secret-key"), "{head}");
    let (_, head) = list(Api::Responses, json(&json!({ "data": [] })));
    assert!(head.starts_with("get /models ") && head.contains("authorization: bearer sk-secret-key"), "{head}");
    let google = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid. sk-secret-key" } });
    for (api, reply, kind, text) in [
        (Api::Responses, Reply::Whole(401, "", "{}".to_owned()), ErrorKind::Unauthorized, "check the key"),
        (Api::Gemini, Reply::Whole(400, "", google.to_string()), ErrorKind::Unauthorized, "API key not valid"),
        (Api::ChatCompletions, Reply::Whole(404, "", String::new()), ErrorKind::Refused, "404"),
        (Api::ChatCompletions, json(&json!("hello")), ErrorKind::Unreadable, "is not a list of models"),
        (Api::ChatCompletions, Reply::Silent, ErrorKind::TimedOut, "did not list its models within 500ms"),
        (Api::ChatCompletions, Reply::Drips("HTTP/1.1 200 OK\r\n\r\n{".to_owned(), " "), ErrorKind::TimedOut, "500ms"),
    ] {
        let (result, _) = list(api, reply);
        let error = result.expect_err("there is no list");
        assert!(error.kind() == kind && error.to_string().contains(text), "{kind:?}: {error}");
        assert!(!error.to_string().contains("sk-secret"), "{error}");
    }
    let endless = Reply::Whole(200, "", format!("{{\"data\":[\"{}\"]}}", "x".repeat(9 << 20)));
    let (result, _) = {
        let (url, requests) = serve(vec![endless]);
        (block_on(Client::with_settings(settings(Api::ChatCompletions, url)).models(Duration::from_secs(30))), requests)
    };
    assert!(result.is_err_and(|error| error.to_string().contains("more than 8388608 bytes")));
}
