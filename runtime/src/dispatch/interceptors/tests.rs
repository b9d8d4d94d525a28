//! Hooks and approval before a call, and what happens to its result: hooks, the store and the limits.

mod options;

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::call::ToolCall;
use crate::call::approval::{ApprovalDecision, ApprovalRequest, Approver};
use crate::call::hooks::{CallInfo, Hook, HookAction, HostError, HostStage, TransformFuture};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Approval, Behaviour};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::fakes::{Fake, secretive, tool, wait};
use crate::provider::HandlerReply;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::limit::ResultLimits;
use crate::result::output::{ToolOutput, ToolResult};
use crate::result::spill::SpillStore;
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

type Before = dyn Fn(&Value) -> Result<HookAction, ToolError> + Send + Sync;

type Transform = fn(&ToolResult) -> Result<Option<ToolResult>, ToolError>;

/// A hook with scripted actions, which records what it sees.
struct Watcher {
    name: &'static str,
    before: Box<Before>,
    transform: Transform,
    after: fn() -> Result<(), ToolError>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Watcher {
    fn new(name: &'static str, seen: &Arc<Mutex<Vec<String>>>) -> Self {
        let seen = Arc::clone(seen);
        Self { name, before: Box::new(|_| Ok(HookAction::Continue)), transform: |_| Ok(None), after: || Ok(()), seen }
    }

    fn before(self, before: impl Fn(&Value) -> Result<HookAction, ToolError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { before: Box::new(before), ..self })
    }

    fn record(&self, event: &str, call: &CallInfo<'_>, details: &str) {
        let CallInfo { tool, id, task, arguments, .. } = call;
        self.seen.lock().unwrap().push(format!("{} {event} {tool} {id} {task} {arguments} {details}", self.name));
    }
}

impl Hook for Watcher {
    fn name(&self) -> &str {
        self.name
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.record("before", call, "");
        (self.before)(call.arguments())
    }

    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let text = result.as_ref().map_or_else(|error| error.message(), ToolOutput::as_json);
        self.record("transforms", call, text);
        (self.transform)(result)
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        self.record("after", call, &response.json);
        (self.after)()
    }

    fn on_host_error(&self, call: &CallInfo<'_>, error: &HostError<'_>) {
        self.record("host_error", call, &error.to_string());
    }
}

fn new_log() -> Arc<Mutex<Vec<String>>> {
    Arc::default()
}

fn take(seen: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap())
}

/// Returns a tool that returns its arguments, one of which is a secret, and a tool that always needs approval.
fn tools() -> Fake {
    let table = secretive();
    let approval = Approval { always: true, shell: None };
    Fake::new([
        Tool { arguments: Arc::clone(&table), ..tool("echo", "home", &[]) },
        Tool {
            arguments: table,
            behaviour: Behaviour { approval, ..Behaviour::default() },
            ..tool("launch", "home", &[])
        },
    ])
    .answer_with(|args, _| {
        HandlerReply::Ready(match &args["say"] {
            Value::String(text) if text == "fail" => {
                Err(ToolError::with_kind(ErrorKind::NotFound, "<system>no such thing"))
            }
            Value::String(text) if text == "panic" => panic!("out of words"),
            _ => ToolOutput::json(&args),
        })
    })
}

fn turn(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    set(tools().registry().session()).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, name: &str, arguments: &str) -> Value {
    let response = wait(turn.call(&ToolCall::new(name, arguments).with_id("1").with_task(&Task::new("t"))));
    let value: Value = serde_json::from_str(&response.json).unwrap();
    assert_eq!(response.is_error(), value.get("kind").is_some(), "{value}");
    value
}

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn hooks_run_in_order_and_see_no_secrets() {
    let seen = new_log();
    let turn = turn(|s| s.hook(Arc::new(Watcher::new("a", &seen))).hook(Arc::new(Watcher::new("b", &seen))));
    // Hooks see repaired arguments.
    assert_eq!(call(&turn, "echo", r#"{"pin": "12", "say": 5}"#), json!({"say": "5", "pin": 12}));
    let call_text = r#"echo 1 t {"pin":"[secret]","say":"5"}"#;
    let result = r#"{"pin":12,"say":"5"}"#;
    let expected = [
        format!("a before {call_text} "),
        format!("b before {call_text} "),
        format!("a transforms {call_text} {result}"),
        format!("b transforms {call_text} {result}"),
        format!("a after {call_text} {result}"),
        format!("b after {call_text} {result}"),
    ];
    assert_eq!(take(&seen), expected);
    // Calls that are not run are only reported to `after_call`.
    for (name, arguments) in [("missing", "{}"), ("echo", "{"), ("echo", r#"{"sai": 1}"#)] {
        assert!(call(&turn, name, arguments)["kind"].is_string());
        let events = take(&seen);
        assert!(events.len() == 2 && events[0].starts_with(&format!("a after {name} 1 t null {{")), "{events:?}");
    }
    let panicked = call(&turn, "echo", r#"{"say": "panic"}"#);
    assert_eq!(panicked["kind"], "panicked");
    assert_eq!(take(&seen).len(), 6);
}

#[test]
fn arguments_that_a_hook_changes_are_validated_again() {
    let seen = new_log();
    let change = |some: Value| Watcher::new("a", &seen).before(move |_| Ok(HookAction::Change(object(some.clone()))));
    let with = |hook: Arc<Watcher>| turn(|s| s.hook(hook).hook(Arc::new(Watcher::new("b", &seen))));
    // The secret, which the hook does not see, is kept.
    let response = call(&with(change(json!({"say": 7}))), "echo", r#"{"pin": 12, "say": "x"}"#);
    assert_eq!(response, json!({"say": "7", "pin": 12}));
    assert!(take(&seen)[1].starts_with(r#"b before echo 1 t {"pin":"[secret]","say":"7"}"#));
    let response = call(&with(change(json!({"pin": 3}))), "echo", r#"{"say": "x"}"#);
    assert_eq!(response, json!({"say": "x", "pin": 3}));
    take(&seen);
    let response = call(&with(change(json!({"pin": "hunter", "sai": 1}))), "echo", r#"{"say": "x"}"#);
    assert_eq!(response["kind"], "hook_failed");
    assert!(response.get("problems").is_none() && !response.to_string().contains("sai"), "{response}");
    let events = take(&seen);
    assert!(
        events[1].contains("a failed before a call: invalid arguments: ") && events[1].contains("/sai"),
        "{events:?}"
    );
    assert!(!events.concat().contains("hunter") && events.len() == 5, "{events:?}");
}

#[test]
fn a_hook_can_block_a_call() {
    let seen = new_log();
    let block = || HookAction::Block("not <system>today".to_owned());
    for before in [
        Watcher::new("a", &seen).before(move |_| Ok(block())),
        Watcher::new("a", &seen).before(move |_| Ok(HookAction::Async(Box::pin(async move { Ok(block()) })))),
    ] {
        let turn = turn(|s| s.hook(before).hook(Arc::new(Watcher::new("b", &seen))));
        let response = call(&turn, "echo", r#"{"say": "x"}"#);
        assert_eq!(response, json!({"kind": "blocked", "error": "the host blocked the call: not today"}));
        let events = take(&seen);
        assert_eq!(events.len(), 3, "{events:?}");
        for (event, expected) in events.iter().zip(["a before ", "a after ", "b after "]) {
            assert!(event.starts_with(expected), "{events:?}");
        }
    }
}

#[test]
fn a_call_is_not_run_if_a_hook_fails_before_it() {
    let seen = new_log();
    for before in [
        Watcher::new("a", &seen).before(|_| Err(ToolError::new("no hunter2"))),
        Watcher::new("a", &seen).before(|_| panic!("no hunter2")),
        Watcher::new("a", &seen).before(|_| Ok(HookAction::Async(Box::pin(async { panic!("no hunter2") })))),
        Watcher::new("a", &seen)
            .before(|_| Ok(HookAction::Async(Box::pin(async { Err(ToolError::new("no hunter2")) })))),
    ] {
        let response = call(&turn(|s| s.hook(before)), "echo", r#"{"say": "x"}"#);
        assert_eq!(response["kind"], "hook_failed");
        assert!(!response.to_string().contains("hunter2"), "{response}");
        let events = take(&seen);
        assert!(
            events[1].ends_with("a failed before a call: no hunter2") && events[2].starts_with("a after"),
            "{events:?}"
        );
    }
}

#[test]
fn an_async_hook_has_the_time_limit_of_the_call() {
    let seen = new_log();
    let hanging = |begin: Arc<dyn Fn() + Send + Sync>| {
        Watcher::new("a", &seen).before(move |_| {
            let begin = Arc::clone(&begin);
            // The result of the async action is another async action, which hangs.
            Ok(HookAction::Async(Box::pin(async move {
                begin();
                Ok(HookAction::Async(Box::pin(std::future::pending())))
            })))
        })
    };
    let slow = turn(|s| s.hook(hanging(Arc::new(|| ()))).timeout(Duration::from_millis(1)));
    let text = "the call was not run: a check of this host took longer than 1ms. Try again later";
    assert_eq!(call(&slow, "echo", r#"{"say": "x"}"#), json!({"kind": "timeout", "error": text}));
    let events = take(&seen);
    assert!(events[1].ends_with("a failed before a call: it took longer than 1ms"), "{events:?}");
    assert!(events.len() == 3 && events[2].starts_with("a after"), "the handler was not run: {events:?}");

    let (stop, task) = (CancelHandle::new(), Arc::new(Task::new("t")));
    let request = ToolCall::new("echo", r#"{"say": "x"}"#).with_cancel(&stop);
    let text = "the call was cancelled while this host checked it: nothing was done";
    let response = |hook: Arc<Watcher>, task: &Task| {
        let turn = turn(|s| s.hook(hook));
        let response = wait(turn.call(&request.with_task(task)));
        serde_json::from_str::<Value>(&response.json).unwrap()
    };
    let cancels = Arc::clone(&task);
    assert_eq!(
        response(hanging(Arc::new(move || cancels.cancel())), &task),
        json!({"kind": "cancelled", "error": text})
    );
    let cancels = stop.clone();
    assert_eq!(
        response(hanging(Arc::new(move || cancels.cancel())), &task),
        json!({"kind": "cancelled", "error": text})
    );
    assert!(!take(&seen).concat().contains("host_error"), "a hook that is cancelled has not failed");
}

#[test]
fn cancelling_a_session_interrupts_async_hooks() {
    let seen = new_log();
    let hanging = Watcher::new("a", &seen).before(|_| Ok(HookAction::Async(Box::pin(std::future::pending()))));
    let session = tools().registry().session().hook(hanging).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    let request = ToolCall::new("echo", r#"{"say": "x"}"#);
    let mut future = Box::pin(turn.call(&request));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    session.cancel();
    assert_eq!(wait(future).error, Some(ErrorKind::Cancelled));
}

#[test]
fn hooks_transform_a_result_in_order_and_a_hook_that_fails_keeps_it() {
    let seen = new_log();
    let transforms: [Transform; 4] = [
        |result| Ok(result.as_ref().err().map(|error| Ok(ToolOutput::text(format!("replaced: {error}"))))),
        |_| panic!("out of words"),
        |_| Err(ToolError::new("no")),
        |result| Ok(result.as_ref().ok().map(|output| Ok(ToolOutput::text(format!("{} seen", output.as_json()))))),
    ];
    let turn = turn(|s| {
        transforms
            .into_iter()
            .fold(s, |s, transform| s.hook(Arc::new(Watcher { transform, ..Watcher::new("a", &seen) })))
    });
    assert_eq!(call(&turn, "echo", r#"{"say": "x"}"#), json!(r#"{"say":"x"} seen"#));
    let errors: Vec<String> = take(&seen).into_iter().filter(|event| event.contains(" host_error ")).collect();
    // Each of the four hooks sees both errors.
    assert_eq!(errors.len(), 8);
    assert!(errors[0].ends_with("a failed while transforming a result: out of words"), "{errors:?}");
    assert_eq!(call(&turn, "echo", r#"{"say": "fail"}"#), json!("\"replaced: <system>no such thing\" seen"));
}

#[test]
fn failures_of_after_call_do_not_change_the_response() {
    /// A hook whose methods panic.
    struct PanickingHook;
    impl Hook for PanickingHook {
        fn name(&self) -> &str {
            panic!("no name")
        }
        fn after_call(&self, _: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
            panic!("after")
        }
        fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
            assert_eq!((error.part, error.stage, error.message), ("a hook", HostStage::AfterCall, "after"));
            panic!("on host error")
        }
    }
    let seen = new_log();
    let after: fn() -> Result<(), ToolError> = || Err(ToolError::new("disk full"));
    let failing = Arc::new(Watcher { after, ..Watcher::new("a", &seen) });
    let turn = turn(|s| s.hook(Arc::new(PanickingHook)).hook(Arc::clone(&failing) as Arc<dyn Hook>));
    assert_eq!(call(&turn, "echo", r#"{"say": "x"}"#), json!({"say": "x"}));
    let events = take(&seen).concat();
    assert!(
        events.contains("a hook failed after a call: after") && events.contains("a failed after a call: disk full")
    );
}

/// An approver with scripted decisions, which records what it is asked.
struct ScriptedApprover {
    decides: fn() -> ApprovalDecision,
    asked: Mutex<Vec<String>>,
}

impl ScriptedApprover {
    fn new(decides: fn() -> ApprovalDecision) -> Arc<Self> {
        Arc::new(Self { decides, asked: Mutex::default() })
    }
}

impl Approver for ScriptedApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        self.asked.lock().unwrap().push(request.to_string());
        Box::pin(async { (self.decides)() })
    }
}

#[test]
fn the_approver_is_asked_before_a_call_that_needs_approval() {
    let approver = ScriptedApprover::new(|| ApprovalDecision::AllowOnce);
    let turn = turn(|s| s.approver(Arc::clone(&approver) as Arc<dyn Approver>));
    for _ in 0..2 {
        let response = call(&turn, "launch", "{\"pin\": 12, \"say\": \"x\u{202e}\u{9b}\"}");
        assert_eq!(response, json!({"say": "x\u{202e}\u{9b}", "pin": 12}));
        let asked = take(&approver.asked);
        assert_eq!(
            asked,
            [concat!(
                r#"run `launch` with {"pin":"[secret]","say":"x\u{202e}\u{9b}"}? "#,
                "(every call of this tool needs approval)",
            )]
        );
    }
    assert_eq!(call(&turn, "echo", r#"{"say": "x"}"#)["say"], "x");
    assert_eq!(call(&turn, "launch", "{}")["kind"], "invalid_arguments");
    assert!(take(&approver.asked).is_empty(), "calls that need no approval are not asked about");
}

#[test]
fn a_denial_has_a_reason_and_a_failed_approver_denies() {
    let seen = new_log();
    let response = |decides: fn() -> ApprovalDecision| {
        let turn = turn(|s| s.approver(ScriptedApprover::new(decides)).hook(Arc::new(Watcher::new("a", &seen))));
        call(&turn, "launch", r#"{"say": "x"}"#)
    };
    let denied = response(|| ApprovalDecision::Deny("too <tool_call>loud".to_owned()));
    let text = "the call was not approved: too loud. Do not repeat it unless the user asks for it";
    assert_eq!(denied, json!({"kind": "denied", "error": text}));
    assert!(
        response(|| ApprovalDecision::Deny(String::new()))["error"].as_str().unwrap().contains("no reason was given")
    );
    take(&seen);
    let broken = response(|| panic!("cannot reach hunter2"));
    assert!(broken["kind"] == "denied" && !broken.to_string().contains("hunter2"), "{broken}");
    assert!(take(&seen)[1].contains("the approver failed while deciding on a call: cannot reach hunter2"));
}

#[test]
fn the_approver_has_a_time_limit() {
    /// An approver that never answers, and cancels the call.
    struct SilentApprover(CancelHandle);
    impl Approver for SilentApprover {
        fn decide<'a>(
            &'a self,
            _: &'a ApprovalRequest<'a>,
        ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
            self.0.cancel();
            Box::pin(std::future::pending())
        }
    }
    let stop = CancelHandle::new();
    let turn = turn(|s| s.approver(Arc::new(SilentApprover(stop.clone()))).approval_timeout(Duration::from_millis(1)));
    let text = "the call was not approved: the approver did not answer within 1ms. Do not repeat it unless the user asks for it";
    assert_eq!(call(&turn, "launch", r#"{"say": "x"}"#), json!({"kind": "denied", "error": text}));
    let request = ToolCall::new("launch", r#"{"say": "x"}"#).with_cancel(&stop);
    assert!(wait(turn.call(&request)).json.contains("\"kind\":\"cancelled\""));
}

#[test]
fn an_approval_for_the_session_is_remembered() {
    let seen = new_log();
    let approver = ScriptedApprover::new(|| ApprovalDecision::AllowForSession);
    let turn = turn(|s| {
        let ask = |name| {
            Watcher::new(name, &seen).before(|arguments| {
                Ok(match arguments["say"].as_str() {
                    Some("x") => HookAction::Continue,
                    Some(text) => HookAction::Ask(format!("it says {text}")),
                    None => HookAction::Block(String::new()),
                })
            })
        };
        let change = Watcher::new("c", &seen).before(|_| Ok(HookAction::Change(object(json!({"say": "changed"})))));
        s.hook(ask("a")).hook(change).hook(ask("d")).approver(Arc::clone(&approver) as Arc<dyn Approver>)
    });
    // One question for all reasons, with the changed arguments.
    assert_eq!(call(&turn, "echo", r#"{"say": "y"}"#)["say"], "changed");
    assert_eq!(take(&approver.asked), [r#"run `echo` with {"say":"changed"}? (it says y) (it says changed)"#]);
    // The same call needs no second approval; other arguments and other tools do.
    call(&turn, "echo", r#"{"say": "y"}"#);
    assert!(take(&approver.asked).is_empty());
    call(&turn, "echo", r#"{"say": "z"}"#);
    assert_eq!(take(&approver.asked), [r#"run `echo` with {"say":"changed"}? (it says z)"#]);
    call(&turn, "launch", r#"{"say": "x"}"#);
    assert!(take(&approver.asked)[0].ends_with("(every call of this tool needs approval) (it says changed)"));
    call(&turn, "launch", r#"{"say": "x"}"#);
    assert!(take(&approver.asked).is_empty());
}

#[test]
fn an_approval_for_the_session_does_not_count_if_the_hook_asks_each_time() {
    let seen = new_log();
    let approver = ScriptedApprover::new(|| ApprovalDecision::AllowForSession);
    let turn = turn(|s| {
        let hook = Watcher::new("a", &seen).before(|_| Ok(HookAction::AskEachTime("it sends a letter".to_owned())));
        s.hook(hook).approver(Arc::clone(&approver) as Arc<dyn Approver>)
    });
    for _ in 0..2 {
        call(&turn, "echo", r#"{"say": "y"}"#);
        assert_eq!(take(&approver.asked), [r#"run `echo` with {"say":"y"}? (it sends a letter)"#]);
    }
}

#[test]
fn without_an_approver_the_call_is_refused() {
    let seen = new_log();
    let response = call(&turn(|s| s), "launch", r#"{"say": "x"}"#);
    assert_eq!(response["kind"], "refused");
    assert!(response["error"].as_str().unwrap().contains("this host cannot ask for it"), "{response}");
    let ask = Watcher::new("a", &seen).before(|_| Ok(HookAction::Ask(String::new())));
    assert_eq!(call(&turn(|s| s.hook(ask)), "echo", r#"{"say": "x"}"#)["kind"], "refused");
}

/// A store in memory, whose third write fails.
struct MemoryStore(Mutex<Vec<String>>);

impl SpillStore for MemoryStore {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let mut texts = self.0.lock().unwrap();
        texts.push(text.to_owned());
        match texts.len() {
            3 => Err(io::Error::other("memory full")),
            count => Ok(format!("{tool}{count}.{extension}")),
        }
    }
}

#[test]
fn long_results_are_stored_or_cut() {
    let seen = new_log();
    let memory = Arc::new(MemoryStore(Mutex::default()));
    let limits = ResultLimits { per_call: 2_000, per_turn: 5_000 };
    let long = |letters: usize| json!({"say": "ü".repeat(letters)}).to_string();
    let text = |letters: usize| format!("{{\n  \"say\": \"{}\"\n}}", "ü".repeat(letters));
    let with_store = turn(|s| {
        s.result_limits(limits)
            .spill_store(Arc::clone(&memory) as Arc<dyn SpillStore>)
            .spill_reader("echo")
            .hook(Arc::new(Watcher::new("a", &seen)))
    });
    // With the ten characters of `{"say":""}`, this result has exactly the size of the limit.
    assert_eq!(call(&with_store, "echo", &long(1_990)), json!({"say": "ü".repeat(1_990)}));
    assert!(memory.0.lock().unwrap().is_empty());
    let response = call(&with_store, "echo", &long(1_991));
    assert_eq!((&response["truncated"], &response["file"]), (&true.into(), &"echo1.json".into()));
    assert_eq!(take(&memory.0), [text(1_991)]);
    // The next write is the third, which fails.
    memory.0.lock().unwrap().extend([String::new(), String::new()]);
    take(&seen);
    let response = call(&with_store, "echo", &long(3_000));
    assert!(response["missing"].as_u64().unwrap() > 1_000 && response.get("file").is_none(), "{response}");
    let seen = take(&seen);
    assert!(seen[2].ends_with("the spill store failed while storing a result: memory full"), "{seen:?}");
    assert!(
        seen[3].contains("a after") && seen[3].contains("\"truncated\":true"),
        "hooks see the shortened result: {seen:?}"
    );
    let cut = call(&turn(|s| s.result_limits(limits)), "echo", &long(3_000));
    assert_eq!(cut, response);
}

#[test]
fn a_batch_stays_within_the_limit_of_a_turn() {
    let results = |store: Option<Arc<MemoryStore>>| {
        let turn = turn(|s| {
            let s = s.result_limits(ResultLimits { per_call: 4_000, per_turn: 10_500 });
            match store {
                Some(store) => s.spill_store(store).spill_reader("echo"),
                None => s,
            }
        });
        let texts = [3_000, 3_900, 100, 3_800, 4_200].map(|letters| json!({"say": "x".repeat(letters)}).to_string());
        let requests = texts.each_ref().map(|text| ToolCall::new("echo", text));
        let answered = wait(turn.batch(&requests));
        answered.into_iter().map(|completed| completed.response.json.chars().count()).collect::<Vec<_>>()
    };
    let sizes = results(Some(Arc::new(MemoryStore(Mutex::default()))));
    assert!(sizes[0] > 3_000 && sizes[3] > 3_800, "{sizes:?}");
    assert!(
        sizes[1] < 1_900 && sizes[4] < 1_900 && sizes.iter().sum::<usize>() <= 10_500,
        "only the largest are stored: {sizes:?}"
    );
    let sizes = results(None);
    assert!(sizes[0] == 3_010 && sizes[2] == 110 && sizes[1] < 1_900 && sizes[4] < 1_900, "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() <= 10_500, "{sizes:?}");
}

#[test]
fn hooks_see_the_duration_and_whether_a_tool_has_secrets() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<(Duration, bool)>>);

    impl Recorder {
        fn record(&self, call: &CallInfo<'_>) {
            self.0.lock().unwrap().push((call.elapsed(), call.takes_secrets()));
        }
    }

    impl Hook for Recorder {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.record(call);
            Ok(HookAction::Continue)
        }

        fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
            self.record(call);
            Ok(())
        }
    }

    const DURATION: Duration = Duration::from_millis(5);
    let recorder = Arc::new(Recorder::default());
    let tools =
        Fake::new([tool("open", "home", &[]), Tool { arguments: secretive(), ..tool("secretive", "home", &[]) }]);
    let tools = tools.answer(|_| {
        std::thread::sleep(DURATION);
        HandlerReply::Ready(Ok(ToolOutput::text("done")))
    });
    let turn = tools.registry().session().hook(recorder.clone()).build().unwrap().turn_blocking(Dialect::OpenAi);
    for (name, takes_secrets) in [("open", false), ("secretive", true)] {
        call(&turn, name, r#"{"say": "x"}"#);
        let records = std::mem::take(&mut *recorder.0.lock().unwrap());
        let [(before, _), (after, _)] = records[..] else { panic!("{records:?}") };
        assert!(after >= before + DURATION, "{records:?}");
        assert!(records.iter().all(|(_, takes)| *takes == takes_secrets));
    }
}

/// A hook that waits before it replaces a result.
struct Later(fn() -> TransformFuture);

impl Hook for Later {
    fn name(&self) -> &'static str {
        "later"
    }

    fn transform_later(&self, _: &CallInfo<'_>, _: &ToolResult) -> Option<TransformFuture> {
        Some((self.0)())
    }
}

#[test]
fn a_hook_can_wait_for_a_new_result() {
    let seen = new_log();
    let with = |later: Later| turn(|s| s.hook(Arc::new(later)).hook(Arc::new(Watcher::new("b", &seen))));
    let say = r#"{"say": "x"}"#;
    let replaced = with(Later(|| Box::pin(async { Ok(Some(Ok(ToolOutput::text("y")))) })));
    assert_eq!(call(&replaced, "echo", say), json!("y"));
    let next = take(&seen).swap_remove(1);
    assert!(next.starts_with("b transforms echo") && next.ends_with("\"y\""), "the next hook sees it: {next}");
    let kept = with(Later(|| Box::pin(async { Ok(None) })));
    assert_eq!(call(&kept, "echo", say), json!({"say": "x"}));
    for failing in [
        Later(|| Box::pin(async { Err(ToolError::new("no")) })),
        Later(|| Box::pin(async { panic!("no") })),
        Later(|| panic!("no")),
    ] {
        take(&seen);
        assert_eq!(call(&with(failing), "echo", say), json!({"say": "x"}));
        assert!(take(&seen)[1].ends_with("later failed while transforming a result: no"));
    }
}

#[test]
fn the_result_is_dropped_if_a_hook_that_waits_is_interrupted() {
    let seen = new_log();
    let waiting = || Arc::new(Later(|| Box::pin(std::future::pending())));
    let session = |s: SessionBuilder| s.hook(waiting()).hook(Arc::new(Watcher::new("b", &seen)));
    let late = turn(|s| session(s).timeout(Duration::from_millis(20)));
    let response = call(&late, "echo", r#"{"say": "x"}"#);
    assert_eq!(response["kind"], "timeout");
    let failed = take(&seen).into_iter().find(|line| line.contains("host_error")).expect("it is reported");
    assert!(failed.ends_with("later failed while transforming a result: it took longer than 20ms"), "{failed}");

    let (turn, cancel) = (turn(session), CancelHandle::new());
    let request = ToolCall::new("echo", r#"{"say": "x"}"#).with_cancel(&cancel);
    let mut running = Box::pin(turn.call(&request));
    assert!(running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    cancel.cancel();
    let response = wait(running);
    assert_eq!(response.error, Some(ErrorKind::Cancelled), "{}", response.json);
    assert!(response.json.contains("its effects are not undone"), "{}", response.json);
}
