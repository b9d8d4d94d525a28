use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use crate::data::catalog::{Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{Check, When};
use crate::data::segment::{Atom, Condition, Op};
use crate::fakes::{Fake, Time, tool, toolset, until};
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::session::Session;
use crate::session::turn::Turn;

/// Longer than any test takes.
const LONG: Duration = Duration::from_hours(1);
/// For checks that never answer: any time will do.
const SHORT: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Default, PartialEq)]
enum Mood {
    #[default]
    Well,
    Ill(&'static str),
    Panics,
    /// It does not answer before that changes.
    Hangs,
}

/// What the tools of a provider are like.
#[derive(Clone, Default)]
struct Patient(Arc<(Mutex<Mood>, Condvar)>);

impl Patient {
    fn is(&self, mood: Mood) {
        *self.0.0.lock().unwrap() = mood;
        self.0.1.notify_all();
    }

    fn answer(&self) -> Availability {
        let mood = *self.0.1.wait_while(self.0.0.lock().unwrap(), |mood| *mood == Mood::Hangs).unwrap();
        match mood {
            Mood::Ill(reason) => Availability::Unavailable(reason.into()),
            Mood::Panics => panic!("it fell over"),
            Mood::Well | Mood::Hangs => Availability::Available,
        }
    }
}

/// A registry of `moody`, which has to pass a check, and `steady`, which has not.
struct Ward {
    registry: Registry,
    patient: Patient,
    asked: Arc<Mutex<Vec<String>>>,
    time: Time,
}

impl Ward {
    fn new() -> Self {
        let patient = Patient::default();
        let felt = patient.clone();
        let fake = Fake::new([tool("moody", "home", &[Check]), tool("steady", "home", &[])]);
        let fake = fake.available(move |_, _| felt.answer());
        let asked = fake.asked();
        Self { registry: fake.registry(), patient, asked, time: Time::new() }
    }

    /// A session in an environment of its own.
    fn session(&self, patience: Duration) -> Session {
        session(&self.registry, &self.time, Some(Env::empty()), patience)
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn session(registry: &Registry, time: &Time, env: Option<Env>, patience: Duration) -> Session {
    let mut builder = registry.session().check_timeout(patience);
    if let Some(env) = env {
        builder = builder.env(env);
    }
    builder.clock = time.clock();
    builder.build().unwrap()
}

fn turn(session: &Session) -> Turn {
    session.turn(Dialect::OpenAi)
}

/// What is shown, and why the rest is not.
fn told(session: &Session) -> String {
    let turn = turn(session);
    let tools = turn.tools().map(str::to_owned);
    let hidden = turn.hidden().map(|hidden| format!("({}: {})", hidden.tool, hidden.reason));
    tools.chain(hidden).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_flake_is_served_as_good_and_asked_again_next_time() {
    let ward = Ward::new();
    let session = ward.session(LONG);
    assert_eq!(told(&session), "moody steady");
    ward.patient.is(Mood::Ill("a cough"));
    ward.time.pass(31);
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 2));
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 3));
    ward.patient.is(Mood::Well);
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 4));
    // That was a success: it is believed.
    ward.time.pass(29);
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 4));
}

#[test]
fn a_failure_is_believed_when_the_grace_is_over() {
    let ward = Ward::new();
    let session = ward.session(LONG);
    told(&session);
    ward.patient.is(Mood::Ill("a cough"));
    ward.time.pass(59);
    assert_eq!(told(&session), "moody steady");
    ward.time.pass(1);
    assert_eq!((told(&session).as_str(), ward.asked()), ("steady (moody: a cough)", 3));
    // And for as long as a success.
    ward.patient.is(Mood::Well);
    ward.time.pass(29);
    assert_eq!((told(&session).as_str(), ward.asked()), ("steady (moody: a cough)", 3));
    ward.time.pass(1);
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 4));
}

#[test]
fn a_failure_before_any_success_is_no_flake() {
    let ward = Ward::new();
    ward.patient.is(Mood::Ill("a cough"));
    assert_eq!(told(&ward.session(LONG)), "steady (moody: a cough)");
}

#[test]
fn a_flake_never_loses_a_toolset() {
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    let flaky = Arc::new(AtomicUsize::new(0));
    let fake = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).toolset(home);
    // Every second time it fails, in any way there is.
    let fake = fake.available(move |_, _| match flaky.fetch_add(1, Ordering::SeqCst) % 4 {
        1 => Availability::Unavailable("try again".into()),
        3 => panic!("it fell over"),
        _ => Availability::Available,
    });
    let (asked, registry, time) = (fake.asked(), fake.registry(), Time::new());
    let session = session(&registry, &time, Some(Env::empty()), LONG);
    let first = turn(&session);
    for seconds in (1..60).cycle().take(500) {
        time.pass(seconds);
        let next = turn(&session);
        assert_eq!(
            next.definitions().as_ptr(),
            first.definitions().as_ptr(),
            "{:?}",
            next.hidden().collect::<Vec<_>>()
        );
    }
    assert!(asked.lock().unwrap().len() > 200);
}

#[test]
fn a_panic_is_a_failure_with_its_message() {
    let ward = Ward::new();
    let session = ward.session(LONG);
    ward.patient.is(Mood::Panics);
    assert_eq!(told(&session), "steady (moody: its check failed unexpectedly: it fell over)");
    ward.patient.is(Mood::Well);
    ward.time.pass(30);
    assert_eq!(told(&session), "moody steady");
    // Soon after a success it is a flake like any other.
    ward.patient.is(Mood::Panics);
    ward.time.pass(31);
    assert_eq!(told(&session), "moody steady");
}

#[test]
fn a_turn_comes_back_though_a_check_hangs_for_ever() {
    let ward = Ward::new();
    ward.patient.is(Mood::Hangs);
    let session = ward.session(SHORT);
    assert_eq!(told(&session), "steady (moody: its check gave no answer within 5ms)");
}

#[test]
fn what_hangs_is_not_begun_again_and_its_late_answer_counts() {
    let ward = Ward::new();
    ward.patient.is(Mood::Hangs);
    let session = ward.session(SHORT);
    let hung = turn(&session);
    until(|| ward.asked() == 1);
    for _ in 0..10 {
        // It stands as it is, without another wait, until something changes.
        assert_eq!(turn(&session).definitions().as_ptr(), hung.definitions().as_ptr());
        ward.time.pass(31);
        ward.registry.invalidate_all();
    }
    assert_eq!(ward.asked(), 1);
    ward.patient.is(Mood::Well);
    // What it came to was asked before the last invalidation: it is asked once more, and once only.
    until(|| told(&session) == "moody steady");
    assert_eq!(ward.asked(), 2);

    ward.patient.is(Mood::Hangs);
    ward.time.pass(90);
    until(|| told(&session) == "steady (moody: its check gave no answer within 5ms)" && ward.asked() == 3);
    ward.patient.is(Mood::Ill("a cough"));
    until(|| told(&session) == "steady (moody: a cough)");
    assert_eq!(ward.asked(), 3);
}

#[test]
fn what_hangs_is_served_as_good_until_the_grace_is_over() {
    let ward = Ward::new();
    // A patient one fills the board that they share.
    let [patient, hasty] = [LONG, SHORT].map(|patience| session(&ward.registry, &ward.time, None, patience));
    assert_eq!(told(&patient), "moody steady");
    ward.patient.is(Mood::Hangs);
    ward.time.pass(31);
    for _ in 0..3 {
        assert_eq!(told(&hasty), "moody steady");
    }
    ward.time.pass(28);
    assert_eq!(told(&hasty), "moody steady");
    ward.time.pass(1);
    assert_eq!(told(&hasty), "steady (moody: its check gave no answer within 5ms)");
    ward.patient.is(Mood::Well);
    until(|| told(&hasty) == "moody steady");
    assert_eq!(ward.asked(), 2);
}

#[test]
fn checks_run_at_the_same_time() {
    // Each waits for the others.
    let barrier = Barrier::new(3);
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    let fake = Fake::new([tool("a", "home", &[Check]), tool("b", "home", &[Check])]).toolset(home);
    let registry = fake
        .available(move |_, _| {
            barrier.wait();
            Availability::Available
        })
        .registry();
    assert_eq!(told(&session(&registry, &Time::new(), Some(Env::empty()), LONG)), "a b");
}

#[test]
fn one_that_hangs_hides_no_other() {
    let (held, release) = (Patient::default(), Patient::default());
    held.is(Mood::Hangs);
    let felt = held.clone();
    let fake =
        Fake::new([tool("hangs", "home", &[Check]), tool("ill", "home", &[Check]), tool("well", "home", &[Check])]);
    let registry = fake
        .available(move |name, _| match name {
            "hangs" => felt.answer(),
            "ill" => Availability::Unavailable("a cough".into()),
            _ => release.answer(),
        })
        .registry();
    let session = session(&registry, &Time::new(), Some(Env::empty()), SHORT);
    until(|| told(&session) == "well (hangs: its check gave no answer within 5ms) (ill: a cough)");
    held.is(Mood::Well);
}

#[test]
fn turns_at_the_same_time_ask_once() {
    const TURNS: usize = 8;
    let time = Time::new();
    let (looks, home) = (time.clone(), Toolset { requires: vec![Check], ..toolset("home") });
    // It answers when all of them have come to the point where they ask.
    let fake = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).toolset(home).available(move |_, _| {
        until(|| looks.looks() >= TURNS);
        Availability::Available
    });
    let (asked, registry) = (fake.asked(), fake.registry());
    let sessions = [(); 2].map(|()| session(&registry, &time, None, LONG));
    thread::scope(|scope| {
        let turns = [(); TURNS / 2].map(|()| sessions.each_ref().map(|session| scope.spawn(|| told(session))));
        for turn in turns.into_iter().flatten() {
            assert_eq!(turn.join().unwrap(), "a b");
        }
    });
    assert_eq!(*asked.lock().unwrap(), ["home"]);
}

#[test]
fn nothing_is_locked_while_a_check_runs() {
    let online: Requirement =
        When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("online".into())] };
    let (signal, begun) = mpsc::channel();
    let (release, held) = mpsc::channel();
    let held = Mutex::new(held);
    let fake = Fake::new([tool("checked", "home", &[Check]), tool("online", "home", &[online])]).fact("online", true);
    let registry = fake
        .available(move |_, _| {
            signal.send(()).unwrap();
            held.lock().unwrap().recv().unwrap();
            Availability::Available
        })
        .registry();
    let session = session(&registry, &Time::new(), None, LONG);
    thread::scope(|scope| {
        let first = scope.spawn(|| told(&session));
        begun.recv().unwrap();
        session.set_facts([("online".into(), false.into())]).unwrap();
        registry.add(Box::new(Fake::new([tool("new", "home", &[])]))).unwrap();
        let other = registry.session().enable(["other"]).build();
        assert!(other.is_err() && format!("{session:?}").contains("Session"));
        release.send(()).unwrap();
        // It was begun before.
        assert_eq!(first.join().unwrap(), "checked online");
    });
    assert_eq!(told(&session), "checked new (online: the fact `online` rules it out)");
}

#[test]
fn sessions_of_the_process_share_verdicts_and_an_environment_has_its_own() {
    let fake = Fake::new([tool("a", "home", &[Check])])
        .available(|_, env| Availability::when(env.var("A_KEY").is_some(), "it has no key"));
    let (asked, registry, time) = (fake.asked(), fake.registry(), Time::new());
    let shared = [(); 3].map(|()| session(&registry, &time, None, LONG));
    assert!(shared.iter().all(|session| told(session) == "(a: it has no key)"));
    assert_eq!(asked.lock().unwrap().len(), 1);
    let own = session(&registry, &time, Some(Env::empty().with_var("A_KEY", "x")), LONG);
    assert_eq!((told(&own).as_str(), asked.lock().unwrap().len()), ("a", 2));
    assert_eq!(registry.checks().slots().len(), 2);
    drop(own);
    assert_eq!(registry.checks().slots().len(), 1, "its verdicts went with it");
}

#[test]
fn what_was_said_by_a_provider_that_is_gone_goes_with_it() {
    let ward = Ward::new();
    told(&ward.session(LONG));
    let session = session(&ward.registry, &ward.time, None, LONG);
    told(&session);
    let checks = ward.registry.checks();
    checks.keep(&ward.registry.state().providers);
    assert_eq!(checks.slots().len(), 1);
    checks.keep(&[]);
    assert_eq!(checks.slots().len(), 0);
    // And what runs for it is heard by nobody.
    ward.patient.is(Mood::Hangs);
    ward.time.pass(31);
    thread::scope(|scope| {
        let turn = scope.spawn(|| told(&session));
        until(|| ward.asked() == 3);
        checks.keep(&[]);
        ward.patient.is(Mood::Well);
        assert_eq!(turn.join().unwrap(), "moody steady", "the turn that waits asks again");
    });
    assert_eq!(ward.asked(), 4);
}

#[test]
fn what_is_invalidated_is_asked_again_and_no_failure_of_it_is_a_flake() {
    let ward = Ward::new();
    let session = ward.session(LONG);
    told(&session);
    ward.patient.is(Mood::Ill("a cough"));
    assert_eq!((told(&session).as_str(), ward.asked()), ("moody steady", 1));
    ward.registry.invalidate_all();
    assert_eq!((told(&session).as_str(), ward.asked()), ("steady (moody: a cough)", 2));
}

#[test]
fn a_tool_or_a_toolset_can_be_invalidated_by_itself() {
    let checked = |name| Toolset { requires: vec![Check], ..toolset(name) };
    let tools = [tool("a", "red", &[Check]), tool("b", "red", &[Check]), tool("c", "blue", &[Check])];
    let red = Toolset { aliases: vec!["rouge".into()], ..checked("red") };
    let fake = Fake::new(tools).toolset(red).toolset(checked("blue"));
    let (asked, registry) = (fake.asked(), fake.registry());
    let session = session(&registry, &Time::new(), None, LONG);
    let asked_after = |name: Option<&str>| {
        if let Some(name) = name {
            registry.invalidate(name).unwrap();
        }
        told(&session);
        let mut names = std::mem::take(&mut *asked.lock().unwrap());
        names.sort();
        names.join(" ")
    };
    assert_eq!(asked_after(None), "a b blue c red");
    assert_eq!(asked_after(None), "");
    assert_eq!(asked_after(Some("a")), "a red");
    assert_eq!(asked_after(Some("blue")), "blue c");
    assert_eq!(asked_after(Some("rouge")), "a b red");
    assert_eq!(asked_after(None), "");
    let error = registry.invalidate("bleu").unwrap_err().to_string();
    assert_eq!(error, "unknown tool or toolset `bleu`: did you mean `blue`?");
}

#[test]
fn what_was_asked_before_it_was_invalidated_does_not_count() {
    let ward = Ward::new();
    ward.patient.is(Mood::Hangs);
    let session = ward.session(LONG);
    thread::scope(|scope| {
        let first = scope.spawn(|| told(&session));
        until(|| ward.asked() == 1);
        ward.registry.invalidate("moody").unwrap();
        ward.patient.is(Mood::Well);
        assert_eq!(first.join().unwrap(), "moody steady");
    });
    assert_eq!(ward.asked(), 2, "the turn that waited asked again");
}

#[test]
fn the_environment_is_looked_at_again_after_thirty_seconds() {
    let folder = std::env::temp_dir().join(format!("toolc-checks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::join_paths([&folder]).unwrap().into_string().unwrap();
    let env = Env::empty().with_var("PATH", path).with_var("PATHEXT", ".EXE");
    let programs = Requirement::Programs(vec!["toolc-a-program".into()]);
    let registry = Fake::new([tool("a", "home", &[programs])]).registry();
    let time = Time::new();
    let session = session(&registry, &time, Some(env), LONG);
    let missing = "(a: needs the program `toolc-a-program`)";
    let before = told(&session);
    let program = folder.join(if cfg!(windows) { "toolc-a-program.exe" } else { "toolc-a-program" });
    std::fs::write(&program, "").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    time.pass(29);
    let believed = told(&session);
    time.pass(1);
    let after = told(&session);
    // It is gone, and somebody knows.
    std::fs::remove_dir_all(&folder).unwrap();
    registry.invalidate_all();
    assert_eq!([before, believed, after, told(&session)], [missing, missing, "a", missing]);
}

#[test]
fn no_secret_of_the_environment_is_told_by_a_check() {
    let variable = |name: &'static str, secret| Variable {
        name: name.into(),
        description: "".into(),
        prompt: "".into(),
        url: "".into(),
        secret,
    };
    let fake = Fake::new([tool("panics", "home", &[Check]), tool("says", "home", &[Check])])
        .variable(variable("KEY", true))
        .variable(variable("LONGER_KEY", true))
        .variable(variable("HOST", false))
        // As what stands in for a secret is written: it is not hidden once more.
        .variable(variable("WORD", true))
        .available(|name, env| {
            let text = ["KEY", "LONGER_KEY", "HOST"].map(|name| env.var(name).unwrap()).join(" ");
            assert!(name != "panics", "{text}");
            Availability::Unavailable(text.into())
        });
    let env = Env::empty().with_var("KEY", "hunter2").with_var("LONGER_KEY", "hunter23").with_var("HOST", "here");
    let env = env.with_var("WORD", "secret");
    let told = told(&session(&fake.registry(), &Time::new(), Some(env), LONG));
    assert_eq!(told, "(panics: its check failed unexpectedly: [secret] [secret] here) (says: [secret] [secret] here)");
}
