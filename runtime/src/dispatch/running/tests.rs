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
use crate::data::env::Env;
use crate::fakes::{Fake, tool, wait};
use crate::provider::HandlerReply;
use crate::result::output::{ToolError, ToolOutput};
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::Session;
use crate::session::turn::Turn;

const SHORT: Duration = Duration::from_millis(20);

type Handler = dyn for<'a> Fn(&'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// A session with the tool `work`, of which a call may take this long.
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

/// The kind and text of an error.
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
fn the_host_says_how_long_where_the_tool_does_not() {
    let fake = Fake::new([tool("work", "home", &[])]).answer(|_| later(pending()));
    let session = fake.registry().session().env(Env::empty()).timeout(SHORT).build().unwrap();
    assert!(error(&wait(turn(&session).call(&work())))[1].contains("20ms"));
    let patient = Fake::new([tool("work", "home", &[])]).registry().session().build().unwrap();
    assert_eq!(turn(&patient).config().timeout, Duration::from_mins(5));
}

#[test]
fn a_blocking_handler_sees_that_it_was_given_up() {
    let (tell, told) = mpsc::channel();
    let session = session(
        Some(SHORT),
        Box::new(move |call| {
            let tell = tell.clone();
            HandlerReply::blocking(call, move |call| {
                while !call.is_cancelled() {
                    thread::yield_now();
                }
                wait(call.cancelled());
                tell.send(()).unwrap();
                Ok(ToolOutput::text("too late"))
            })
        }),
    );
    assert_eq!(error(&wait(turn(&session).call(&work())))[0], "timeout");
    told.recv().unwrap();
}

#[test]
fn a_dropped_call_is_given_up() {
    let (tell, told) = mpsc::channel();
    let handler = move |call: &Call<'_>| {
        let _ = tell.send(call.cancellation());
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
    let cancellation = told.recv().unwrap();
    assert!(!cancellation.is_cancelled());
    drop(call);
    assert!(cancellation.is_cancelled());
    wait(cancellation.cancelled());
}

#[test]
fn the_host_stops_a_call_a_task_or_a_session() {
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
fn a_handler_that_waits_for_it_ends_in_order() {
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
fn a_panic_at_the_last_poll_does_not_count() {
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
fn nothing_is_left_watching() {
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
fn the_host_hears_of_progress_in_order_and_not_after_the_answer() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let (over, go_on) = mpsc::channel::<()>();
    let go_on = Arc::new(Mutex::new(go_on));
    let (ending, ended) = mpsc::channel();
    let mut tool = tool("work", "home", &[]);
    tool.behaviour.timeout = Some(SHORT);
    let fake = Fake::new([tool]).answer(move |call| {
        let (go_on, ending) = (Arc::clone(&go_on), ending.clone());
        HandlerReply::blocking(call, move |call| {
            for step in 0..3 {
                call.progress(f64::from(step), Some(3.0), "working");
            }
            go_on.lock().unwrap().recv().unwrap();
            call.progress(3.0, Some(3.0), "too late");
            ending.send(()).unwrap();
            Ok(ToolOutput::text("done"))
        })
    });
    let session = fake
        .registry()
        .session()
        .on_progress(move |event| {
            assert_eq!((event.tool, event.id, event.task), ("work", "call-1", "default"));
            tell.lock().unwrap().push(event.done.to_string());
        })
        .build()
        .unwrap();
    assert_eq!(error(&wait(turn(&session).call(&work().with_id("call-1"))))[0], "timeout");
    over.send(()).unwrap();
    ended.recv().unwrap();
    assert_eq!(*told.lock().unwrap(), ["0", "1", "2"]);
}

#[derive(Debug, Default)]
struct Count(Mutex<usize>);

#[test]
fn state_lasts_from_call_to_call_and_ends_with_the_session() {
    let (tell, told) = mpsc::channel();
    let session = session(
        None,
        Box::new(move |call| {
            let state = call.state::<Count>();
            tell.send(Arc::downgrade(&state)).unwrap();
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
    let state = told.recv().unwrap();
    drop(session);
    assert!(state.upgrade().is_some(), "the turn goes on");
    drop(turn);
    assert!(state.upgrade().is_none());
}

#[test]
fn state_ends_with_the_task_although_a_thread_is_still_at_work() {
    let (tell, told) = mpsc::channel();
    let (over, go_on) = mpsc::channel::<()>();
    let go_on = Arc::new(Mutex::new(go_on));
    let session = session(
        Some(SHORT),
        Box::new(move |call| {
            let (go_on, tell) = (Arc::clone(&go_on), tell.clone());
            HandlerReply::blocking(call, move |call| {
                // Released before it is cancelled.
                let state = || Arc::downgrade(&call.state::<Count>());
                tell.send(state()).unwrap();
                go_on.lock().unwrap().recv().unwrap();
                tell.send(state()).unwrap();
                Ok(ToolOutput::text("unheard"))
            })
        }),
    );
    let task = Task::new("errand");
    assert_eq!(error(&wait(turn(&session).call(&work().with_task(&task))))[0], "timeout");
    let state = told.recv().unwrap();
    assert!(state.upgrade().is_some());
    drop(task);
    assert!(state.upgrade().is_none());
    over.send(()).unwrap();
    assert!(told.recv().unwrap().upgrade().is_none());
}
