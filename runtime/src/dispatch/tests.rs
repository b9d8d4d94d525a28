use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;

use serde_json::{Value, json};

use crate::args::Slots;
use crate::call::ToolCall;
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Approval, Behaviour, Execution};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement::Env as Needs;
use crate::data::table::Table;
use crate::dispatch::agent::{AgentTask, AgentTools};
use crate::env::Env;
use crate::fakes::{Fake, renamed, texts, tool, wait};
use crate::provider::HandlerReply;
use crate::registry::Registry;
use crate::result::error::ToolError;
use crate::result::image::Image;
use crate::result::limit::ResultLimits;
use crate::result::output::{ToolOutput, ToolResult};
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};

fn turn(registry: &Registry) -> Turn {
    registry.session().env(Env::empty()).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, name: &str) -> CallResponse {
    wait(turn.call(&ToolCall::new(name, "{}").with_id("call-1").with_task(&Task::new("task-1"))))
}

/// Returns the kind and the message of an error.
fn error(answer: &CallResponse) -> [String; 2] {
    assert!(answer.is_error(), "{answer:?}");
    let value: Value = serde_json::from_str(&answer.json).unwrap();
    ["kind", "error"].map(|key| value[key].as_str().unwrap().to_owned())
}

/// Returns `tool` with this execution. `always`: whether every call needs approval.
fn with_behaviour(tool: Tool, execution: Execution, always: bool) -> Tool {
    let approval = Approval { always, shell: None };
    Tool { behaviour: Behaviour { execution, approval, ..Behaviour::default() }, ..tool }
}

#[test]
fn a_tool_is_called_by_its_name_in_the_dialect() {
    let registry = Fake::new([
        tool("b_plain", "home", &[]),
        renamed("z_first", tool("a_own", "home", &[])),
        renamed("a_last", tool("c_own", "home", &[])),
    ])
    .registry();
    let turn = turn(&registry);
    // Sorted by the tools' own names. Handlers only know these.
    assert_eq!(turn.definitions(), r#"["a_own","b_plain","c_own"]"#);
    assert_eq!(turn.tools().collect::<Vec<_>>(), ["a_own", "b_plain", "c_own"]);
    for (name, own) in [("z_first", "a_own"), ("b_plain", "b_plain"), ("a_last", "c_own")] {
        assert_eq!(call(&turn, name).json, format!("{own:?}"));
    }
    let message = |name| error(&call(&turn, name))[1].clone();
    assert_eq!(message("a_own"), "unknown tool `a_own`: did you mean `z_first`?");
    assert_eq!(message("z_frist"), "unknown tool `z_frist`: did you mean `z_first`?");
    assert_eq!(message("xyz"), "unknown tool `xyz`: the available tools are z_first, b_plain, a_last");
}

#[test]
fn a_call_of_a_hidden_tool_returns_the_reason() {
    let needs = [Needs(texts(&["WEB_KEY"]))];
    let registry = Fake::new([tool("web", "home", &needs), renamed("ask_it", tool("ask", "home", &needs))]).registry();
    let turn = turn(&registry);
    for name in ["web", "ask", "ask_it"] {
        let text = format!("the tool `{name}` is not available now: needs the environment variable `WEB_KEY`");
        assert_eq!(error(&call(&turn, name)), ["unknown_tool".to_owned(), text]);
    }
}

#[test]
fn a_call_that_needs_approval_is_refused() {
    let plan = Tool { arguments: goal().into(), ..with_behaviour(tool("plan", "home", &[]), Execution::Agent, true) };
    let turn = turn(&Fake::new([with_behaviour(tool("launch", "home", &[]), Execution::Sync, true), plan]).registry());
    let [kind, text] = error(&call(&turn, "launch"));
    assert!(kind == "refused" && text.contains("needs approval"), "{text}");
    let refused = |goal| wait(turn.agent_call::<Plan>(&ToolCall::new("plan", goal))).unwrap().unwrap_err();
    assert_eq!(error(&refused(r#"{"goal": "tea"}"#))[0], "refused");
    assert_eq!(error(&refused("{}"))[0], "invalid_arguments");
}

fn goal() -> Table {
    let schema = json!({"type": "object", "properties": {"goal": {"type": "string"}}, "required": ["goal"]});
    Table::from_schema(&schema).unwrap()
}

#[derive(Debug, PartialEq)]
struct Plan {
    goal: String,
}

impl AgentTools for Plan {
    fn read(tool: &str, mut args: Slots<'_, '_>) -> Option<Self> {
        match tool {
            // With a table that was made at run time, one slot has all arguments.
            "plan" => Some(Plan { goal: args.value::<Value>(0)["goal"].as_str()?.to_owned() }),
            "broken" => panic!("no such slot"),
            _ => None,
        }
    }
}

fn planner() -> Turn {
    let plan = Tool { arguments: goal().into(), ..renamed("make_plan", tool("plan", "home", &[])) };
    let agent = |tool| with_behaviour(tool, Execution::Agent, false);
    let others = ["broken", "not_accepted"].map(|name| agent(tool(name, "home", &[])));
    let fake = Fake::new([agent(plan), tool("look", "home", &[])].into_iter().chain(others));
    turn(&fake.answer(|call| unreachable!("no call reaches the provider for {}", call.tool())).registry())
}

#[test]
fn an_agent_call_is_typed_and_its_result_becomes_a_response() {
    let turn = planner();
    let task = |goal: &str| {
        let request = ToolCall::new("make_plan", goal);
        wait(turn.agent_call::<Plan>(&request)).unwrap()
    };
    let AgentTask { call, pending } = task(r#"{"goal": "tea"}"#).unwrap();
    assert_eq!((call, pending.tool()), (Plan { goal: "tea".into() }, "plan"));
    assert_eq!(pending.finish(Ok(ToolOutput::text("hot"))), CallResponse::from(Ok(ToolOutput::text("hot"))));
    let AgentTask { pending, .. } = task(r#"{"goal": "tea"}"#).unwrap();
    assert_eq!(error(&pending.finish(Err(ToolError::new("no water")))), ["failed", "no water"]);
    assert_eq!(error(&task("{}").unwrap_err())[0], "invalid_arguments");
    assert_eq!(error(&task("{").unwrap_err())[0], "malformed_arguments");
}

#[test]
fn calls_of_handlers_are_not_agent_calls() {
    let turn = planner();
    for name in ["look", "missing", "plan", "not_accepted"] {
        assert!(wait(turn.agent_call::<Plan>(&ToolCall::new(name, "{}"))).is_none(), "{name}");
    }
    let panicked = wait(turn.agent_call::<Plan>(&ToolCall::new("broken", "{}"))).unwrap().unwrap_err();
    assert_eq!(error(&panicked)[0], "panicked");
    let [kind, text] = error(&call(&turn, "not_accepted"));
    assert!(kind == "failed" && text.contains("agent's own loop"), "{text}");
}

#[test]
fn a_cancelled_agent_call_is_not_handed_to_the_loop_but_a_later_one_is() {
    let (turn, task, one) = (planner(), Task::new("errand"), CancelHandle::new());
    let plan = || ToolCall::new("make_plan", r#"{"goal": "tea"}"#);
    for request in [plan().with_task(&task), plan().with_cancel(&one), plan().with_cancel(&one)] {
        task.cancel();
        one.cancel();
        let cancelled = wait(turn.agent_call::<Plan>(&request)).unwrap().unwrap_err();
        assert_eq!(error(&cancelled), ["cancelled", "the call was cancelled before it started: nothing was done"]);
    }
    let AgentTask { call, .. } = wait(turn.agent_call::<Plan>(&plan().with_task(&task))).unwrap().unwrap();
    assert_eq!(call, Plan { goal: "tea".into() });
}

#[test]
fn an_agent_call_that_is_cancelled_while_hooks_see_it_is_not_handed_to_the_loop() {
    /// A hook that cancels the session of each call.
    struct Stop(Arc<OnceLock<Session>>);

    impl Hook for Stop {
        fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.0.get().unwrap().cancel();
            Ok(HookAction::Continue)
        }
    }

    let plan = Tool { arguments: goal().into(), ..with_behaviour(tool("plan", "home", &[]), Execution::Agent, false) };
    let stopped = Arc::new(OnceLock::new());
    let registry = Fake::new([plan]).registry();
    let session = registry.session().env(Env::empty()).hook(Arc::new(Stop(Arc::clone(&stopped)))).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    assert!(stopped.set(session).is_ok());
    let request = ToolCall::new("plan", r#"{"goal": "tea"}"#);
    let cancelled = wait(turn.agent_call::<Plan>(&request)).unwrap().unwrap_err();
    assert_eq!(error(&cancelled)[0], "cancelled");
}

#[test]
fn a_blocking_handler_runs_on_another_thread() {
    let started = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&started);
    let here = thread::current().id();
    let fake = Fake::new([tool("crunch", "home", &[])]).answer(move |call| {
        let seen = Arc::clone(&seen);
        HandlerReply::blocking(call, move |call| {
            seen.fetch_add(1, Ordering::SeqCst);
            assert_ne!(thread::current().id(), here);
            Ok(ToolOutput::text(format!("{} {} {}", call.tool(), call.id(), call.task())))
        })
    });
    let turn = turn(&fake.registry());
    let request = ToolCall::new("crunch", "{}");
    drop(turn.call(&request));
    assert_eq!(started.load(Ordering::SeqCst), 0, "a future that is not polled does not start");
    assert_eq!(call(&turn, "crunch").json, "\"crunch call-1 task-1\"");
    assert_eq!(started.load(Ordering::SeqCst), 1);
}

#[test]
fn blocking_handlers_run_concurrently() {
    let both = Arc::new(Barrier::new(2));
    let fake = Fake::new([tool("meet", "home", &[])]).answer(move |call| {
        let both = Arc::clone(&both);
        HandlerReply::blocking(call, move |_| {
            both.wait();
            Ok(ToolOutput::text("met"))
        })
    });
    let turn = turn(&fake.registry());
    let request = ToolCall::new("meet", "{}");
    let answers = wait(async {
        let (mut one, mut other) = (Box::pin(turn.call(&request)), Box::pin(turn.call(&request)));
        let (mut first, mut second) = (None, None);
        std::future::poll_fn(|context| {
            for (future, answer) in [(&mut one, &mut first), (&mut other, &mut second)] {
                if answer.is_none()
                    && let std::task::Poll::Ready(ready) = future.as_mut().poll(context)
                {
                    *answer = Some(ready);
                }
            }
            if first.is_some() && second.is_some() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        [first, second]
    });
    assert_eq!(answers.map(|answer| answer.unwrap().json), ["\"met\"", "\"met\""]);
}

#[test]
fn a_panic_of_a_blocking_handler_is_an_error() {
    let fake = Fake::new([tool("crunch", "home", &[])]);
    let turn = turn(&fake.answer(|call| HandlerReply::blocking(call, |_| panic!("out of numbers"))).registry());
    let text = "the tool failed unexpectedly: out of numbers".to_owned();
    assert_eq!(error(&call(&turn, "crunch")), ["panicked".to_owned(), text]);
}

#[test]
fn a_blocking_handler_of_a_dropped_reply_runs_to_its_end() {
    let barrier = Arc::new(Barrier::new(2));
    let handler_barrier = Arc::clone(&barrier);
    let fake = Fake::new([tool("crunch", "home", &[])]).answer(move |call| {
        let barrier = Arc::clone(&handler_barrier);
        HandlerReply::blocking(call, move |_| {
            barrier.wait();
            barrier.wait();
            Ok(ToolOutput::text("unheard"))
        })
    });
    let turn = turn(&fake.registry());
    let request = ToolCall::new("crunch", "{}");
    let mut future = Box::pin(turn.call(&request));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    barrier.wait();
    drop(future);
    barrier.wait();
}

#[test]
fn the_future_of_a_call_can_cross_threads() {
    fn assert_send<T: Send>(_: &T) {}
    let turn = planner();
    let request = ToolCall::new("plan", "{}");
    assert_send(&turn.call(&request));
    assert_send(&turn.batch_with(&[request], |plan: Plan, _| async move { Ok(ToolOutput::text(plan.goal)) }));
    assert_send(&turn);
}

#[test]
fn replies_without_a_handler_are_errors() {
    let answer = |reply| match reply {
        HandlerReply::Ready(result) => CallResponse::from(result),
        HandlerReply::Async(_) => unreachable!("these replies are ready"),
    };
    assert!(error(&answer(HandlerReply::agent()))[1].contains("agent's own loop"));
    assert!(error(&answer(HandlerReply::no_such_tool(7)))[1].contains("no tool at index 7"));
}

fn picture(number: u8) -> Image {
    Image::new("image/gif", [b"GIF89a".as_slice(), &[number]].concat()).unwrap()
}

/// Returns a turn with the tool `look`, which returns a long text and an image, and the agent-run tool `plan`.
fn pictures(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    let plan = Tool { arguments: goal().into(), ..with_behaviour(tool("plan", "home", &[]), Execution::Agent, false) };
    let fake = Fake::new([tool("look", "home", &[]), plan])
        .answer(|_| HandlerReply::Ready(ToolOutput::text("a line\n".repeat(800)).with_image(picture(1))));
    let limits = ResultLimits { per_call: 8_000, per_turn: 8_000 };
    let session = fake.registry().session().env(Env::empty()).result_limits(limits);
    set(session).build().unwrap().turn_blocking(Dialect::OpenAi)
}

#[test]
fn images_are_kept_by_every_kind_of_call() {
    let turn = pictures(|session| session);
    let answer = call(&turn, "look");
    assert_eq!((answer.json.len(), &*answer.images), (6_402, &[picture(1)][..]));
    // Results that exceed the limit of a call, or together the limit of a turn.
    let short = pictures(|session| session.result_limits(ResultLimits { per_call: 5_000, per_turn: 8_000 }));
    let batch = wait(turn.batch(&[(); 2].map(|()| ToolCall::new("look", "{}"))));
    for answer in [call(&short, "look")].iter().chain(batch.iter().map(|completed| &completed.response)) {
        assert!(answer.json.contains(r#""truncated":true"#) && answer.images == [picture(1)], "{answer:?}");
    }
    // A result of the agent's own loop.
    let request = ToolCall::new("plan", r#"{"goal": "tea"}"#);
    let AgentTask { pending, .. } = wait(turn.agent_call::<Plan>(&request)).unwrap().unwrap();
    assert_eq!(pending.finish(ToolOutput::text("hot").with_image(picture(2))).images, [picture(2)]);
    let batch =
        wait(turn.batch_with(&[request], |Plan { goal }, _| async { ToolOutput::text(goal).with_image(picture(3)) }));
    assert_eq!((&*batch[0].response.json, &*batch[0].response.images), ("\"tea\"", &[picture(3)][..]));
}

#[test]
fn a_hook_decides_which_images_are_kept() {
    /// A hook that keeps the images of `look`, and removes those of other tools.
    struct ImageFilter;

    impl Hook for ImageFilter {
        fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
            let Ok(output) = result else { return Ok(None) };
            let mut filtered = ToolOutput::text(format!("{} images", output.images().len()));
            if call.tool() == "look" {
                for image in output.images() {
                    filtered = filtered.with_image(image.clone())?;
                }
            }
            Ok(Some(Ok(filtered)))
        }
    }

    let turn = pictures(|session| session.hook(Arc::new(ImageFilter)));
    let answer = call(&turn, "look");
    assert_eq!((&*answer.json, &*answer.images), ("\"1 images\"", &[picture(1)][..]));
    let request = ToolCall::new("plan", r#"{"goal": "tea"}"#);
    let batch = wait(turn.batch_with(&[request], |_: Plan, _| async { ToolOutput::text("").with_image(picture(2)) }));
    assert_eq!((&*batch[0].response.json, &*batch[0].response.images), ("\"1 images\"", &[][..]));
}
