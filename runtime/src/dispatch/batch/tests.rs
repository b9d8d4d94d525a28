use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::data::behaviour::{Annotations, Execution};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::data::table::Table;
use crate::env::Env;
use crate::fakes::{Fake, tool, wait};
use crate::provider::HandlerReply;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::limit::ResultLimits;
use crate::result::output::ToolOutput;
use crate::session::{Session, SessionBuilder};

/// The calls of a batch, by id.
#[derive(Default)]
struct Progress {
    running: Vec<String>,
    /// The wakers of running calls that have not been released.
    held: BTreeMap<String, Vec<Waker>>,
    /// All calls, in the order of their start.
    started: Vec<String>,
}

type Shared = Arc<Mutex<Progress>>;

fn keyed(name: &str, space: &'static str, reads: bool) -> Tool {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}});
    let mut tool = Tool { arguments: Table::from_schema(&schema).unwrap().into(), ..tool(name, "home", &[]) };
    tool.behaviour.parallel = Parallel::Keyed { key: "path".into(), space: space.into() };
    tool.behaviour.annotations = Annotations { read_only: reads, ..Annotations::DEFAULT };
    tool
}

fn with_parallel(parallel: Parallel, mut tool: Tool) -> Tool {
    tool.behaviour.parallel = parallel;
    tool
}

fn agent_run(mut tool: Tool) -> Tool {
    tool.behaviour.execution = Execution::Agent;
    tool
}

/// Returns a session whose calls run until they are released.
fn session(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> (Session, Shared) {
    let shared = Shared::default();
    let progress = Arc::clone(&shared);
    let fake = Fake::new([
        with_parallel(Parallel::Always, tool("free", "home", &[])),
        with_parallel(Parallel::Never, tool("alone", "home", &[])),
        keyed("write", "files", false),
        keyed("read", "files", true),
        keyed("move", "pages", false),
        agent_run(tool("plan", "home", &[])),
        with_parallel(Parallel::Always, agent_run(tool("muse", "home", &[]))),
        agent_run(tool("not_accepted", "home", &[])),
    ]);
    let fake = fake.answer(move |call| {
        let progress = Arc::clone(&progress);
        HandlerReply::Async(Box::pin(async move { run_until_released(&progress, call.id()).await }))
    });
    (set(fake.registry().session().env(Env::empty())).build().unwrap(), shared)
}

/// Runs until the call with this id is released.
async fn run_until_released(progress: &Shared, id: &str) -> ToolResult {
    {
        let mut progress = progress.lock().unwrap();
        progress.started.push(id.to_owned());
        progress.running.push(id.to_owned());
    }
    let mut is_held = false;
    poll_fn(|context| {
        let mut progress = progress.lock().unwrap();
        if is_held && !progress.held.contains_key(id) {
            return Poll::Ready(());
        }
        is_held = true;
        progress.held.entry(id.to_owned()).or_default().push(context.waker().clone());
        Poll::Pending
    })
    .await;
    progress.lock().unwrap().running.retain(|running| running != id);
    assert!(id != "panic", "as requested");
    Ok(ToolOutput::text(id))
}

/// A call that the agent's own loop runs.
struct AgentCall;

impl AgentTools for AgentCall {
    fn read(tool: &str, _: Slots<'_, '_>) -> Option<Self> {
        (tool != "not_accepted").then_some(AgentCall)
    }
}

/// Releases a running call.
fn release(shared: &Shared, id: &str) {
    let wakers = shared.lock().unwrap().held.remove(id).unwrap_or_else(|| panic!("{id} does not run"));
    for waker in wakers {
        waker.wake();
    }
}

/// Runs a batch of calls. Each call is written as `tool path`, and its id is its index. Repeatedly releases the first running call
/// until the batch ends. Returns one text per release: the ids of the calls that were running.
fn steps(calls: &[&str]) -> Vec<String> {
    steps_in(calls, |session| session)
}

fn steps_in(calls: &[&str], set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Vec<String> {
    let (session, shared) = session(set);
    let turn = session.turn_blocking(Dialect::OpenAi);
    let texts: Vec<[String; 3]> = (calls.iter().enumerate())
        .map(|(at, call)| {
            let (name, arguments) = match call.split_once(' ') {
                Some((name, path)) => (name, json!({ "path": path })),
                None => (*call, json!({})),
            };
            [name.to_owned(), arguments.to_string(), at.to_string()]
        })
        .collect();
    let requests: Vec<ToolCall<'_>> =
        texts.iter().map(|[name, arguments, id]| ToolCall::new(name, arguments).with_id(id)).collect();
    let mut batch =
        Box::pin(turn.batch_with(&requests, |_: AgentCall, request| run_until_released(&shared, request.id())));
    let mut context = Context::from_waker(Waker::noop());
    let mut steps = Vec::new();
    loop {
        match batch.as_mut().poll(&mut context) {
            Poll::Ready(answers) => {
                assert!(
                    answers
                        .iter()
                        .zip(&texts)
                        .all(|(completed, [.., id])| completed.response.json == format!("{id:?}"))
                );
                return steps;
            }
            Poll::Pending => {
                let mut running = shared.lock().unwrap().running.clone();
                running.sort_by_key(|id| id.parse::<usize>().unwrap());
                release(&shared, &running[0]);
                steps.push(running.join(" "));
            }
        }
    }
}

#[test]
fn calls_overlap_as_far_as_their_tools_allow() {
    // A call of a tool with `always` overlaps with all calls except those of tools with `never`, which run alone.
    assert_eq!(steps(&["free", "free", "write a"]), ["0 1 2", "1 2", "2"]);
    assert_eq!(steps(&["free", "alone", "free", "free"]), ["0", "1", "2 3", "3"]);
    assert_eq!(steps(&["alone", "alone"]), ["0", "1"]);
    // Calls with the same key run one after the other. Calls with another key overtake them.
    assert_eq!(steps(&["write a", "write a", "write b"]), ["0 2", "1 2", "2"]);
    assert_eq!(steps(&["write a", "write a", "write a"]), ["0", "1", "2"]);
    assert_eq!(steps(&["write a", "move a"]), ["0 1", "1"]);
    // Readers run in parallel with readers, not with writers.
    assert_eq!(steps(&["read a", "read a", "write a", "read a"]), ["0 1", "1", "2", "3"]);
    assert_eq!(steps(&["write a", "read a", "read a"]), ["0", "1 2", "2"]);
    // A call without a key conflicts with every key of the space.
    assert_eq!(steps(&["write a", "write", "write b"]), ["0", "1", "2"]);
    assert_eq!(steps(&["write a", "write ", "write b"]), ["0", "1", "2"], "an empty key");
    assert_eq!(steps(&["read", "read a", "move x"]), ["0 1 2", "1 2", "2"]);
    // Keys are compared as paths: `.` and `..` are resolved, and case is ignored. A relative path may be below any folder, so
    // `/srv/A` may be `a`.
    assert_eq!(steps(&["write ./a", "write b/../a", "write /srv/A", "write b"]), ["0 3", "1 3", "2 3", "3"]);
    assert!(steps(&[]).is_empty());
}

#[test]
fn agent_run_calls_do_not_overlap_by_default() {
    assert_eq!(steps(&["free", "plan", "free", "free"]), ["0", "1", "2 3", "3"]);
    assert_eq!(steps(&["free", "muse", "write a", "alone"]), ["0 1 2", "1 2", "2", "3"]);
    assert_eq!(steps(&["muse"; 10])[0], "0 1 2 3 4 5 6 7");
}

#[test]
fn results_of_agent_run_calls_are_limited_and_scrubbed() {
    let (session, _) = session(|s| s.result_limits(ResultLimits { per_call: 6_000, per_turn: 8_000 }));
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = ["long", "longer", "fails", "panics"].map(|id| ToolCall::new("plan", "{}").with_id(id));
    let requests = [&requests[..], &[ToolCall::new("not_accepted", "{}"), ToolCall::new("plan", "{")]].concat();
    let answers = wait(turn.batch_with(&requests, |_: AgentCall, request| async move {
        match request.id() {
            "long" => Ok(ToolOutput::text("x".repeat(3_000))),
            "longer" => Ok(ToolOutput::text("x".repeat(7_000))),
            "fails" => Err(ToolError::new("no <system>tea")),
            _ => panic!("no water"),
        }
    }));
    assert!(answers.iter().zip(&requests).all(|(completed, request)| completed.call.id() == request.id()));
    let answers: Vec<&str> = answers.iter().map(|completed| completed.response.json.as_str()).collect();
    assert_eq!(answers[0].len(), 3_002);
    assert!(
        answers[1].starts_with(r#"{"truncated":true"#) && answers[1].len() < 5_000,
        "the limit of the batch: {}",
        answers[1]
    );
    assert_eq!(answers[2], r#"{"error":"no tea","kind":"failed"}"#);
    assert_eq!(answers[3], r#"{"error":"the tool failed unexpectedly: no water","kind":"panicked"}"#);
    assert!(answers[4].contains("which did not accept the call"), "{}", answers[4]);
    assert!(answers[5].contains("malformed_arguments"), "{}", answers[5]);
    // Without an agent's loop, agent-run calls fail.
    let refused = wait(turn.batch(&requests[..1]));
    assert_eq!(refused[0].response.json, answers[4]);
}

#[test]
fn agent_run_calls_can_be_cancelled_and_have_no_time_limit() {
    let (session, shared) = session(|session| session.timeout(Duration::ZERO));
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = [ToolCall::new("muse", "{}").with_id("0"), ToolCall::new("plan", "{}").with_id("1")];
    let mut batch =
        Box::pin(turn.batch_with(&requests, |_: AgentCall, request| run_until_released(&shared, request.id())));
    assert!(batch.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(shared.lock().unwrap().running, ["0"], "agent-run calls have no time limit");
    session.cancel();
    let answers = wait(batch);
    assert!(answers.iter().all(|completed| completed.response.error == Some(ErrorKind::Cancelled)), "{answers:?}");
    assert_eq!(shared.lock().unwrap().started, ["0"]);
}

#[test]
fn hooks_only_see_calls_that_the_agents_loop_takes() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<String>>);
    impl Hook for Recorder {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.0.lock().unwrap().push(call.id().to_owned());
            Ok(if call.id() == "no" { HookAction::Block("not today".to_owned()) } else { HookAction::Continue })
        }
    }
    let recorder = Arc::new(Recorder::default());
    let (session, _) = session(|session| session.hook(Arc::clone(&recorder) as Arc<dyn Hook>));
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = [("plan", "yes"), ("plan", "no"), ("not_accepted", "-")]
        .map(|(tool, id)| ToolCall::new(tool, "{}").with_id(id));
    let answers = wait(turn.batch_with(&requests, |_: AgentCall, request| async move {
        assert_eq!(request.id(), "yes");
        Ok(ToolOutput::text("run"))
    }));
    let kinds: Vec<Option<ErrorKind>> = answers.iter().map(|completed| completed.response.error).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Blocked), Some(ErrorKind::Failed)]);
    assert_eq!(
        *recorder.0.lock().unwrap(),
        ["yes", "no"],
        "a call that the loop does not accept is not shown to hooks"
    );
}

/// A hook that changes the path of every call to `a`.
struct PathChanger;

impl Hook for PathChanger {
    fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        Ok(HookAction::Change([("path".to_owned(), "a".into())].into_iter().collect()))
    }
}

#[test]
fn with_hooks_all_keys_of_a_space_conflict() {
    // The keys are not known in advance, because a hook may change the arguments.
    let with_hook = |calls: &[&str]| steps_in(calls, |session| session.hook(Arc::new(PathChanger)));
    assert_eq!(with_hook(&["write b", "write c", "read d"]), ["0", "1", "2"]);
    assert_eq!(with_hook(&["read b", "read c", "write d"]), ["0 1", "1", "2"]);
    assert_eq!(with_hook(&["write b", "move c", "free"]), ["0 1 2", "1 2", "2"]);
}

/// A hook that changes no arguments.
struct Observer;

impl Hook for Observer {
    fn changes_arguments(&self) -> bool {
        false
    }
}

#[test]
fn with_hooks_that_change_nothing_keys_count() {
    let calls = ["write b", "write c", "read d"];
    assert_eq!(steps_in(&calls, |session| session.hook(Arc::new(Observer))), steps(&calls));
    let with_both = steps_in(&calls, |session| session.hook(Arc::new(Observer)).hook(Arc::new(PathChanger)));
    assert_ne!(with_both, steps(&calls));
}

/// A hook that changes the arguments of one tool only.
struct ChangerOf(&'static str);

impl Hook for ChangerOf {
    fn changes_arguments_of(&self, tool: &str) -> bool {
        tool == self.0
    }
}

#[test]
fn a_hook_that_changes_the_calls_of_one_tool_does_not_delay_those_of_others() {
    let calls = ["write b", "write c", "write d"];
    assert_eq!(steps_in(&calls, |session| session.hook(Arc::new(ChangerOf("read")))), steps(&calls));
    assert_eq!(steps_in(&calls, |session| session.hook(Arc::new(ChangerOf("write")))), ["0", "1", "2"]);
}

#[test]
fn at_most_eight_calls_run_at_once() {
    let calls = ["free"; 20];
    let steps = steps(&calls);
    let max_running = steps.iter().map(|step| step.split(' ').count()).max();
    assert_eq!((max_running, steps.len()), (Some(8), 20));
    assert_eq!(steps[12], "12 13 14 15 16 17 18 19");
}

#[test]
fn calls_of_a_batch_fail_independently() {
    let (session, shared) = session(|session| session);
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = [
        ToolCall::new("write", "{").with_id("malformed"),
        ToolCall::new("write", r#"{"n": "many"}"#).with_id("invalid"),
        ToolCall::new("missing", "{}").with_id("unknown"),
        ToolCall::new("write", "{}").with_id("panic"),
        ToolCall::new("write", "{}").with_id("well"),
    ];
    let mut batch = Box::pin(turn.batch(&requests));
    assert!(batch.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    release(&shared, "panic");
    assert!(batch.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    release(&shared, "well");
    let answers: Vec<String> = wait(batch)
        .iter()
        .map(|CompletedCall { call, response: answer }| {
            let value: serde_json::Value = serde_json::from_str(&answer.json).unwrap();
            format!("{}: {}", call.id(), value["kind"].as_str().unwrap_or("none"))
        })
        .collect();
    assert_eq!(
        answers,
        [
            "malformed: malformed_arguments",
            "invalid: invalid_arguments",
            "unknown: unknown_tool",
            "panic: panicked",
            "well: none"
        ]
    );
}

#[test]
fn cancelling_also_cancels_waiting_calls() {
    let (session, shared) = session(|session| session);
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = [ToolCall::new("alone", "{}").with_id("0"), ToolCall::new("alone", "{}").with_id("1")];
    let mut batch = Box::pin(turn.batch(&requests));
    assert!(batch.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    session.cancel();
    let answers = wait(batch);
    assert!(answers.iter().all(|completed| completed.response.json.contains("\"cancelled\"")), "{answers:?}");
    assert_eq!(shared.lock().unwrap().started, ["0"]);
}

#[test]
fn integers_and_choices_are_keys_too() {
    let table = |key: serde_json::Value| {
        Table::from_schema(&json!({"type": "object", "properties": {"path": key}, "required": ["path"]})).unwrap()
    };
    for (key, arguments) in [
        (json!({"type": "integer"}), [r#"{"path": 7}"#, r#"{"path": "007"}"#]),
        (json!({"type": "string", "enum": ["7", "8"]}), [r#"{"path": "7"}"#, r#"{"path": 7}"#]),
    ] {
        let write = Tool { arguments: table(key).into(), ..keyed("write", "files", false) };
        let session = Fake::new([write]).registry().session().build().unwrap();
        let turn = session.turn_blocking(Dialect::OpenAi);
        let overlaps = arguments.map(|arguments| {
            let tool = turn.find("write");
            turn.overlap(&Step { request: ToolCall::new("write", arguments), tool, is_corrected: false, refusal: None })
        });
        let key = Some(ParallelKey::new("7"));
        assert!(
            overlaps
                .iter()
                .all(|overlap| *overlap == Overlap::Keyed { space: "files", key: key.clone(), reads: false })
        );
    }
}

#[test]
fn the_time_of_a_call_is_its_own_and_not_that_of_the_batch() {
    #[derive(Default)]
    struct Times(Mutex<BTreeMap<String, Duration>>);
    impl Hook for Times {
        fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
            self.0.lock().unwrap().insert(call.id().to_owned(), call.elapsed());
            Ok(())
        }
    }
    let times = Arc::new(Times::default());
    let (session, shared) = session(|session| session.hook(Arc::clone(&times) as Arc<dyn Hook>));
    let turn = session.turn_blocking(Dialect::OpenAi);
    let requests = ["quick", "slow"].map(|id| ToolCall::new("free", "{}").with_id(id));
    let mut batch = Box::pin(turn.batch(&requests));
    let context = &mut Context::from_waker(Waker::noop());
    let start = Instant::now();
    assert!(batch.as_mut().poll(context).is_pending());
    release(&shared, "quick");
    assert!(batch.as_mut().poll(context).is_pending());
    let quick = start.elapsed();
    let later = Duration::from_millis(200);
    std::thread::sleep(later);
    release(&shared, "slow");
    assert!(batch.as_mut().poll(context).is_ready());
    let times = times.0.lock().unwrap();
    assert!(times["quick"] <= quick && times["slow"] >= later, "{times:?}");
}
