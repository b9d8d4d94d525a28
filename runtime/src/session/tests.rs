use std::sync::{Arc, Mutex};

use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{Check, Env as Needs, Os, Tools, When};
use crate::data::segment::{Atom, Condition, Op, Segment};
use crate::env::Env;
use crate::fakes::{Fake, FakeTime, texts, tool, wait};
use crate::provider::HandlerReply;
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};

/// Returns a clock that must not be read.
fn unused_clock() -> Clock {
    Clock::Test(Arc::new(|| panic!("the clock was read")))
}

fn session(registry: &Registry, clock: Clock) -> Session {
    let mut builder = registry.session().env(Env::empty()).check_timeout(std::time::Duration::from_hours(1));
    builder.clock = clock;
    builder.build().unwrap()
}

/// Returns the definitions of a turn and their address, which is the same for the same turn.
fn identity(turn: &Turn) -> (&str, *const u8) {
    (turn.definitions(), turn.definitions().as_ptr())
}

fn online() -> Requirement {
    When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("online".into())] }
}

/// The reason why a check fails, or `None` if it succeeds.
type Failure = Arc<Mutex<Option<&'static str>>>;

/// Returns a registry of the tools `checked`, which requires a check, and `steady`, which requires a fact; the result of the
/// check; and the list of the checks that were run.
fn fixture() -> (Registry, Failure, Arc<Mutex<Vec<String>>>) {
    let failure = Failure::default();
    let current = Arc::clone(&failure);
    let fake = Fake::new([tool("checked", "home", &[Check]), tool("steady", "home", &[online()])]).fact("online", true);
    let fake = fake.available(move |_, _| {
        let failure = *current.lock().unwrap();
        Availability::when(failure.is_none(), failure.unwrap_or_default())
    });
    let checks_run = fake.checks_run();
    (fake.registry(), failure, checks_run)
}

#[test]
fn check_results_are_cached_for_thirty_seconds() {
    let (registry, failure, checks_run) = fixture();
    let check_count = || checks_run.lock().unwrap().len();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    *failure.lock().unwrap() = Some("out of paper");
    let first = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(first.definitions(), r#"["steady"]"#);
    *failure.lock().unwrap() = None;
    time.advance(29);
    assert_eq!((identity(&session.turn_blocking(Dialect::OpenAi)), check_count()), (identity(&first), 1));
    time.advance(1);
    let second = session.turn_blocking(Dialect::OpenAi);
    assert_eq!((second.definitions(), check_count()), (r#"["checked","steady"]"#, 2));
    // Existing turns do not change.
    assert_eq!(first.tools().count(), 1);
    time.advance(29);
    assert_eq!((identity(&session.turn_blocking(Dialect::OpenAi)), check_count()), (identity(&second), 2));
}

#[test]
fn an_unchanged_session_returns_the_same_turn() {
    let (registry, failure, checks_run) = fixture();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    let reason = |turn: &Turn| turn.hidden().map(|hidden| hidden.reason.to_string()).collect::<String>();
    let passing = session.turn_blocking(Dialect::OpenAi);
    time.advance(31);
    assert_eq!(identity(&session.turn_blocking(Dialect::OpenAi)), identity(&passing));
    *failure.lock().unwrap() = Some("out of paper");
    time.advance(61);
    let failing = session.turn_blocking(Dialect::OpenAi);
    *failure.lock().unwrap() = Some("no network");
    time.advance(31);
    let still_failing = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(identity(&still_failing), identity(&failing));
    // Only the reason differs.
    assert_eq!([reason(&passing), reason(&failing), reason(&still_failing)], ["", "out of paper", "no network"]);
    assert_eq!(checks_run.lock().unwrap().len(), 4);
}

#[test]
fn changed_facts_do_not_run_checks_again() {
    let (registry, failure, checks_run) = fixture();
    let session = session(&registry, FakeTime::new().clock());
    session.turn_blocking(Dialect::OpenAi);
    *failure.lock().unwrap() = Some("out of paper");
    session.set_facts([("online".into(), false.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["checked"]"#);
    session.set_facts([("online".into(), true.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["checked","steady"]"#);
    assert_eq!(checks_run.lock().unwrap().len(), 1);
}

#[test]
fn a_changed_registry_only_runs_new_checks() {
    let (registry, failure, checks_run) = fixture();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    let turn = session.turn_blocking(Dialect::OpenAi);
    *failure.lock().unwrap() = Some("out of paper");
    let other = Fake::new([tool("another", "home", &[Check])]);
    let other_checks_run = other.checks_run();
    registry.add(Box::new(other)).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["another","checked","steady"]"#);
    assert_eq!((turn.definitions(), checks_run.lock().unwrap().len()), (r#"["checked","steady"]"#, 1));
    assert_eq!(*other_checks_run.lock().unwrap(), ["another"]);
}

#[test]
fn requirements_that_cannot_change_need_no_clock() {
    let needs = [Os(vec![std::env::consts::OS.into()]), online(), Tools(texts(&["free"]))];
    let registry =
        Fake::new([tool("needy", "home", &needs), tool("free", "home", &[])]).fact("online", true).registry();
    let session = session(&registry, unused_clock());
    let turn = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(turn.definitions(), r#"["free","needy"]"#);
    assert_eq!(identity(&session.turn_blocking(Dialect::OpenAi)), identity(&turn));
    session.set_facts([("online".into(), false.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["free"]"#);
}

#[test]
fn without_a_clock_each_turn_runs_its_checks() {
    let (registry, failure, checks_run) = fixture();
    let session = session(&registry, Clock::Test(Arc::new(|| None)));
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["checked","steady"]"#);
    *failure.lock().unwrap() = Some("offline");
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["steady"]"#);
    assert_eq!(checks_run.lock().unwrap().len(), 2);
}

#[test]
fn a_session_reads_its_own_environment() {
    let registry = Fake::new([tool("web", "home", &[Needs(texts(&["WEB_KEY"]))])]).registry();
    let count = |env: Env| registry.session().env(env).build().unwrap().turn_blocking(Dialect::OpenAi).tools().count();
    assert_eq!([count(Env::empty()), count(Env::empty().with_var("WEB_KEY", "x"))], [0, 1]);
    assert_eq!(count(Env::process().with_var("WEB_KEY", "x")), 1);
}

#[test]
fn debug_output_has_no_values_of_the_environment() {
    let registry = Fake::new([tool("web", "home", &[Needs(texts(&["WEB_KEY"]))])]).registry();
    let session = registry.session().env(Env::empty().with_var("WEB_KEY", "secret")).build().unwrap();
    assert!(!format!("{session:?} {:?}", session.turn_blocking(Dialect::OpenAi)).contains("secret"));
}

#[cfg(feature = "raw-value")]
#[test]
fn equal_turns_share_their_raw_definitions() {
    let registry = Fake::new([tool("a", "home", &[])]).registry();
    let session = session(&registry, Clock::System);
    let (one, other) = (session.turn_blocking(Dialect::OpenAi), session.turn_blocking(Dialect::OpenAi));
    assert_eq!(one.raw_definitions().unwrap().get(), one.definitions());
    assert!(std::ptr::eq(one.raw_definitions().unwrap(), other.raw_definitions().unwrap()));

    let broken = vec![Segment::Text("{\"name\":".into())];
    let registry = Fake::new([tool("b", "home", &[])]).defined("b", Some(broken)).registry();
    assert!(registry.session().build().unwrap().turn_blocking(Dialect::OpenAi).raw_definitions().is_err());
}

#[test]
fn calls_have_the_context_of_their_turn() {
    let fake = Fake::new([tool("look", "home", &[])]).fact("online", true).answer(|call| {
        HandlerReply::Ready(Ok(ToolOutput::text(format!("{:?} {:?}", call.fact("online"), call.user_request()))))
    });
    let session = fake.registry().session().build().unwrap();
    let answer = |turn: &Turn| wait(turn.call(&ToolCall::new("look", "{}"))).json;
    let before = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(answer(&before), r#""Some(Boolean(true)) None""#);
    session.set_facts([("online".into(), false.into())]).unwrap();
    session.task().set_user_request("tea");
    // The facts belong to the turn, the user's request belongs to the task.
    assert_eq!(answer(&before), r#""Some(Boolean(true)) Some(\"tea\")""#);
    assert_eq!(answer(&session.turn_blocking(Dialect::OpenAi)), r#""Some(Boolean(false)) Some(\"tea\")""#);
}

#[test]
fn a_session_error_has_a_kind_and_a_name() {
    use crate::registry::error::SessionErrorKind as Kind;

    let registry = Fake::new([tool("look", "home", &[])]).fact("online", true).registry();
    let error = |set: &dyn Fn(SessionBuilder) -> SessionBuilder| {
        let error = set(registry.session()).build().unwrap_err();
        (error.kind(), error.name().to_owned())
    };
    let named = |kind: Kind, name: &str| (kind, name.to_owned());
    assert_eq!(error(&|s| s.enable(["hoem"])), named(Kind::UnknownToolset, "hoem"));
    assert_eq!(error(&|s| s.disable_tools(["lok"])), named(Kind::UnknownTool, "lok"));
    assert_eq!(error(&|s| s.facts([("onlin".into(), true.into())])), named(Kind::UnknownFact, "onlin"));
    assert_eq!(error(&|s| s.facts([("online".into(), "yes".into())])), named(Kind::FactType, "online"));
    let unknown = registry.invalidate("lok").unwrap_err();
    assert_eq!(
        (unknown.kind(), unknown.to_string().as_str()),
        (Kind::UnknownName, "unknown tool or toolset `lok`: did you mean `look`?")
    );
}

#[test]
fn sessions_with_the_same_tools_and_facts_share_their_definitions() {
    let (registry, ..) = fixture();
    let turn = |set: fn(SessionBuilder) -> SessionBuilder| {
        let session = set(registry.session().env(Env::empty())).build().unwrap();
        session.turn_blocking(Dialect::OpenAi)
    };
    let first = turn(|session| session);
    assert_eq!(identity(&turn(|session| session.id("other"))), identity(&first));
    let fewer = turn(|session| session.disable_tools(["checked"]));
    assert_eq!(fewer.definitions(), r#"["steady"]"#);
    let offline = turn(|session| session.facts([("online".into(), false.into())]));
    assert_eq!(offline.definitions(), r#"["checked"]"#);
    let id = registry.add(Box::new(Fake::new([tool("added", "home", &[])]))).unwrap();
    assert_eq!(turn(|session| session).definitions(), r#"["added","checked","steady"]"#);
    registry.remove(id);
    assert_eq!(turn(|session| session).definitions(), first.definitions());
}

#[test]
fn sessions_with_the_same_tools_and_other_facts_have_other_definitions() {
    let mut asking = tool("asking", "home", &[]);
    asking.atoms = vec![Atom::Fact("online".into())];
    let segments = vec![
        Segment::Text("\"asking".into()),
        Segment::When { condition: Condition(vec![Op::Atom(0)]), segments: 1 },
        Segment::Text(" online".into()),
        Segment::Text("\"".into()),
    ];
    let registry = Fake::new([asking]).fact("online", true).defined("asking", Some(segments)).registry();
    let texts = [true, false, true].map(|online| {
        let session = registry.session().facts([("online".into(), online.into())]).build().unwrap();
        session.turn_blocking(Dialect::OpenAi).definitions().to_owned()
    });
    assert_eq!(texts, [r#"["asking online"]"#, r#"["asking"]"#, r#"["asking online"]"#]);
}
