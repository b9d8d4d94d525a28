//! Calls: the list of tools, results, progress, cancellation, stored results, and many at once.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::wire::mcp::CacheScope;

use crate::fixture::{Client, OTHER_TOKEN, PATIENCE, STATELESS, Serving, TOKEN, call, text};

/// Waits until a condition holds.
async fn until(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "it does not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_client_gets_the_same_list() {
    let serving = Serving::start().await;
    let mut lists: Vec<Value> = Vec::new();
    for token in [TOKEN, OTHER_TOKEN] {
        let session = serving.initialize(Some(token), json!({})).await;
        let client = Client { token: Some(token), session: Some(&session) };
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let before = serving.post(client, &list).await.answer().await;
        serving.post(client, &call(2, "echo", json!({ "text": "a" }))).await.answer().await;
        let after = serving.post(client, &list).await.answer().await;
        let client = Client { token: Some(token), session: None };
        let stateless = serving.stateless(client, "tools/list", json!({}), json!({})).await.answer().await;
        lists.extend([before, after, stateless].map(|answer| answer["result"]["tools"].clone()));
    }
    let names: Vec<&str> = lists[0].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["ask", "echo", "guarded", "long", "wait"]);
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");
    assert_eq!(lists[0][1]["annotations"]["readOnlyHint"], true);
    serving.stop().await;
}

/// The requests whose answers do not depend on who asks.
const SHARED: [&str; 5] =
    ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"];

#[tokio::test(flavor = "multi_thread")]
async fn clients_keep_lists_as_the_server_says_and_stored_results_never() {
    let cached = |ttl, scope| Serving::with(move |server| server.cache(ttl, scope), |access| access);
    for (serving, expected) in [
        (Serving::start().await, json!([0, "private"])),
        (cached(Duration::from_mins(5), CacheScope::Private).await, json!([300_000, "private"])),
        (cached(Duration::MAX, CacheScope::Public).await, json!([86_400_000, "public"])),
    ] {
        let client = Client { token: Some(TOKEN), session: None };
        let hints = |answer: &Value| json!([answer["result"]["ttlMs"], answer["result"]["cacheScope"]]);
        for method in SHARED {
            let answer = serving.stateless(client, method, json!({}), json!({})).await.answer().await;
            assert_eq!(hints(&answer), expected, "{method}: {answer}");
        }
        let params = json!({ "name": "long", "arguments": { "chars": 5_000 } });
        let long = serving.stateless(client, "tools/call", params, json!({})).await.answer().await;
        let link = json!({ "uri": long["result"]["content"][1]["uri"] });
        let read = serving.stateless(client, "resources/read", link, json!({})).await.answer().await;
        assert_eq!(hints(&read), json!([0, "private"]), "{read}");
        let session = serving.initialize(Some(TOKEN), json!({})).await;
        let client = Client { session: Some(&session), ..client };
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let older = serving.post(client, &list).await.answer().await;
        assert_eq!(hints(&older), json!([null, null]), "the protocol with sessions does not know it: {older}");
        serving.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_repaired_and_wrong_ones_are_results() {
    let serving = Serving::open().await;
    let called = async |params: Value| {
        serving.stateless(Client::default(), "tools/call", params, json!({})).await.answer().await
    };
    let repaired = called(json!({ "name": "long", "arguments": { "chars": "3" } })).await;
    assert_eq!((text(&repaired), &repaired["result"]["isError"]), ("äää", &json!(false)));
    let wrong = called(json!({ "name": "long", "arguments": { "chars": [] } })).await;
    assert!(wrong["result"]["isError"] == true && text(&wrong).contains("/chars"), "{wrong}");
    let unknown = called(json!({ "name": "lang", "arguments": {} })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let invalid = called(json!({ "name": "long", "arguments": 7 })).await;
    assert_eq!(invalid["error"]["code"], -32602, "{invalid}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_sent_before_the_result() {
    let serving = Serving::open().await;
    let params = json!({ "name": "wait", "arguments": { "ms": 100 } });
    let mut reply = serving.stateless(Client::default(), "tools/call", params, json!({})).await;
    let first = reply.next().await.expect("there is a message");
    let expected = json!({ "progressToken": "p", "progress": 1.0, "total": 2.0, "message": "begun" });
    assert_eq!((&first["method"], &first["params"]), (&json!("notifications/progress"), &expected));
    assert_eq!(text(&reply.answer().await), "waited");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_cancelled_with_its_connection_or_by_a_notification() {
    let serving = Serving::open().await;
    let forever = json!({ "ms": 600_000 });
    let params = json!({ "name": "wait", "arguments": forever });
    let reply = serving.stateless(Client::default(), "tools/call", params, json!({})).await;
    until(|| serving.done.waiting.load(Ordering::SeqCst) == 1).await;
    drop(reply);
    until(|| serving.done.cancelled.load(Ordering::SeqCst) == 1).await;
    let session = serving.initialize(None, json!({})).await;
    let client = Client { token: None, session: Some(&session) };
    let _reply = serving.post(client, &call(5, "wait", forever)).await;
    until(|| serving.done.waiting.load(Ordering::SeqCst) == 2).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    assert_eq!(serving.post(client, &cancel).await.status, 202);
    until(|| serving.done.cancelled.load(Ordering::SeqCst) == 2).await;
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_result_links_to_its_whole_text_which_only_its_bearer_reads() {
    let serving = Serving::start().await;
    let client = Client { token: Some(TOKEN), session: None };
    let params = json!({ "name": "long", "arguments": { "chars": 5_000 } });
    let answer = serving.stateless(client, "tools/call", params, json!({})).await.answer().await;
    let content = answer["result"]["content"].as_array().expect("it has content");
    assert!(content[0]["text"].as_str().is_some_and(|text| text.contains("linked to this one")), "{answer}");
    let link = &content[1];
    assert_eq!(
        (&link["type"], &link["size"], &link["mimeType"]),
        (&json!("resource_link"), &json!(10_000), &json!("text/plain"))
    );
    let uri = link["uri"].as_str().expect("it has an address");
    let read = async |token, uri: &str| {
        let client = Client { token: Some(token), session: None };
        serving.stateless(client, "resources/read", json!({ "uri": uri }), json!({})).await.answer().await
    };
    let whole = read(TOKEN, uri).await;
    assert_eq!(whole["result"]["contents"][0]["text"], "ä".repeat(5_000));
    for (token, uri) in [(OTHER_TOKEN, uri), (TOKEN, "toolc-result:0"), (TOKEN, "file:///etc/passwd")] {
        let answer = read(token, uri).await;
        assert_eq!(
            (&answer["error"]["code"], &answer["error"]["data"]["uri"]),
            (&json!(-32602), &json!(uri)),
            "{answer}"
        );
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_are_all_answered() {
    let serving = std::sync::Arc::new(Serving::open().await);
    let session = serving.initialize(None, json!({})).await;
    let started = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for id in 0..1_000_u32 {
        let (serving, session) = (std::sync::Arc::clone(&serving), session.clone());
        calls.spawn(async move {
            if id % 2 == 0 {
                let client = Client { token: None, session: Some(&session) };
                return text(&serving.post(client, &call(id + 1, "wait", json!({ "ms": 20 }))).await.answer().await)
                    .to_owned();
            }
            let params = json!({ "name": "wait", "arguments": { "ms": 20 } });
            text(&serving.stateless(Client::default(), "tools/call", params, json!({})).await.answer().await).to_owned()
        });
    }
    let answers = calls.join_all().await;
    assert!(answers.len() == 1_000 && answers.iter().all(|answer| answer == "waited"), "{answers:?}");
    assert_eq!(serving.done.waiting.load(Ordering::SeqCst), 1_000);
    println!("1,000 calls over HTTP, each 20 ms: {:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_in_use_in_a_session_is_refused() {
    let serving = Serving::open().await;
    let session = serving.initialize(None, json!({})).await;
    let client = Client { token: None, session: Some(&session) };
    let mut first = serving.post(client, &call(1, "wait", json!({ "ms": 300 }))).await;
    let mut second = serving.post(client, &call(1, "echo", json!({ "text": "a" }))).await;
    let refused = second.answer().await;
    assert_eq!((second.status, &refused["id"]), (400, &json!(1)), "{refused}");
    assert_eq!(text(&first.answer().await), "waited");
    drop(first);
    let again = async || serving.post(client, &call(1, "echo", json!({ "text": "a" }))).await.answer().await;
    let started = Instant::now();
    // The server notices a moment later that the answer was read.
    while again().await.get("error").is_some() {
        assert!(started.elapsed() < PATIENCE, "the id stays in use");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_is_negotiated() {
    let serving = Serving::open().await;
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25"),
        (STATELESS, "2025-11-25"),
    ] {
        let params =
            json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = serving.post(Client::default(), &message).await.answer().await;
        assert_eq!(answer["result"]["protocolVersion"], given, "{answer}");
        assert_eq!(answer["result"]["serverInfo"], json!({ "name": "tests", "version": "1.2.3" }));
    }
    let discovered = serving.stateless(Client::default(), "server/discover", json!({}), json!({})).await.answer().await;
    assert!(
        discovered["result"]["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!(STATELESS))),
        "{discovered}"
    );
    serving.stop().await;
}
