use crate::result::output::ToolResult;
use std::future::pending;
use std::pin::pin;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::call::response::CallResponse;
use crate::call::{Call, ToolCall};
use crate::data::behaviour::{Behaviour, Execution};
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::fakes::{Fake, tool, wait};
use crate::provider::HandlerReply;
use crate::result::error::ToolError;
use crate::result::output::ToolOutput;
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::Session;
use crate::session::turn::Turn;

const SHORT: Duration = Duration::from_millis(20);

type Handler = dyn for<'a> Fn(&'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// Returns a session with the tool `work`, with this handler and time limit.
fn session(timeout: Option<Duration>, handler: Box<Handler>) -> Session {
    let mut tool = tool("work", "home", &[]);
    tool.behaviour = Behaviour { execution: Execution::Async, timeout, ..Behaviour::default() };
    Fake::new([tool]).answer(handler).registry().session().env(Env::empty()).build().unwrap()
}

fn turn(session: &Session) -> Turn {
    session.turn_blocking(Dialect::OpenAi)
}

fn work() -> ToolCall<'static> {
    ToolCall::new("work", "{}")
}

/// Returns the kind and the message of an error.
fn error(answer: &CallResponse) -> [String; 2] {
    assert!(answer.is_error(), "{answer:?}");
    let value: Value = serde_json::from_str(&answer.json).unwrap();
    ["kind", "error"].map(|key| value[key].as_str().unwrap().to_owned())
}

fn later<'a>(work: impl Future<Output = ToolResult> + Send + 'a) -> HandlerReply<'a> {
    HandlerReply::Async(Box::pin(work))
}

#[test]
fn a_timeout_names_the_time_limit() {
    let session = session(Some(SHORT), Box::new(|_| later(pending())));
    let started = Instant::now();
    let [kind, text] = error(&wait(turn(&session).call(&work())));
    assert!(started.elapsed() >= SHORT);
    assert_eq!(kind, "timeout");
    assert!(text.starts_with("the call exceeded its time limit of 20ms"), "{text}");
}

#[test]
fn the_sessions_timeout_applies_to_tools_without_one() {
    let fake = Fake::new([tool("work", "home", &[])]).answer(|_| later(pending()));
    let session = fake.registry().session().env(Env::empty()).timeout(SHORT).build().unwrap();
    assert!(error(&wait(turn(&session).call(&work())))[1].contains("20ms"));
    let by_default = Fake::new([tool("work", "home", &[])]).registry().session().build().unwrap();
    assert_eq!(turn(&by_default).config().timeout, Duration::from_mins(5));
}

#[test]
fn a_blocking_handler_sees_that_its_call_timed_out() {
    let (sender, receiver) = mpsc::channel();
    let session = session(
        Some(SHORT),
        Box::new(move |call| {
            let sender = sender.clone();
            HandlerReply::blocking(call, move |call| {
                while !call.is_cancelled() {
                    thread::yield_now();
                }
                wait(call.cancelled());
                sender.send(()).unwrap();
                Ok(ToolOutput::text("too late"))
            })
        }),
    );
    assert_eq!(error(&wait(turn(&session).call(&work())))[0], "timeout");
    receiver.recv().unwrap();
}

#[test]
fn a_dropped_call_is_cancelled() {
    let (sender, receiver) = mpsc::channel();
    let handler = move |call: &Call<'_>| {
        let _ = sender.send(call.cancellation());
    };
    let session = session(
        None,
        Box::new(move |call| {
            handler(call);
            later(pending())
        }),
    );
    let (turn, request) = (turn(&session), work());
    let mut context = Context::from_waker(Waker::noop());
    let mut call = Box::pin(turn.call(&request));
    assert!(call.as_mut().poll(&mut context).is_pending());
    let cancellation = receiver.recv().unwrap();
    assert!(!cancellation.is_cancelled());
    drop(call);
    assert!(cancellation.is_cancelled());
    wait(cancellation.cancelled());
}

#[test]
fn a_call_a_task_or_a_session_can_be_cancelled() {
    type Stop = fn(&Session, &Task, &CancelHandle);
    let stops: [Stop; 3] = [|session, _, _| session.cancel(), |_, task, _| task.cancel(), |_, _, one| one.cancel()];
    for stop in stops {
        let session = session(None, Box::new(|_| later(pending())));
        let (turn, task, one) = (turn(&session), Task::new("errand"), CancelHandle::new());
        let (other_task, other) = (Task::new("errand"), CancelHandle::new());
        let request = work().with_task(&task).with_cancel(&one);
        let mut call = pin!(turn.call(&request));
        let mut context = Context::from_waker(Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
        other_task.cancel();
        other.cancel();
        assert!(call.as_mut().poll(&mut context).is_pending());
        let [kind, text] = thread::scope(|scope| {
            scope.spawn(|| stop(&session, &task, &one));
            error(&wait(call))
        });
        assert_eq!(
            [&*kind, &*text],
            ["cancelled", "the call was cancelled while it was running: its effects so far are not undone"]
        );
    }
}

#[test]
fn a_cancelled_request_does_not_start_but_a_later_one_does() {
    let session = session(None, Box::new(|call| later(async { Ok(ToolOutput::text(call.task())) })));
    let (turn, task, one) = (turn(&session), Task::new("errand"), CancelHandle::new());
    for request in [work().with_task(&task), work().with_cancel(&one), work().with_cancel(&one)] {
        task.cancel();
        one.cancel();
        let [kind, text] = error(&wait(turn.call(&request)));
        assert!(kind == "cancelled" && text.contains("nothing was done"), "{text}");
    }
    session.cancel();
    assert_eq!(wait(turn.call(&work().with_task(&task).with_cancel(&CancelHandle::new()))).json, "\"errand\"");
}

#[test]
fn a_handler_can_end_in_order_after_cancellation() {
    let ended = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ended);
    let session = session(
        Some(SHORT),
        Box::new(move |call| {
            let seen = Arc::clone(&seen);
            later(async move {
                call.cancelled().await;
                seen.lock().unwrap().push(call.is_cancelled());
                if call.id() == "saved" { Ok(ToolOutput::text("saved")) } else { Err(ToolError::new("interrupted")) }
            })
        }),
    );
    assert_eq!(error(&wait(turn(&session).call(&work())))[0], "timeout");
    assert_eq!(wait(turn(&session).call(&work().with_id("saved"))).json, "\"saved\"");
    assert_eq!(*ended.lock().unwrap(), [true, true]);
}

#[test]
fn a_panic_after_the_timeout_is_ignored() {
    let session = session(
        Some(SHORT),
        Box::new(|call| {
            later(async {
                call.cancelled().await;
                panic!("at the end")
            })
        }),
    );
    assert_eq!(error(&wait(turn(&session).call(&work())))[0], "timeout");
}

#[test]
fn finished_calls_leave_no_watchers() {
    let session = session(Some(SHORT), Box::new(|_| later(pending())));
    let turn = turn(&session);
    let request = work();
    let mut call = Box::pin(turn.call(&request));
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(turn.config().cancel.watchers(), 1);
    drop(call);
    wait(turn.call(&request));
    assert_eq!(turn.config().cancel.watchers(), 0);
}

#[test]
fn progress_is_reported_in_order_and_not_after_the_response() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reported);
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let (end, ended) = mpsc::channel();
    let mut tool = tool("work", "home", &[]);
    tool.behaviour.timeout = Some(SHORT);
    let fake = Fake::new([tool]).answer(move |call| {
        let (released, end) = (Arc::clone(&released), end.clone());
        HandlerReply::blocking(call, move |call| {
            for step in 0..3 {
                call.progress(f64::from(step), Some(3.0), "working");
            }
            released.lock().unwrap().recv().unwrap();
            call.progress(3.0, Some(3.0), "too late");
            end.send(()).unwrap();
            Ok(ToolOutput::text("done"))
        })
    });
    let session = fake
        .registry()
        .session()
        .on_progress(move |event| {
            assert_eq!((event.tool, event.id, event.task), ("work", "call-1", "default"));
            sink.lock().unwrap().push(event.done.to_string());
        })
        .build()
        .unwrap();
    assert_eq!(error(&wait(turn(&session).call(&work().with_id("call-1"))))[0], "timeout");
    release.send(()).unwrap();
    ended.recv().unwrap();
    assert_eq!(*reported.lock().unwrap(), ["0", "1", "2"]);
}

#[derive(Debug, Default)]
struct Count(Mutex<usize>);

#[test]
fn state_is_kept_between_calls_until_the_session_is_dropped() {
    let (sender, receiver) = mpsc::channel();
    let session = session(
        None,
        Box::new(move |call| {
            let state = call.state::<Count>();
            sender.send(Arc::downgrade(&state)).unwrap();
            let mut count = state.0.lock().unwrap();
            *count += 1;
            let text = ToolOutput::text(count.to_string());
            drop(count);
            assert!(call.id() != "panic", "as requested");
            HandlerReply::Ready(Ok(text))
        }),
    );
    let turn = turn(&session);
    let answers = ["", "panic", ""].map(|id| wait(turn.call(&work().with_id(id))).json);
    assert_eq!([&*answers[0], &*answers[2]], ["\"1\"", "\"3\""]);
    let state = receiver.recv().unwrap();
    drop(session);
    assert!(state.upgrade().is_some(), "the turn keeps the task");
    drop(turn);
    assert!(state.upgrade().is_none());
}

#[test]
fn state_is_dropped_with_the_task_even_if_a_handler_is_running() {
    let (sender, receiver) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let session = session(
        Some(SHORT),
        Box::new(move |call| {
            let (released, sender) = (Arc::clone(&released), sender.clone());
            HandlerReply::blocking(call, move |call| {
                // The state must be released before the call is cancelled.
                let state = || Arc::downgrade(&call.state::<Count>());
                sender.send(state()).unwrap();
                released.lock().unwrap().recv().unwrap();
                sender.send(state()).unwrap();
                Ok(ToolOutput::text("unheard"))
            })
        }),
    );
    let task = Task::new("errand");
    assert_eq!(error(&wait(turn(&session).call(&work().with_task(&task))))[0], "timeout");
    let state = receiver.recv().unwrap();
    assert!(state.upgrade().is_some());
    drop(task);
    assert!(state.upgrade().is_none());
    release.send(()).unwrap();
    assert!(receiver.recv().unwrap().upgrade().is_none());
}
