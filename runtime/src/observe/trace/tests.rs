use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::instrument::Instrument as _;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{self, Subscriber};
use tracing::{Dispatch, Event, Level, Metadata, info_span};
use tracing_core::span::Current;

use crate::args::Slots;
use crate::call::ToolCall;
use crate::call::hooks::{CallInfo, Hook};
use crate::data::behaviour::{Behaviour, Execution};
use crate::data::catalog::{Tool, Toolset};
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::dispatch::agent::{AgentTask, AgentTools};
use crate::env::Env;
use crate::fakes::{Fake, FakeTime, secretive, texts, tool, toolset, wait};
use crate::provider::HandlerReply;
use crate::provider::availability::Availability;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::{ToolOutput, ToolResult};
use crate::run::cancel::CancelHandle;
use crate::session::{Session, SessionBuilder};

type Fields = BTreeMap<String, String>;

/// A span, with everything that was recorded for it.
#[derive(Debug, Default, Clone)]
struct RecordedSpan {
    metadata: Option<&'static Metadata<'static>>,
    parent: Option<u64>,
    fields: Fields,
    /// The name of the thread for each time that the span was entered.
    threads: Vec<Option<String>>,
    handles: usize,
}

impl RecordedSpan {
    fn is_call(&self) -> bool {
        self.metadata.is_some_and(|metadata| metadata.name() == "execute_tool")
    }

    fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }
}

/// The recorded spans, and events with their spans.
#[derive(Debug, Default)]
struct Records {
    spans: Vec<RecordedSpan>,
    events: Vec<(Option<u64>, Level, String)>,
    /// The open spans of each thread.
    entered: BTreeMap<String, Vec<u64>>,
}

/// A subscriber that records everything up to a level.
#[derive(Clone)]
struct Recorder(Level, Arc<Mutex<Records>>);

impl Recorder {
    fn new(level: Level) -> Self {
        Self(level, Arc::default())
    }

    /// Runs `work` with this subscriber.
    fn observe<T>(&self, work: impl FnOnce() -> T) -> T {
        // As long as there is only one subscriber, a callsite that another thread registers is cached as of no interest to it, because
        // that thread has none. So there is always a second one.
        static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Recorder::new(Level::TRACE)));
        LazyLock::force(&SECOND);
        subscriber::with_default(self.clone(), || {
            tracing::callsite::rebuild_interest_cache();
            work()
        })
    }

    fn with<T>(&self, access: impl FnOnce(&mut Records) -> T) -> T {
        access(&mut self.1.lock().unwrap())
    }

    /// Returns the spans of calls, in the order of their creation.
    fn calls(&self) -> Vec<RecordedSpan> {
        self.with(|records| records.spans.iter().filter(|span| span.is_call()).cloned().collect())
    }

    fn events(&self) -> Vec<(Option<u64>, Level, String)> {
        self.with(|records| records.events.clone())
    }
}

/// Returns the key of this thread in [`Records::entered`].
fn thread_key() -> String {
    format!("{:?}", thread::current().id())
}

/// Returns the index of a span in [`Records::spans`].
fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.0
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.with(|records| {
            let parent = records.entered.get(&thread_key()).and_then(|entered| entered.last().copied());
            let mut recorded =
                RecordedSpan { metadata: Some(span.metadata()), parent, handles: 1, ..RecordedSpan::default() };
            span.record(&mut FieldVisitor(&mut recorded.fields));
            records.spans.push(recorded);
            Id::from_u64(records.spans.len() as u64)
        })
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.with(|records| values.record(&mut FieldVisitor(&mut records.spans[index(id)].fields)));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut FieldVisitor(&mut fields));
        let text = fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        self.with(|records| {
            let current = records.entered.get(&thread_key()).and_then(|entered| entered.last().copied());
            records.events.push((event.parent().map(Id::into_u64).or(current), *event.metadata().level(), text));
        });
    }

    fn enter(&self, id: &Id) {
        self.with(|records| {
            records.spans[index(id)].threads.push(thread::current().name().map(str::to_owned));
            records.entered.entry(thread_key()).or_default().push(id.into_u64());
        });
    }

    fn exit(&self, id: &Id) {
        let exited = self.with(|records| records.entered.get_mut(&thread_key()).and_then(Vec::pop));
        assert_eq!(exited, Some(id.into_u64()));
    }

    fn current_span(&self) -> Current {
        self.with(|records| match records.entered.get(&thread_key()).and_then(|entered| entered.last()) {
            Some(&id) => Current::new(Id::from_u64(id), records.spans[index(&Id::from_u64(id))].metadata.unwrap()),
            None => Current::none(),
        })
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.with(|records| records.spans[index(id)].handles += 1);
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        self.with(|records| {
            records.spans[index(&id)].handles -= 1;
            records.spans[index(&id)].handles == 0
        })
    }
}

struct FieldVisitor<'a>(&'a mut Fields);

impl Visit for FieldVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

/// Tools that emit events while they run.
fn tools() -> Fake {
    let agents = Behaviour { execution: Execution::Agent, ..Behaviour::default() };
    let hasty = Behaviour { timeout: Some(Duration::from_millis(20)), ..Behaviour::default() };
    let with = |name, arguments| Tool { arguments, ..tool(name, "home", &[]) };
    let mut open = (*secretive()).clone();
    open.properties.iter_mut().for_each(|property| property.secret = false);
    Fake::new([
        with("open", Arc::new(open)),
        with("secretive", secretive()),
        tool("blocking", "home", &[]),
        Tool { behaviour: hasty, ..tool("waiting", "home", &[]) },
        tool("hidden", "home", &[Requirement::Env(texts(&["TOOLC_TEST_UNSET_VARIABLE"]))]),
        Tool { behaviour: agents, ..tool("delegate", "home", &[]) },
    ])
    .fact("on", false)
    .answer_with(|args, call| match call.tool() {
        "blocking" => {
            HandlerReply::blocking(call, |_| Ok(ToolOutput::text(thread::current().name().unwrap_or_default())))
        }
        "waiting" => HandlerReply::Async(Box::pin(async {
            tracing::info!("before");
            let mut has_yielded = false;
            std::future::poll_fn(|context| {
                context.waker().wake_by_ref();
                if std::mem::replace(&mut has_yielded, true) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            tracing::info!("after");
            std::future::pending().await
        })),
        _ if args["say"] == "fail" => {
            HandlerReply::Ready(Err(ToolError::with_kind(ErrorKind::NotFound, "no such thing")))
        }
        _ => {
            tracing::info!("at work");
            HandlerReply::Ready(ToolOutput::json(&args))
        }
    })
}

fn session(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Session {
    set(tools().registry().session()).build().unwrap()
}

/// Makes one call, and returns its span and the recorder.
fn record_call(level: Level, request: &ToolCall<'_>) -> (Recorder, RecordedSpan) {
    let turn = session(|s| s).turn_blocking(Dialect::OpenAi);
    let recorder = Recorder::new(level);
    recorder.observe(|| wait(turn.call(request)));
    let calls = recorder.calls();
    let [call] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!(call.handles, 0, "the span is closed");
    (recorder, call.clone())
}

fn fields(all: &[(&str, &str)]) -> Fields {
    all.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn a_call_is_a_span_around_its_handler() {
    let request = ToolCall::new("open", r#"{"say": "hello"}"#).with_id("call_1");
    let (recorder, call) = record_call(Level::DEBUG, &request);
    let expected = fields(&[
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.call.id", "call_1"),
        ("gen_ai.tool.name", "open"),
        ("gen_ai.tool.type", "function"),
        ("otel.name", "execute_tool open"),
        ("toolc.task", "default"),
    ]);
    assert_eq!(call.fields, expected);
    assert_eq!(recorder.events(), [(Some(1), Level::INFO, "message=at work".to_owned())]);
}

#[test]
fn a_corrected_name_is_recorded_next_to_the_tools_own_name() {
    let (_, call) = record_call(Level::INFO, &ToolCall::new("functions.OPEN", r#"{"say": "hello"}"#));
    let of = |field| call.get(field);
    assert_eq!([of("gen_ai.tool.name"), of("toolc.called_as")], [Some("open"), Some("functions.OPEN")]);
}

#[test]
fn a_failure_has_its_kind() {
    let long = "x".repeat(100);
    for (name, arguments, kind) in [
        ("open", r#"{"say": "fail"}"#, "not_found"),
        ("open", "{", "malformed_arguments"),
        (&*long, "{}", "unknown_tool"),
    ] {
        let (_, call) = record_call(Level::INFO, &ToolCall::new(name, arguments));
        assert_eq!([call.get("error.type"), call.get("otel.status_code")], [Some(kind), Some("ERROR")]);
        assert_eq!(call.get("gen_ai.tool.name"), Some(&name[..name.len().min(64)]));
        assert_eq!(call.get("gen_ai.tool.call.id"), None);
    }
}

#[test]
fn arguments_and_results_are_recorded_on_request_without_secrets() {
    let content = |level, name, arguments| {
        let (_, call) = record_call(level, &ToolCall::new(name, arguments));
        ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"].map(|name| call.get(name).map(str::to_owned))
    };
    let (sent, failing) = (r#"{"pin": "4711", "say": "hello"}"#, r#"{"say": "fail"}"#);
    let shown = |text: &str| Some(text.to_owned());
    assert_eq!(content(Level::DEBUG, "open", sent), [None, None]);
    let repaired = shown(r#"{"pin":4711,"say":"hello"}"#);
    assert_eq!(content(Level::TRACE, "open", sent), [repaired.clone(), repaired]);
    let failed = shown(r#"{"error":"no such thing","kind":"not_found"}"#);
    assert_eq!(content(Level::TRACE, "open", failing), [shown(r#"{"say":"fail"}"#), failed]);
    let hidden = shown(r#"{"pin":"[secret]","say":"hello"}"#);
    assert_eq!(content(Level::TRACE, "secretive", sent), [hidden, None]);
    assert_eq!(content(Level::TRACE, "secretive", r#"{"pin": "4711x"}"#), [None, None]);
}

#[test]
fn repairs_are_counted_and_logged_with_values_on_request_without_secrets() {
    let events = |level, name, arguments| {
        let (recorder, call) = record_call(level, &ToolCall::new(name, arguments));
        let repaired = |(_, _, text): &(_, _, String)| text.contains("was repaired");
        let all: Vec<String> = recorder.events().into_iter().filter(repaired).map(|(_, _, text)| text).collect();
        (call.get("toolc.repairs").map(str::to_owned), all)
    };
    let sent = r#"{"Pin": "4711", "say": "hello"}"#;
    let of = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(events(Level::INFO, "open", sent), (Some("2".to_owned()), Vec::new()));
    let places = of(&[
        "message=an argument was repaired path=/Pin rule=parameter_name",
        "message=an argument was repaired path=/Pin rule=number",
    ]);
    assert_eq!(events(Level::DEBUG, "open", sent).1, places);
    let values = of(&[
        r#"from="Pin" message=an argument was repaired path=/Pin rule=parameter_name to="pin""#,
        r#"from="4711" message=an argument was repaired path=/Pin rule=number to=4711"#,
    ]);
    assert_eq!(events(Level::TRACE, "open", sent).1, values);
    let secret = events(Level::TRACE, "secretive", sent).1;
    assert_eq!(secret[1], r#"from="[secret]" message=an argument was repaired path=/Pin rule=number to="[secret]""#);
    assert_eq!(events(Level::TRACE, "open", r#"{"pin": 4711, "say": "hello"}"#), (None, Vec::new()));
}

#[test]
fn handlers_run_in_the_span_on_any_thread() {
    let (_, call) = record_call(Level::INFO, &ToolCall::new("blocking", "{}"));
    assert!(call.threads.contains(&Some("toolc-blocking".to_owned())), "{call:?}");
    // The handler never completes.
    let (recorder, call) = record_call(Level::INFO, &ToolCall::new("waiting", "{}"));
    assert_eq!(call.get("error.type"), Some("timeout"));
    let messages = ["message=before", "message=after", "message=a call exceeded its time limit"];
    assert_eq!(recorder.events(), messages.map(|text| (Some(1), Level::INFO, text.to_owned())));
}

#[test]
fn a_dropped_call_is_recorded_as_cancelled() {
    let cancelled = (Some(1), Level::INFO, "message=a call was cancelled".to_owned());
    let stop = CancelHandle::new();
    stop.cancel();
    let (recorder, call) = record_call(Level::INFO, &ToolCall::new("open", r#"{"say": "x"}"#).with_cancel(&stop));
    assert_eq!((call.get("error.type"), recorder.events()), (Some("cancelled"), vec![cancelled.clone()]));

    let (turn, recorder) = (session(|s| s).turn_blocking(Dialect::OpenAi), Recorder::new(Level::INFO));
    recorder.observe(|| {
        let request = ToolCall::new("waiting", "{}");
        let mut dropped = pin!(Box::pin(turn.call(&request)));
        assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(std::mem::replace(&mut *dropped, Box::pin(turn.call(&request))));
    });
    assert_eq!(recorder.calls()[0].get("error.type"), Some("cancelled"));
    assert_eq!((recorder.events().pop(), recorder.calls()[0].handles), (Some(cancelled), 0));
}

#[test]
fn calls_of_a_batch_have_sibling_spans() {
    let (turn, recorder) = (session(|s| s).turn_blocking(Dialect::OpenAi), Recorder::new(Level::INFO));
    let calls = [ToolCall::new("open", r#"{"say": "x"}"#), ToolCall::new("missing", "{}")];
    recorder.observe(|| wait(turn.batch(&calls).instrument(info_span!("around"))));
    let calls = recorder.calls();
    let seen: Vec<_> = calls.iter().map(|call| (call.parent, call.handles, call.get("error.type"))).collect();
    assert_eq!(seen, [(Some(1), 0, None), (Some(1), 0, Some("unknown_tool"))]);
}

/// The calls of an agent's loop that runs `delegate`.
#[derive(Debug)]
struct Delegate;

impl AgentTools for Delegate {
    fn read(tool: &str, _: Slots<'_, '_>) -> Option<Self> {
        (tool == "delegate").then_some(Delegate)
    }
}

/// The calls of an agent's loop that runs no tools.
#[derive(Debug)]
enum Nothing {}

impl AgentTools for Nothing {
    fn read(_: &str, _: Slots<'_, '_>) -> Option<Self> {
        None
    }
}

#[test]
fn an_agent_run_call_has_a_span_until_it_is_finished() {
    let (turn, recorder) = (session(|s| s).turn_blocking(Dialect::OpenAi), Recorder::new(Level::INFO));
    let request = ToolCall::new("delegate", "{}");
    recorder.observe(|| {
        assert!(wait(turn.agent_call::<Nothing>(&request)).is_none());
        assert_eq!(recorder.calls().len(), 0);
        let Some(Ok(AgentTask { pending, .. })) = wait(turn.agent_call::<Delegate>(&request)) else { panic!() };
        pending.span().in_scope(|| tracing::info!("delegated"));
        assert_eq!(recorder.events(), [(Some(1), Level::INFO, "message=delegated".to_owned())]);
        assert_eq!(recorder.calls()[0].handles, 1);
        pending.finish(Err(ToolError::new("no")));
        drop(wait(turn.agent_call::<Delegate>(&request)));
    });
    let calls = recorder.calls();
    let seen: Vec<_> = calls.iter().map(|call| (call.handles, call.get("error.type"))).collect();
    assert_eq!(seen, [(0, Some("failed")), (0, Some("cancelled"))]);
}

#[test]
fn hidden_tools_are_logged_for_each_new_turn() {
    let (session, recorder) = (session(|s| s), Recorder::new(Level::DEBUG));
    let count = || recorder.events().len();
    recorder.observe(|| session.turn_blocking(Dialect::OpenAi));
    let reason = "needs the environment variable `TOOLC_TEST_UNSET_VARIABLE`";
    let expected = format!("gen_ai.tool.name=hidden message=a tool is hidden reason={reason}");
    assert_eq!(recorder.events(), [(None, Level::DEBUG, expected)]);
    recorder.observe(|| session.turn_blocking(Dialect::OpenAi));
    assert_eq!(count(), 1, "the turn is unchanged");
    session.set_facts([("on".into(), true.into())]).unwrap();
    recorder.observe(|| session.turn_blocking(Dialect::OpenAi));
    assert_eq!(count(), 2);
}

#[test]
fn each_flake_is_logged() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let home = Toolset { requires: vec![Requirement::Check], ..toolset("home") };
    let fake = Fake::new([tool("a", "home", &[])]).toolset(home).available(move |_, _| {
        let is_first = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        Availability::when(is_first, "try again")
    });
    let time = FakeTime::new();
    let mut builder = fake.registry().session().env(Env::empty()).check_timeout(Duration::from_hours(1));
    builder.clock = time.clock();
    let (session, recorder) = (builder.build().unwrap(), Recorder::new(Level::DEBUG));
    recorder.observe(|| session.turn_blocking(Dialect::OpenAi));
    assert_eq!(recorder.events(), []);
    time.advance(31);
    recorder.observe(|| [(); 2].map(|()| session.turn_blocking(Dialect::OpenAi)));
    let expected = "gen_ai.tool.name=a message=a failed check counts as a flake reason=try again";
    assert_eq!(recorder.events(), [(); 2].map(|()| (None, Level::DEBUG, expected.to_owned())));
}

#[test]
fn a_host_error_is_a_warning_without_secrets() {
    /// A hook that fails with an error that contains the result of the call.
    struct LeakyHook;

    impl Hook for LeakyHook {
        fn name(&self) -> &'static str {
            "leaky"
        }

        fn transform_result(&self, _: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
            Err(ToolError::new(result.as_ref().map_or("", ToolOutput::as_json)))
        }
    }

    let turn = session(|s| s.hook(Arc::new(LeakyHook))).turn_blocking(Dialect::OpenAi);
    for (name, shown) in [("open", r#"{"pin":4711,"say":"x"}"#), ("secretive", "[secret]")] {
        let recorder = Recorder::new(Level::WARN);
        let arguments = json!({ "pin": 4711, "say": "x" }).to_string();
        recorder.observe(|| wait(turn.call(&ToolCall::new(name, &arguments).with_id("7"))));
        let expected = format!(
            "gen_ai.tool.call.id=7 gen_ai.tool.name={name} message=leaky failed while transforming a result: {shown} \
             part=leaky"
        );
        assert_eq!(recorder.events(), [(None, Level::WARN, expected)]);
        assert_eq!(recorder.calls().len(), 0);
    }
}

/// A subscriber whose method of this name panics.
struct Panicking(&'static str, Recorder);

impl Panicking {
    fn reach(&self, method: &str) {
        assert!(self.0 != method || thread::panicking(), "reached {method}");
    }
}

impl Subscriber for Panicking {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.1.enabled(metadata)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.reach("new_span");
        self.1.new_span(span)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.reach("record");
        self.1.record(id, values);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.reach("event");
        self.1.event(event);
    }

    fn enter(&self, id: &Id) {
        self.reach("enter");
        self.1.enter(id);
    }

    fn exit(&self, id: &Id) {
        self.reach("exit");
        self.1.exit(id);
    }

    fn try_close(&self, id: Id) -> bool {
        self.reach("try_close");
        self.1.try_close(id)
    }
}

#[test]
fn a_panic_of_the_subscriber_ends_in_a_response() {
    let turn = session(|s| s).turn_blocking(Dialect::OpenAi);
    let request = ToolCall::new("open", r#"{"say": "hello"}"#);
    for method in ["new_span", "record", "event", "enter", "exit", "try_close"] {
        let recorder = Recorder::new(Level::TRACE);
        recorder.observe(|| {
            let response = subscriber::with_default(Panicking(method, recorder.clone()), || wait(turn.call(&request)));
            let kinds = [None, Some(ErrorKind::Panicked)];
            assert!(kinds.contains(&response.error), "{method}: {response:?}");
        });
    }
    let response = wait(turn.call(&request));
    assert_eq!(response.error, None);
}
