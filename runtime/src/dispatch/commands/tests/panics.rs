//! A panic at any station of a call: each road ends with one response, and the next call finds nothing held.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use super::*;
use crate::args::Slots;
use crate::call::Call;
use crate::call::hooks::{CallInfo, Hook, HookAction, HostError, TransformFuture};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Approval, Behaviour, Execution, Parallel};
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::data::table::Table;
use crate::dispatch::agent::{AgentTask, AgentTools};
use crate::fakes::{Fake, tool};
use crate::panics;
use crate::provider::code_parameters::CodeParameter;
use crate::provider::{HandlerReply, StartDirectory, ToolProvider, start_directory};
use crate::result::error::ToolError;
use crate::result::limit::ResultLimits;
use crate::result::output::ToolResult;
use crate::result::spill::SpillStore;

/// The places that run code of the host or read its data.
const STATIONS: &[&str] = &[
    "name",
    "changes_arguments",
    "before_call",
    "before_call's future",
    "the drop of before_call's future",
    "transform_later",
    "transform_later's future",
    "the drop of transform_later's future",
    "transform_result",
    "after_call",
    "on_host_error",
    "asks_one_at_a_time",
    "decide",
    "decide's future",
    "the drop of decide's future",
    "contains",
    "add",
    "decided",
    "store",
    "on_progress",
    "code_parameters",
    "start_directory",
    "start_directory's future",
    "the drop of start_directory's future",
    "the handler",
    "the handler's future",
    "the drop of the handler's future",
    "the agent's reader",
    "the agent's loop",
];

/// The stations whose panics do not replace the result of the handler.
const KEEP_THE_RESULT: &[&str] = &[
    "name",
    "transform_later",
    "transform_later's future",
    "transform_result",
    "after_call",
    "on_host_error",
    "contains",
    "add",
    "decided",
    "store",
];

/// A host that panics at one station while it is armed.
struct Host {
    station: &'static str,
    is_armed: AtomicBool,
    /// The responses that `after_call` sees, and the reported failures.
    seen: Mutex<Vec<String>>,
}

impl Host {
    fn new(station: &'static str) -> Arc<Self> {
        Arc::new(Self { station, is_armed: AtomicBool::new(false), seen: Mutex::default() })
    }

    fn arm(&self, is_armed: bool) {
        self.is_armed.store(is_armed, Ordering::SeqCst);
    }

    fn reach(&self, station: &str) {
        assert!(self.station != station || !self.is_armed.load(Ordering::SeqCst), "reached {station}");
    }

    /// Returns a future that reaches the first station when it is polled, and the second when it is dropped.
    fn later<'a, T: Send + Unpin + 'a>(
        self: &Arc<Self>,
        stations: [&'static str; 2],
        value: T,
    ) -> Pin<Box<dyn Future<Output = T> + Send + 'a>> {
        Box::pin(Later { host: Arc::clone(self), stations, value: Some(value) })
    }
}

struct Later<T> {
    host: Arc<Host>,
    stations: [&'static str; 2],
    value: Option<T>,
}

impl<T: Unpin> Future for Later<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        self.host.reach(self.stations[0]);
        Poll::Ready(self.value.take().expect("it is polled once"))
    }
}

impl<T> Drop for Later<T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.host.reach(self.stations[1]);
        }
    }
}

struct Shared(Arc<Host>);

impl Hook for Shared {
    fn name(&self) -> &'static str {
        self.0.reach("name");
        "shared"
    }

    fn changes_arguments(&self) -> bool {
        self.0.reach("changes_arguments");
        true
    }

    fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.0.reach("before_call");
        let stations = ["before_call's future", "the drop of before_call's future"];
        Ok(HookAction::Async(self.0.later(stations, Ok(HookAction::Continue))))
    }

    fn transform_later(&self, _: &CallInfo<'_>, _: &ToolResult) -> Option<TransformFuture> {
        self.0.reach("transform_later");
        let stations = ["transform_later's future", "the drop of transform_later's future"];
        (self.0.station != "transform_result").then(|| self.0.later(stations, Ok(None)) as TransformFuture)
    }

    fn transform_result(&self, _: &CallInfo<'_>, _: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        self.0.reach("transform_result");
        Ok(None)
    }

    fn after_call(&self, _: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        self.0.seen.lock().unwrap().push(response.json.clone());
        self.0.reach("after_call");
        Err(ToolError::new("so that the failure is reported"))
    }

    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        self.0.seen.lock().unwrap().push(error.to_string());
        self.0.reach("on_host_error");
    }
}

impl Approver for Shared {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        self.0.reach("decide");
        self.0.later(["decide's future", "the drop of decide's future"], ApprovalDecision::AllowAlways)
    }

    fn asks_one_at_a_time(&self) -> bool {
        self.0.reach("asks_one_at_a_time");
        true
    }
}

impl ApprovalStore for Shared {
    fn contains(&self, _: &StoredCommand) -> bool {
        self.0.reach("contains");
        false
    }

    fn add(&self, _: &StoredCommand) -> Result<(), String> {
        self.0.reach("add");
        Ok(())
    }
}

impl ApprovalLog for Shared {
    fn decided(&self, _: &ApprovalRecord<'_>) {
        self.0.reach("decided");
    }
}

impl SpillStore for Shared {
    fn store(&self, _: &str, _: &str, _: &str) -> io::Result<String> {
        self.0.reach("store");
        Ok("a".to_owned())
    }
}

struct Provider(Fake, Arc<Host>);

impl ToolProvider for Provider {
    fn tools(&self) -> &[Tool] {
        self.0.tools()
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.0.definitions(dialect)
    }

    fn toolsets(&self) -> &[Toolset] {
        self.0.toolsets()
    }

    fn code_parameters(&self, _: usize) -> Vec<CodeParameter> {
        self.1.reach("code_parameters");
        Vec::new()
    }

    fn start_directory<'a>(&'a self, index: usize, _: Slots<'_, '_>, call: &'a Call<'a>) -> Option<StartDirectory<'a>> {
        self.1.reach("start_directory");
        let stations = ["start_directory's future", "the drop of start_directory's future"];
        let found = start_directory(call, |_| Ok("/w/app".into()));
        let later = self.1.later(stations, ());
        (self.tools()[index].name == "run").then(|| {
            Box::pin(async move {
                later.await;
                found.await
            }) as StartDirectory<'a>
        })
    }

    fn call<'a>(&'a self, index: usize, _: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        let result = Ok(ToolOutput::text("ran ".repeat(1_000)));
        if self.tools()[index].name == "calm" {
            return HandlerReply::Ready(Ok(ToolOutput::text("calm")));
        }
        self.1.reach("the handler");
        call.progress(1.0, None, "");
        HandlerReply::Async(self.1.later(["the handler's future", "the drop of the handler's future"], result))
    }
}

struct Plan(Arc<Host>);

/// The host of the reader below, which has no argument for it.
static READS: Mutex<Option<Arc<Host>>> = Mutex::new(None);

impl AgentTools for Plan {
    fn read(tool: &str, _: Slots<'_, '_>) -> Option<Self> {
        let host = READS.lock().unwrap().clone()?;
        host.reach("the agent's reader");
        (tool == "plan").then_some(Plan(host))
    }
}

fn turn_of(host: &Arc<Host>) -> Turn {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    let behaviour = Behaviour {
        parallel: Parallel::Keyed { key: "command".into(), space: "s".into() },
        approval: Approval::ALWAYS.with_shell("command"),
        ..Behaviour::default()
    };
    let table = Arc::new(Table::from_schema(&schema).unwrap());
    let plan = Behaviour { execution: Execution::Agent, ..behaviour.clone() };
    let fake = Fake::new([
        Tool { arguments: Arc::clone(&table), behaviour, ..tool("run", "home", &[]) },
        Tool { arguments: table, behaviour: plan, ..tool("plan", "home", &[]) },
        tool("calm", "home", &[]),
    ]);
    let registry = Registry::new();
    registry.add(Box::new(Provider(fake, Arc::clone(host)))).unwrap();
    let shared = Arc::new(Shared(Arc::clone(host)));
    let commands = commands().store(Arc::clone(&shared) as _).log(Arc::clone(&shared) as _);
    let progress = Arc::clone(host);
    let session = registry
        .session()
        .commands(commands)
        .approver(Arc::clone(&shared) as _)
        .hook(Arc::clone(&shared) as _)
        .on_progress(move |_| progress.reach("on_progress"))
        .result_limits(ResultLimits { per_call: 2_000, per_turn: 2_000 })
        .spill_store(shared)
        .link_spilled();
    session.build().unwrap().turn_blocking(Dialect::OpenAi)
}

type Road = fn(&Turn, &ToolCall<'_>) -> Vec<CallResponse>;

fn finished(task: AgentTask<Plan>) -> CallResponse {
    task.pending.finish(Ok(ToolOutput::text("planned ".repeat(1_000))))
}

/// Each way to run a call, the last ones for tools that the agent's own loop runs.
const ROADS: &[(&str, &str, Road)] = &[
    ("call", "run", |turn, request| vec![wait(turn.call(request))]),
    ("call_blocking", "run", |turn, request| vec![turn.call_blocking(request)]),
    ("batch", "run", |turn, request| {
        let calls = [*request, ToolCall::new("calm", "{}"), *request];
        let answers: Vec<_> = wait(turn.batch(&calls)).into_iter().map(|completed| completed.response).collect();
        assert_eq!(answers.len(), 3);
        answers
    }),
    ("call_in_background", "run", |turn, request| vec![wait(turn.call_in_background(request))]),
    ("agent_call", "plan", |turn, request| {
        vec![match wait(turn.agent_call::<Plan>(request)) {
            Some(Ok(task)) => finished(task),
            Some(Err(response)) => response,
            None => wait(turn.call(request)),
        }]
    }),
    ("batch_with", "plan", |turn, request| {
        let calls = [*request, ToolCall::new("calm", "{}")];
        let run = |plan: Plan, _: ToolCall<'_>| async move {
            plan.0.reach("the agent's loop");
            Ok(ToolOutput::text("planned ".repeat(1_000)))
        };
        wait(turn.batch_with(&calls, run)).into_iter().map(|completed| completed.response).collect()
    }),
];

#[test]
fn a_panic_at_any_station_ends_in_a_response_on_every_road() {
    let mut escaped = Vec::new();
    for station in STATIONS {
        for (road, tool, run) in ROADS {
            let host = Host::new(station);
            let turn = turn_of(&host);
            *READS.lock().unwrap() = Some(Arc::clone(&host));
            let arguments = json!({"command": ASKS}).to_string();
            let request = ToolCall::new(tool, &arguments).with_id("c1");
            host.arm(true);
            let Ok(answers) = panics::catch(|| run(&turn, &request)) else {
                escaped.push(format!("{road}: {station}"));
                continue;
            };
            for answer in &answers {
                let value: Value = serde_json::from_str(&answer.json).unwrap();
                assert_eq!(answer.is_error(), value.get("kind").is_some(), "{road}: {station}: {value}");
                assert!(!answer.is_error() || !KEEP_THE_RESULT.contains(station), "{road}: {station}: {value}");
            }
            host.arm(false);
            let again = run(&turn, &request);
            assert!(again.iter().all(|answer| !answer.is_error()), "{road}: {station}: {again:?}");
        }
    }
    assert!(escaped.is_empty(), "these panics escape: {escaped:#?}");
}

#[test]
fn hooks_see_the_end_of_a_call_whose_host_panics() {
    let host = Host::new("asks_one_at_a_time");
    let turn = turn_of(&host);
    host.arm(true);
    let response = wait(turn.call(&ToolCall::new("run", &json!({"command": ASKS}).to_string())));
    let error: Value = serde_json::from_str(&response.json).unwrap();
    assert_eq!((&error["kind"], response.json.contains("reached")), (&json!("panicked"), false), "{error}");
    let expected = [
        "the host failed during a call: reached asks_one_at_a_time".to_owned(),
        response.json,
        "shared failed after a call: so that the failure is reported".to_owned(),
    ];
    assert_eq!(*host.seen.lock().unwrap(), expected);
}

#[test]
fn a_panic_of_one_call_leaves_the_others_of_its_batch_alone() {
    let host = Host::new("the drop of the handler's future");
    let turn = turn_of(&host);
    host.arm(true);
    let arguments = json!({"command": ASKS}).to_string();
    let answers = wait(turn.batch(&[ToolCall::new("run", &arguments), ToolCall::new("calm", "{}")]));
    let [run, calm] = &answers[..] else { panic!("{answers:?}") };
    assert!(run.response.json.contains(r#""kind":"panicked""#), "{run:?}");
    assert_eq!(calm.response.json, r#""calm""#);
}
