use std::sync::{Arc, Mutex};

use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{Check, Env as Needs, Os, Tools, When};
use crate::data::segment::{Atom, Condition, Op};
use crate::fakes::{Fake, FakeTime, texts, tool, wait};
use crate::provider::HandlerReply;
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};

fn not_asked() -> Clock {
    Clock::Test(Arc::new(|| panic!("the time is not needed")))
}

fn session(registry: &Registry, clock: Clock) -> Session {
    let mut builder = registry.session().env(Env::empty()).check_timeout(std::time::Duration::from_hours(1));
    builder.clock = clock;
    builder.build().unwrap()
}

/// What a turn's definitions are, and where.
fn place(turn: &Turn) -> (&str, *const u8) {
    (turn.definitions(), turn.definitions().as_ptr())
}

fn online() -> Requirement {
    When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("online".into())] }
}

/// How a tool is ill, if it is.
type Mood = Arc<Mutex<Option<&'static str>>>;

/// A moody tool and one that asks for a fact, and what their provider was asked for.
fn moody() -> (Registry, Mood, Arc<Mutex<Vec<String>>>) {
    let mood = Mood::default();
    let felt = Arc::clone(&mood);
    let fake = Fake::new([tool("moody", "home", &[Check]), tool("steady", "home", &[online()])]).fact("online", true);
    let fake = fake.available(move |_, _| {
        let mood = *felt.lock().unwrap();
        Availability::when(mood.is_none(), mood.unwrap_or_default())
    });
    let asked = fake.asked();
    (fake.registry(), mood, asked)
}

#[test]
fn verdicts_live_thirty_seconds() {
    let (registry, mood, asked) = moody();
    let asked = || asked.lock().unwrap().len();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    *mood.lock().unwrap() = Some("a headache");
    let first = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(first.definitions(), r#"["steady"]"#);
    *mood.lock().unwrap() = None;
    time.advance(29);
    assert_eq!((place(&session.turn_blocking(Dialect::OpenAi)), asked()), (place(&first), 1));
    time.advance(1);
    let second = session.turn_blocking(Dialect::OpenAi);
    assert_eq!((second.definitions(), asked()), (r#"["moody","steady"]"#, 2));
    // What a turn was made with, it keeps.
    assert_eq!(first.tools().count(), 1);
    time.advance(29);
    assert_eq!((place(&session.turn_blocking(Dialect::OpenAi)), asked()), (place(&second), 2));
}

#[test]
fn an_unchanged_session_returns_the_same_turn() {
    let (registry, mood, asked) = moody();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    let reason = |turn: &Turn| turn.hidden().map(|hidden| hidden.reason.to_string()).collect::<String>();
    let well = session.turn_blocking(Dialect::OpenAi);
    time.advance(31);
    assert_eq!(place(&session.turn_blocking(Dialect::OpenAi)), place(&well));
    *mood.lock().unwrap() = Some("a headache");
    time.advance(61);
    let ill = session.turn_blocking(Dialect::OpenAi);
    *mood.lock().unwrap() = Some("a cold");
    time.advance(31);
    let still_ill = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(place(&still_ill), place(&ill));
    // Only the reason is another one.
    assert_eq!([reason(&well), reason(&ill), reason(&still_ill)], ["", "a headache", "a cold"]);
    assert_eq!(asked.lock().unwrap().len(), 4);
}

#[test]
fn changed_facts_do_not_run_checks_again() {
    let (registry, mood, asked) = moody();
    let session = session(&registry, FakeTime::new().clock());
    session.turn_blocking(Dialect::OpenAi);
    *mood.lock().unwrap() = Some("a headache");
    session.set_facts([("online".into(), false.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["moody"]"#);
    session.set_facts([("online".into(), true.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["moody","steady"]"#);
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn a_changed_registry_asks_only_whom_it_does_not_know() {
    let (registry, mood, asked) = moody();
    let time = FakeTime::new();
    let session = session(&registry, time.clock());
    let turn = session.turn_blocking(Dialect::OpenAi);
    *mood.lock().unwrap() = Some("a headache");
    let other = Fake::new([tool("another", "home", &[Check])]);
    let other_asked = other.asked();
    registry.add(Box::new(other)).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["another","moody","steady"]"#);
    assert_eq!((turn.definitions(), asked.lock().unwrap().len()), (r#"["moody","steady"]"#, 1));
    assert_eq!(*other_asked.lock().unwrap(), ["another"]);
}

#[test]
fn requirements_that_cannot_change_need_no_clock() {
    let needs = [Os(vec![std::env::consts::OS.into()]), online(), Tools(texts(&["free"]))];
    let registry =
        Fake::new([tool("needy", "home", &needs), tool("free", "home", &[])]).fact("online", true).registry();
    let session = session(&registry, not_asked());
    let turn = session.turn_blocking(Dialect::OpenAi);
    assert_eq!(turn.definitions(), r#"["free","needy"]"#);
    assert_eq!(place(&session.turn_blocking(Dialect::OpenAi)), place(&turn));
    session.set_facts([("online".into(), false.into())]).unwrap();
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["free"]"#);
}

#[test]
fn without_a_clock_each_turn_asks() {
    let (registry, mood, asked) = moody();
    let session = session(&registry, Clock::Test(Arc::new(|| None)));
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["moody","steady"]"#);
    *mood.lock().unwrap() = Some("ill");
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), r#"["steady"]"#);
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[test]
fn a_session_looks_into_its_own_environment() {
    let registry = Fake::new([tool("web", "home", &[Needs(texts(&["WEB_KEY"]))])]).registry();
    let count = |env: Env| registry.session().env(env).build().unwrap().turn_blocking(Dialect::OpenAi).tools().count();
    assert_eq!([count(Env::empty()), count(Env::empty().with_var("WEB_KEY", "x"))], [0, 1]);
    assert_eq!(count(Env::process().with_var("WEB_KEY", "x")), 1);
}

#[test]
fn values_of_the_environment_are_not_shown() {
    let registry = Fake::new([tool("web", "home", &[Needs(texts(&["WEB_KEY"]))])]).registry();
    let session = registry.session().env(Env::empty().with_var("WEB_KEY", "secret")).build().unwrap();
    assert!(!format!("{session:?} {:?}", session.turn_blocking(Dialect::OpenAi)).contains("secret"));
}

#[cfg(feature = "raw-value")]
#[test]
fn raw_definitions_are_made_once_for_all_turns_that_show_the_same() {
    let registry = Fake::new([tool("a", "home", &[])]).registry();
    let session = session(&registry, Clock::System);
    let (one, other) = (session.turn_blocking(Dialect::OpenAi), session.turn_blocking(Dialect::OpenAi));
    assert_eq!(one.raw_definitions().unwrap().get(), one.definitions());
    assert!(std::ptr::eq(one.raw_definitions().unwrap(), other.raw_definitions().unwrap()));

    let broken = vec![crate::data::segment::Segment::Text("{\"name\":".into())];
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
    // The facts are the turn's; what is asked for is the task's.
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
