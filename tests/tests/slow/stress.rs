//! A thousand concurrent calls that fail, panic, hang, time out or are cancelled at random: every call gets one response,
//! and no handler, state, thread or memory is left behind.

use std::fs;
use std::future::pending;
use std::panic;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use toolc::behaviour::{Behaviour, Execution, Parallel};
use toolc::cancel::CancelHandle;
use toolc::{
    Call, CallResponse, Dialect, HandlerReply, Session, Task, ToolCall, ToolError, ToolOutput, ToolResult, Value,
};
use toolc_tests::by_hand::ByHand;
use toolc_tests::random::Random;

const CALLS: usize = 1_000;
const TASKS: usize = 10;
/// The message with which handlers fail and panic.
const EXPECTED_FAILURE: &str = "ordered by the test";

/// The number of running handlers.
static RUNNING_HANDLERS: AtomicUsize = AtomicUsize::new(0);
/// The number of task states that have not been dropped.
static STATES: AtomicUsize = AtomicUsize::new(0);
/// Lets handlers that ignore cancellation return.
static RELEASED: AtomicBool = AtomicBool::new(false);

/// Counts a handler as running until it is dropped.
struct RunningHandler;

impl RunningHandler {
    fn new() -> Self {
        RUNNING_HANDLERS.fetch_add(1, SeqCst);
        Self
    }
}

impl Drop for RunningHandler {
    fn drop(&mut self) {
        RUNNING_HANDLERS.fetch_sub(1, SeqCst);
    }
}

/// The state of a task, which counts itself.
struct CountedState(AtomicUsize);

impl Default for CountedState {
    fn default() -> Self {
        STATES.fetch_add(1, SeqCst);
        Self(AtomicUsize::new(0))
    }
}

impl Drop for CountedState {
    fn drop(&mut self) {
        STATES.fetch_sub(1, SeqCst);
    }
}

/// Ends a handler as its arguments request.
fn end(how: &str, call: &Call<'_>) -> ToolResult {
    call.state::<CountedState>().0.fetch_add(1, SeqCst);
    call.progress(1.0, Some(1.0), "ending");
    match how {
        "fail" => Err(ToolError::new(EXPECTED_FAILURE)),
        "panic" => panic!("{EXPECTED_FAILURE}"),
        _ => Ok(ToolOutput::text(call.id())),
    }
}

fn work(arguments: &Value, call: &Call<'_>) -> ToolResult {
    let _running = RunningHandler::new();
    let how = arguments["end"].as_str().unwrap_or_default();
    match how {
        "hang" => {
            while !call.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            return Err(ToolError::new(EXPECTED_FAILURE));
        }
        "stick" => {
            while !RELEASED.load(SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
        }
        _ => {}
    }
    end(how, call)
}

fn session() -> Session {
    let by_hand = ByHand::new(|arguments, call| match call.tool() {
        "now" => HandlerReply::Ready(work(&arguments, call)),
        "crunch" | "crunch_briefly" => HandlerReply::blocking(call, move |call| work(&arguments, call)),
        _ => HandlerReply::Async(Box::pin(async move {
            let _running = RunningHandler::new();
            let how = arguments["end"].as_str().unwrap_or_default();
            if how == "hang" {
                pending::<()>().await;
            }
            end(how, call)
        })),
    });
    let behaves = |execution, timeout: Option<u64>| {
        let behaviour = Behaviour::default().with_execution(execution).with_parallel(Parallel::Always);
        timeout.into_iter().fold(behaviour, |behaviour, millis| behaviour.with_timeout(Duration::from_millis(millis)))
    };
    let by_hand = by_hand
        .tool("crunch", behaves(Execution::Blocking, None))
        .tool("crunch_briefly", behaves(Execution::Blocking, Some(20)))
        .tool("now", behaves(Execution::Sync, None))
        .tool("wait", behaves(Execution::Async, None))
        .tool("wait_briefly", behaves(Execution::Async, Some(20)));
    by_hand.session().on_progress(|event| assert_eq!(event.message, "ending")).build().expect("a session")
}

/// A call, and the kind of error that it must end in.
#[derive(Clone, Copy)]
struct Plan {
    tool: &'static str,
    end: &'static str,
    kind: Option<&'static str>,
    cancelled: bool,
}

fn plans(seed: u64) -> Vec<Plan> {
    let mut random = Random(seed);
    let plan = |tool, end, kind, cancelled| Plan { tool, end, kind, cancelled };
    let mut one = || match random.below(100) {
        0..20 => plan(*random.pick::<&str>(&["now", "wait", "crunch"]), "fail", Some("failed"), false),
        20..40 => plan(*random.pick::<&str>(&["now", "wait", "crunch"]), "panic", Some("panicked"), false),
        40..55 => plan(*random.pick::<&str>(&["wait_briefly", "crunch_briefly"]), "hang", Some("timeout"), false),
        55..70 => plan(*random.pick::<&str>(&["wait", "crunch"]), "hang", Some("cancelled"), true),
        70..72 => plan("crunch_briefly", "stick", Some("timeout"), false),
        72..75 => plan("crunch", "stick", Some("cancelled"), true),
        75..80 => plan("missing", "", Some("unknown_tool"), false),
        80..85 => plan("now", "\"", Some("malformed_arguments"), false),
        _ => plan(*random.pick::<&str>(&["now", "wait", "crunch"]), "well", None, false),
    };
    (0..CALLS).map(|_| one()).collect()
}

/// A planned call with its request data.
struct PlannedCall {
    plan: Plan,
    id: String,
    arguments: String,
    task: Arc<Task>,
    cancel: CancelHandle,
}

impl PlannedCall {
    fn all(seed: u64) -> Vec<Arc<PlannedCall>> {
        let tasks: Vec<Arc<Task>> = (0..TASKS).map(|number| Arc::new(Task::new(format!("task-{number}")))).collect();
        let made = |(at, plan): (usize, Plan)| PlannedCall {
            plan,
            id: format!("call-{at}"),
            arguments: format!("{{\"end\": \"{}\"}}", plan.end),
            task: Arc::clone(&tasks[at % TASKS]),
            cancel: CancelHandle::new(),
        };
        plans(seed).into_iter().enumerate().map(|plan| Arc::new(made(plan))).collect()
    }

    fn request(&self) -> ToolCall<'_> {
        let request = ToolCall::new(self.plan.tool, &self.arguments).with_id(&self.id);
        request.with_task(&self.task).with_cancel(&self.cancel)
    }

    fn check(&self, answer: &CallResponse) {
        let value: Value = serde_json::from_str(&answer.json).expect("an answer is JSON");
        let Plan { tool, end, kind, .. } = self.plan;
        assert_eq!(answer.is_error(), kind.is_some(), "{tool} {end}: {value}");
        match kind {
            Some(kind) => assert_eq!(value["kind"], kind, "{tool} {end}: {value}"),
            None => assert_eq!(value, *self.id),
        }
    }
}

/// Cancels the calls that are planned to be cancelled, in random order.
fn cancel(made: &[Arc<PlannedCall>], seed: u64) {
    let mut cancels: Vec<&CancelHandle> =
        made.iter().filter(|made| made.plan.cancelled).map(|made| &made.cancel).collect();
    Random(seed).shuffle(&mut cancels);
    cancels.into_iter().for_each(CancelHandle::cancel);
}

/// Makes each call in a Tokio task of its own.
fn as_tasks(seed: u64) {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let (turn, made) = (session().turn_blocking(Dialect::OpenAi), PlannedCall::all(seed));
    let call = |made: &Arc<PlannedCall>| {
        let (turn, made) = (turn.clone(), Arc::clone(made));
        runtime.spawn(async move { made.check(&turn.call(&made.request()).await) })
    };
    let calls: Vec<_> = made.iter().map(call).collect();
    cancel(&made, seed);
    for call in calls {
        runtime.block_on(call).expect("no check fails");
    }
}

/// Makes the calls in batches of fifty, from twenty threads outside of Tokio.
fn as_batches(seed: u64) {
    let (turn, made) = (session().turn_blocking(Dialect::OpenAi), PlannedCall::all(seed));
    thread::scope(|scope| {
        for made in made.chunks(50) {
            let turn = &turn;
            scope.spawn(move || {
                let requests: Vec<ToolCall<'_>> = made.iter().map(|made| made.request()).collect();
                let answers = turn.batch_blocking(&requests);
                assert_eq!(answers.len(), made.len());
                for (one, made) in answers.iter().zip(made) {
                    assert_eq!(one.call.id(), made.id);
                    made.check(&one.response);
                }
            });
        }
        cancel(&made, seed);
    });
}

/// Releases hanging handlers, and waits until none is left. A handler that never returns makes the test hang.
fn settle() {
    RELEASED.store(true, SeqCst);
    while RUNNING_HANDLERS.load(SeqCst) > 0 || STATES.load(SeqCst) > 0 || threads("toolc-blocking") > 64 {
        thread::sleep(Duration::from_millis(1));
    }
    RELEASED.store(false, SeqCst);
    assert!(threads("toolc-timer") <= 1 && threads("toolc-tokio") <= 1);
}

/// Returns the number of threads with this name, or 0 on a system without `/proc`.
fn threads(name: &str) -> usize {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0 };
    let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|known| known.trim_end() == name).count()
}

/// Returns the resident memory in kB, or 0 on a system without `/proc`.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The environment variable that is set in the process that makes the calls.
const ALONE: &str = "TOOLC_TEST_STRESS_ALONE";

/// Runs in a separate process, because it counts the threads and the memory of its process.
#[test]
fn a_thousand_concurrent_calls_leave_no_handler_state_thread_or_memory() {
    if std::env::var_os(ALONE).is_some() {
        return make_calls();
    }
    let output = Command::new(std::env::current_exe().expect("this is a program"))
        .args(["stress::a_thousand_concurrent_calls_leave_no_handler_state_thread_or_memory", "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("failed to start the process that makes the calls");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
}

fn make_calls() {
    // Expected panics need no backtrace.
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some(EXPECTED_FAILURE) {
            others(info);
        }
    }));
    let round = |seed| {
        as_tasks(seed);
        settle();
        as_batches(seed);
        settle();
    };
    (0..4).for_each(round);
    let before = memory();
    (4..14).for_each(round);
    // After twenty thousand calls: a leak of 1 kB per call would exceed this.
    assert!(memory() < before + 16_000, "memory grew from {before} kB to {} kB", memory());
}
