use std::sync::mpsc;

use serde_json::json;

use super::*;
use crate::call::origin::CallOrigin;
use crate::data::dialect::Dialect;
use crate::fakes::wait;
use crate::provider::dynamic::DynamicTool;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::run::cancel::CancelHandle;

/// Returns the origin of a call that the model does not wait for.
fn unawaited() -> CallOrigin {
    CallOrigin { is_async: true, ..CallOrigin::of(crate::call::origin::CallKind::Function) }
}

/// Returns a turn with a tool `slow` that waits for a message, and sends what it has done.
fn turn() -> (Turn, mpsc::Sender<&'static str>) {
    let (send, receive) = mpsc::channel();
    let receive = Mutex::new(receive);
    let schema = json!({"type": "object", "properties": {}});
    let slow = DynamicTool::blocking("slow", "Waits.", schema, move |_, call| {
        let receive = receive.lock().unwrap();
        let message = loop {
            match receive.recv_timeout(std::time::Duration::from_millis(5)) {
                Ok(message) => break message,
                Err(_) if call.is_cancelled() => break "cancelled",
                Err(_) => {}
            }
        };
        Ok(ToolOutput::text(message))
    });
    let registry = Registry::new();
    registry.add(slow.background(true).build().unwrap()).unwrap();
    (registry.session().build().unwrap().turn_blocking(Dialect::OpenAi), send)
}

#[test]
fn a_call_runs_while_the_model_continues_and_keeps_its_id() {
    let (turn, send) = turn();
    let origin = unawaited();
    let request = ToolCall::new("slow", "{}").with_id("c1").with_origin(&origin);
    assert!(turn.is_background(&request) && !turn.is_background(&ToolCall::new("slow", "{}")));
    let running = turn.call_in_background(&request);
    assert!(!running.is_done() && running.completed().is_none());
    send.send("done").unwrap();
    while !running.is_done() {
        std::thread::yield_now();
    }
    let completed = running.completed().unwrap();
    assert_eq!((completed.call.id(), &*completed.response.json), ("c1", "\"done\""));
    assert!(running.completed().is_none(), "a response is returned once");
}

#[test]
fn a_call_in_the_background_is_a_future_and_can_be_cancelled() {
    let (turn, _send) = turn();
    let cancel = CancelHandle::new();
    let request = ToolCall::new("slow", "{}").with_cancel(&cancel);
    let running = turn.call_in_background(&request);
    cancel.cancel();
    assert_eq!(wait(running).error, Some(ErrorKind::Cancelled));
}

#[test]
fn a_tool_that_is_not_declared_for_the_background_is_awaited() {
    let registry = Registry::new();
    let tool = DynamicTool::sync("quick", "Ends.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("")));
    registry.add(tool.build().unwrap()).unwrap();
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    let origin = unawaited();
    assert!(!turn.is_background(&ToolCall::new("quick", "{}").with_origin(&origin)));
}
