//! Calls that go on in the background.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Client, OTHER_TOKEN, PATIENCE, Serving, TOKEN, text};

fn capabilities() -> Value {
    json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

async fn start() -> Serving {
    Serving::with(|server| server.background_after(Duration::from_millis(50)), |access| access).await
}

async fn send(serving: &Serving, token: &str, method: &str, params: Value) -> Value {
    let client = Client { token: Some(token), session: None };
    serving.stateless(client, method, params, capabilities()).await.answer().await
}

/// Starts a call that becomes a task, and returns its id.
async fn task(serving: &Serving, tool: &str, arguments: Value) -> String {
    let created = send(serving, TOKEN, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    created["result"]["taskId"].as_str().expect("it has an id").to_owned()
}

/// Asks for a task until it has a status.
async fn until(serving: &Serving, id: &str, status: &str) -> Value {
    let started = Instant::now();
    loop {
        let task = send(serving, TOKEN, "tasks/get", json!({ "taskId": id })).await;
        if task["result"]["status"] == status {
            return task;
        }
        assert!(started.elapsed() < PATIENCE, "{task}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_call_goes_on_as_a_task_of_its_bearer() {
    let serving = start().await;
    let id = task(&serving, "wait", json!({ "ms": 400 })).await;
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": id, "inputResponses": {} });
        let refused = send(&serving, OTHER_TOKEN, method, params).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
    }
    let done = until(&serving, &id, "completed").await;
    assert_eq!(done["result"]["result"]["content"][0]["text"], "waited", "{done}");
    let unknown = send(&serving, TOKEN, "tasks/get", json!({ "taskId": "made-up" })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_can_be_cancelled() {
    let serving = start().await;
    let id = task(&serving, "wait", json!({ "ms": 600_000 })).await;
    send(&serving, TOKEN, "tasks/cancel", json!({ "taskId": id })).await;
    until(&serving, &id, "cancelled").await;
    let started = Instant::now();
    while serving.done.cancelled.load(Ordering::SeqCst) == 0 {
        assert!(started.elapsed() < PATIENCE, "the call goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_tasks_waits() {
    let serving = start().await;
    let client = Client { token: Some(TOKEN), session: None };
    let params = json!({ "name": "wait", "arguments": { "ms": 200 } });
    let answer = serving.stateless(client, "tools/call", params, json!({})).await.answer().await;
    assert_eq!(text(&answer), "waited");
    let mut refused = serving.stateless(client, "tasks/get", json!({ "taskId": "x" }), json!({})).await;
    assert_eq!(refused.answer().await["error"]["code"], -32021);
    serving.stop().await;
}
