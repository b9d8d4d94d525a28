//! Blocking calls, inside and outside of Tokio: handlers that need Tokio have it, and no call deadlocks.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::LocalSet;
use toolc::behaviour::{Behaviour, Execution, Parallel};
use toolc::{Call, CallResponse, Dialect, HandlerReply, ToolCall, ToolOutput, ToolResult, Turn};
use toolc_tests::by_hand::ByHand;

/// Handles a call with Tokio's timer and a spawned task.
async fn uses_tokio(call: &Call<'_>) -> ToolResult {
    tokio::time::sleep(Duration::from_millis(1)).await;
    let id = call.id().to_owned();
    let spawned = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        id
    });
    Ok(ToolOutput::text(spawned.await?))
}

/// Handles a call in more steps than Tokio allows a task without yielding.
async fn busy() -> ToolResult {
    let (send, mut receive) = mpsc::channel(1);
    for step in 0..1_000 {
        send.send(step).await?;
        receive.recv().await;
    }
    Ok(ToolOutput::text("busy"))
}

fn turn() -> Turn {
    let by_hand = ByHand::new(|_, call| match call.tool() {
        "uses_tokio" => HandlerReply::Async(Box::pin(uses_tokio(call))),
        "busy" => HandlerReply::Async(Box::pin(busy())),
        "crunch" => HandlerReply::blocking(call, |call| Ok(ToolOutput::text(call.id()))),
        _ => HandlerReply::Ready(Ok(ToolOutput::text(call.id()))),
    });
    let behaves = |execution| Behaviour::default().with_execution(execution).with_parallel(Parallel::Always);
    by_hand
        .tool("busy", behaves(Execution::Async))
        .tool("crunch", behaves(Execution::Blocking))
        .tool("uses_tokio", behaves(Execution::Async))
        .tool("plain", behaves(Execution::Sync))
        .session()
        .build()
        .expect("everything can be enabled")
        .turn_blocking(Dialect::OpenAi)
}

const TOOLS: [&str; 3] = ["uses_tokio", "crunch", "plain"];

/// Calls every tool, one by one and in a batch.
fn check(turn: &Turn) {
    let requests = TOOLS.map(|tool| ToolCall::new(tool, "{}").with_id(tool));
    for request in requests {
        let CallResponse { json, error, .. } = turn.call_blocking(&request);
        assert_eq!((json, error), (format!("{:?}", request.id()), None));
    }
    let answers =
        turn.batch_blocking(&requests).into_iter().map(|completed| completed.response.json).collect::<Vec<_>>();
    assert_eq!(answers, TOOLS.map(|tool| format!("{tool:?}")));
    assert_eq!(turn.call_blocking(&ToolCall::new("busy", "{}")).json, "\"busy\"");
}

fn multi_thread() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_blocking_call_works_on_a_thread_without_a_runtime() {
    let turn = turn();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| check(&turn));
        }
    });
}

#[test]
fn a_blocking_call_works_within_a_multi_thread_runtime() {
    let (runtime, turn) = (multi_thread(), turn());
    runtime.block_on(async { check(&turn) });
    let spawned = turn.clone();
    runtime.block_on(runtime.spawn(async move { check(&spawned) })).expect("no panic");
    runtime.block_on(runtime.spawn_blocking(move || check(&turn))).expect("no panic");
}

#[test]
fn a_blocking_call_works_within_a_current_thread_runtime() {
    let (runtime, turn) = (current_thread(), turn());
    runtime.block_on(async { check(&turn) });
    let spawned = turn.clone();
    runtime.block_on(runtime.spawn(async move { check(&spawned) })).expect("no panic");
    LocalSet::new().block_on(&runtime, async { check(&turn) });
    runtime.block_on(runtime.spawn_blocking(move || check(&turn))).expect("no panic");
}

#[test]
fn a_blocking_call_works_within_a_local_set() {
    let (runtime, turn) = (multi_thread(), turn());
    LocalSet::new().block_on(&runtime, async { check(&turn) });
}

#[test]
fn a_blocking_call_works_within_a_handler() {
    let inner = turn();
    let by_hand = ByHand::new(move |_, call| {
        check(&inner);
        let inner = inner.clone();
        HandlerReply::blocking(call, move |call| {
            check(&inner);
            Ok(ToolOutput::text(call.tool()))
        })
    });
    let outer = by_hand
        .tool("outer", Behaviour::default())
        .session()
        .build()
        .expect("a session")
        .turn_blocking(Dialect::OpenAi);
    assert_eq!(outer.call_blocking(&ToolCall::new("outer", "{}")).json, "\"outer\"");
    let runtime = current_thread();
    assert_eq!(runtime.block_on(outer.call(&ToolCall::new("outer", "{}"))).json, "\"outer\"");
}

/// The handler waits for a task that was spawned by the thread that waits for the handler.
#[test]
fn a_blocking_call_on_the_only_worker_waits_for_a_task_of_the_same_runtime() {
    let (ask, mut asked) = mpsc::channel::<oneshot::Sender<&'static str>>(1);
    let ask = Arc::new(Mutex::new(ask));
    let by_hand = ByHand::new(move |_, _| {
        let ask = Arc::clone(&ask);
        HandlerReply::Async(Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            ask.lock().await.send(answer).await?;
            Ok(ToolOutput::text(answered.await?))
        }))
    });
    let turn =
        by_hand.tool("ask", Behaviour::default()).session().build().expect("a session").turn_blocking(Dialect::OpenAi);
    let runtime = multi_thread();
    let called = runtime.spawn(async move {
        tokio::spawn(async move {
            let answer = asked.recv().await.expect("the handler asks");
            answer.send("answered").expect("the handler waits for the answer");
        });
        turn.call_blocking(&ToolCall::new("ask", "{}"))
    });
    assert_eq!(runtime.block_on(called).expect("no panic").json, "\"answered\"");
}
