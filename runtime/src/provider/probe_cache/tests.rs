//! Checks that fail, panic or hang, their cached results, and sessions that share them.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use crate::data::catalog::{Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::hidden_reason::HiddenReason;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{Check, When};
use crate::data::segment::{Atom, Condition, Op};
use crate::env::Env;
use crate::fakes::{Fake, FakeTime, tool, toolset, until, wait};
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::session::Session;
use crate::session::turn::Turn;

/// A timeout that no test reaches.
const LONG: Duration = Duration::from_hours(1);
/// A timeout for checks that hang.
const SHORT: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Default, PartialEq)]
enum Outcome {
    #[default]
    Passes,
    Fails(&'static str),
    Panics,
    /// The check does not return until the outcome changes.
    Hangs,
}

/// A check of a tool. A test can change its outcome.
#[derive(Clone, Default)]
struct FakeCheck(Arc<(Mutex<Outcome>, Condvar)>);

impl FakeCheck {
    fn set(&self, outcome: Outcome) {
        *self.0.0.lock().unwrap() = outcome;
        self.0.1.notify_all();
    }

    /// Runs the check.
    fn run(&self) -> Availability {
        let outcome = *self.0.1.wait_while(self.0.0.lock().unwrap(), |outcome| *outcome == Outcome::Hangs).unwrap();
        match outcome {
            Outcome::Fails(reason) => Availability::Unavailable(reason.into()),
            Outcome::Panics => panic!("it fell over"),
            Outcome::Passes | Outcome::Hangs => Availability::Available,
        }
    }
}

/// A registry with two tools: `checked` requires a check, `unchecked` does not.
struct Fixture {
    registry: Registry,
    check: FakeCheck,
    checks_run: Arc<Mutex<Vec<String>>>,
    time: FakeTime,
}

impl Fixture {
    fn new() -> Self {
        let check = FakeCheck::default();
        let runner = check.clone();
        let fake = Fake::new([tool("checked", "home", &[Check]), tool("unchecked", "home", &[])]);
        let fake = fake.available(move |_, _| runner.run());
        let checks_run = fake.checks_run();
        Self { registry: fake.registry(), check, checks_run, time: FakeTime::new() }
    }

    /// Returns a session with its own environment.
    fn session(&self, timeout: Duration) -> Session {
        session(&self.registry, &self.time, Some(Env::empty()), timeout)
    }

    /// Returns how often the check has run.
    fn check_count(&self) -> usize {
        self.checks_run.lock().unwrap().len()
    }
}

fn session(registry: &Registry, time: &FakeTime, env: Option<Env>, timeout: Duration) -> Session {
    let mut builder = registry.session().check_timeout(timeout);
    if let Some(env) = env {
        builder = builder.env(env);
    }
    builder.clock = time.clock();
    builder.build().unwrap()
}

fn turn(session: &Session) -> Turn {
    session.turn_blocking(Dialect::OpenAi)
}

/// Returns the shown tools, then the hidden ones with their reasons.
fn summary(session: &Session) -> String {
    let turn = turn(session);
    let tools = turn.tools().map(str::to_owned);
    let hidden = turn.hidden().map(|hidden| format!("({}: {})", hidden.tool, hidden.reason));
    tools.chain(hidden).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_flake_counts_as_success_and_is_checked_again() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    assert_eq!(summary(&session), "checked unchecked");
    fixture.check.set(Outcome::Fails("out of paper"));
    fixture.time.advance(31);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 2));
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 3));
    fixture.check.set(Outcome::Passes);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 4));
    // The success is cached.
    fixture.time.advance(29);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 4));
}

#[test]
fn a_failure_counts_after_the_grace_period() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    summary(&session);
    fixture.check.set(Outcome::Fails("out of paper"));
    fixture.time.advance(59);
    assert_eq!(summary(&session), "checked unchecked");
    fixture.time.advance(1);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("unchecked (checked: out of paper)", 3));
    // A failure is cached for as long as a success.
    fixture.check.set(Outcome::Passes);
    fixture.time.advance(29);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("unchecked (checked: out of paper)", 3));
    fixture.time.advance(1);
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 4));
}

#[test]
fn a_failure_before_any_success_is_not_a_flake() {
    let fixture = Fixture::new();
    fixture.check.set(Outcome::Fails("out of paper"));
    assert_eq!(summary(&fixture.session(LONG)), "unchecked (checked: out of paper)");
}

#[test]
fn a_flake_never_hides_the_tools_of_a_toolset() {
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    let runs = AtomicUsize::new(0);
    let fake = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).toolset(home);
    // The check fails every second time, by its result or by a panic.
    let fake = fake.available(move |_, _| match runs.fetch_add(1, Ordering::SeqCst) % 4 {
        1 => Availability::Unavailable("try again".into()),
        3 => panic!("it fell over"),
        _ => Availability::Available,
    });
    let (checks_run, registry, time) = (fake.checks_run(), fake.registry(), FakeTime::new());
    let session = session(&registry, &time, Some(Env::empty()), LONG);
    let first = turn(&session);
    for seconds in (1..60).cycle().take(500) {
        time.advance(seconds);
        let next = turn(&session);
        assert_eq!(
            next.definitions().as_ptr(),
            first.definitions().as_ptr(),
            "{:?}",
            next.hidden().collect::<Vec<_>>()
        );
    }
    assert!(checks_run.lock().unwrap().len() > 200);
}

#[test]
fn a_panic_is_a_failure_with_its_message() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    fixture.check.set(Outcome::Panics);
    assert_eq!(summary(&session), "unchecked (checked: its check failed unexpectedly: it fell over)");
    fixture.check.set(Outcome::Passes);
    fixture.time.advance(30);
    assert_eq!(summary(&session), "checked unchecked");
    // Soon after a success, a panic is a flake like any other failure.
    fixture.check.set(Outcome::Panics);
    fixture.time.advance(31);
    assert_eq!(summary(&session), "checked unchecked");
}

#[test]
fn a_hanging_check_does_not_block_a_turn() {
    let fixture = Fixture::new();
    fixture.check.set(Outcome::Hangs);
    let session = fixture.session(SHORT);
    assert_eq!(summary(&session), "unchecked (checked: its check gave no answer within 5ms)");
}

#[test]
fn a_hanging_check_is_not_started_again_and_its_late_result_counts() {
    let fixture = Fixture::new();
    fixture.check.set(Outcome::Hangs);
    let session = fixture.session(SHORT);
    let hung = turn(&session);
    until(|| fixture.check_count() == 1);
    for _ in 0..10 {
        // The check still hangs, so the session returns the same turn, without waiting again.
        assert_eq!(turn(&session).definitions().as_ptr(), hung.definitions().as_ptr());
        fixture.time.advance(31);
        fixture.registry.invalidate_all();
    }
    assert_eq!(fixture.check_count(), 1);
    fixture.check.set(Outcome::Passes);
    // The result is older than the last invalidation, so the check runs exactly once more.
    until(|| summary(&session) == "checked unchecked");
    assert_eq!(fixture.check_count(), 2);

    fixture.check.set(Outcome::Hangs);
    fixture.time.advance(90);
    until(|| {
        summary(&session) == "unchecked (checked: its check gave no answer within 5ms)" && fixture.check_count() == 3
    });
    fixture.check.set(Outcome::Fails("out of paper"));
    until(|| summary(&session) == "unchecked (checked: out of paper)");
    assert_eq!(fixture.check_count(), 3);
}

#[test]
fn a_hanging_check_counts_as_success_within_the_flake_window() {
    let fixture = Fixture::new();
    // Both sessions share the cache. The first one has a long timeout, and fills it.
    let [patient, hasty] = [LONG, SHORT].map(|timeout| session(&fixture.registry, &fixture.time, None, timeout));
    assert_eq!(summary(&patient), "checked unchecked");
    fixture.check.set(Outcome::Hangs);
    fixture.time.advance(31);
    for _ in 0..3 {
        assert_eq!(summary(&hasty), "checked unchecked");
    }
    fixture.time.advance(28);
    assert_eq!(summary(&hasty), "checked unchecked");
    fixture.time.advance(1);
    assert_eq!(summary(&hasty), "unchecked (checked: its check gave no answer within 5ms)");
    fixture.check.set(Outcome::Passes);
    until(|| summary(&hasty) == "checked unchecked");
    assert_eq!(fixture.check_count(), 2);
}

#[test]
fn checks_run_concurrently() {
    // Each check waits for the others.
    let barrier = Barrier::new(3);
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    let fake = Fake::new([tool("a", "home", &[Check]), tool("b", "home", &[Check])]).toolset(home);
    let registry = fake
        .available(move |_, _| {
            barrier.wait();
            Availability::Available
        })
        .registry();
    assert_eq!(summary(&session(&registry, &FakeTime::new(), Some(Env::empty()), LONG)), "a b");
}

#[test]
fn a_hanging_check_does_not_hide_other_tools() {
    let (hanging, passing) = (FakeCheck::default(), FakeCheck::default());
    hanging.set(Outcome::Hangs);
    let runner = hanging.clone();
    let fake =
        Fake::new([tool("hangs", "home", &[Check]), tool("fails", "home", &[Check]), tool("passes", "home", &[Check])]);
    let registry = fake
        .available(move |name, _| match name {
            "hangs" => runner.run(),
            "fails" => Availability::Unavailable("out of paper".into()),
            _ => passing.run(),
        })
        .registry();
    let session = session(&registry, &FakeTime::new(), Some(Env::empty()), SHORT);
    until(|| summary(&session) == "passes (fails: out of paper) (hangs: its check gave no answer within 5ms)");
    hanging.set(Outcome::Passes);
}

#[test]
fn concurrent_turns_share_one_check() {
    const TURNS: usize = 8;
    let time = FakeTime::new();
    let clock = time.clone();
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    // The check returns after all turns have requested it. Each turn reads the clock when it does so.
    let fake = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).toolset(home).available(move |_, _| {
        until(|| clock.reads() >= TURNS);
        Availability::Available
    });
    let (checks_run, registry) = (fake.checks_run(), fake.registry());
    let sessions = [(); 2].map(|()| session(&registry, &time, None, LONG));
    thread::scope(|scope| {
        let turns = [(); TURNS / 2].map(|()| sessions.each_ref().map(|session| scope.spawn(|| summary(session))));
        for turn in turns.into_iter().flatten() {
            assert_eq!(turn.join().unwrap(), "a b");
        }
    });
    assert_eq!(*checks_run.lock().unwrap(), ["home"]);
}

#[test]
fn no_lock_is_held_while_a_check_runs() {
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
    let session = session(&registry, &FakeTime::new(), None, LONG);
    thread::scope(|scope| {
        let first = scope.spawn(|| summary(&session));
        begun.recv().unwrap();
        // If the check held a lock, these calls would wait for it forever.
        session.set_facts([("online".into(), false.into())]).unwrap();
        registry.add(Box::new(Fake::new([tool("new", "home", &[])]))).unwrap();
        let other = registry.session().enable(["other"]).build();
        assert!(other.is_err() && format!("{session:?}").contains("Session"));
        release.send(()).unwrap();
        // The turn began before the changes.
        assert_eq!(first.join().unwrap(), "checked online");
    });
    assert_eq!(summary(&session), "checked new (online: the fact `online` rules it out)");
}

#[test]
fn sessions_share_check_results_except_with_their_own_environment() {
    let fake = Fake::new([tool("a", "home", &[Check])])
        .available(|_, env| Availability::when(env.var("A_KEY").is_some(), "it has no key"));
    let (checks_run, registry, time) = (fake.checks_run(), fake.registry(), FakeTime::new());
    let shared = [(); 3].map(|()| session(&registry, &time, None, LONG));
    assert!(shared.iter().all(|session| summary(session) == "(a: it has no key)"));
    assert_eq!(checks_run.lock().unwrap().len(), 1);
    let own = session(&registry, &time, Some(Env::empty().with_var("A_KEY", "x")), LONG);
    assert_eq!((summary(&own).as_str(), checks_run.lock().unwrap().len()), ("a", 2));
    assert_eq!(registry.probe_cache().count(), 2);
    drop(own);
    assert_eq!(registry.probe_cache().count(), 1, "its results were dropped with it");
}

#[test]
fn results_of_removed_providers_are_dropped() {
    let fixture = Fixture::new();
    summary(&fixture.session(LONG));
    let session = session(&fixture.registry, &fixture.time, None, LONG);
    summary(&session);
    let cache = fixture.registry.probe_cache();
    cache.retain_providers(&fixture.registry.state().providers);
    assert_eq!(cache.count(), 1);
    cache.retain_providers(&[]);
    assert_eq!(cache.count(), 0);
    // The result of its running check is dropped.
    fixture.check.set(Outcome::Hangs);
    fixture.time.advance(31);
    thread::scope(|scope| {
        let turn = scope.spawn(|| summary(&session));
        until(|| fixture.check_count() == 3);
        cache.retain_providers(&[]);
        fixture.check.set(Outcome::Passes);
        assert_eq!(turn.join().unwrap(), "checked unchecked", "the waiting turn runs the check again");
    });
    assert_eq!(fixture.check_count(), 4);
}

#[test]
fn an_invalidated_check_runs_again_and_cannot_be_a_flake() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    summary(&session);
    fixture.check.set(Outcome::Fails("out of paper"));
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("checked unchecked", 1));
    fixture.registry.invalidate_all();
    assert_eq!((summary(&session).as_str(), fixture.check_count()), ("unchecked (checked: out of paper)", 2));
}

#[test]
fn a_single_tool_or_toolset_can_be_invalidated() {
    let checked = |name| Toolset { requires: vec![Check], ..toolset(name) };
    let tools = [tool("a", "red", &[Check]), tool("b", "red", &[Check]), tool("c", "blue", &[Check])];
    let red = Toolset { aliases: vec!["rouge".into()], ..checked("red") };
    let fake = Fake::new(tools).toolset(red).toolset(checked("blue"));
    let (checks_run, registry) = (fake.checks_run(), fake.registry());
    let session = session(&registry, &FakeTime::new(), None, LONG);
    let run_after = |name: Option<&str>| {
        if let Some(name) = name {
            registry.invalidate(name).unwrap();
        }
        summary(&session);
        let mut names = std::mem::take(&mut *checks_run.lock().unwrap());
        names.sort();
        names.join(" ")
    };
    assert_eq!(run_after(None), "a b blue c red");
    assert_eq!(run_after(None), "");
    assert_eq!(run_after(Some("a")), "a red");
    assert_eq!(run_after(Some("blue")), "blue c");
    assert_eq!(run_after(Some("rouge")), "a b red");
    assert_eq!(run_after(None), "");
    let error = registry.invalidate("bleu").unwrap_err().to_string();
    assert_eq!(error, "unknown tool or toolset `bleu`: did you mean `blue`?");
}

#[test]
fn the_result_of_an_invalidated_run_is_ignored() {
    let fixture = Fixture::new();
    fixture.check.set(Outcome::Hangs);
    let session = fixture.session(LONG);
    thread::scope(|scope| {
        let first = scope.spawn(|| summary(&session));
        until(|| fixture.check_count() == 1);
        fixture.registry.invalidate("checked").unwrap();
        fixture.check.set(Outcome::Passes);
        assert_eq!(first.join().unwrap(), "checked unchecked");
    });
    assert_eq!(fixture.check_count(), 2, "the waiting turn ran the check again");
}

#[test]
fn the_environment_is_read_again_after_thirty_seconds() {
    let folder = std::env::temp_dir().join(format!("toolc-checks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::join_paths([&folder]).unwrap().into_string().unwrap();
    let env = Env::empty().with_var("PATH", path).with_var("PATHEXT", ".EXE");
    let programs = Requirement::Programs(vec!["toolc-a-program".into()]);
    let registry = Fake::new([tool("a", "home", &[programs])]).registry();
    let time = FakeTime::new();
    let session = session(&registry, &time, Some(env), LONG);
    let missing = "(a: needs the program `toolc-a-program`)";
    let before = summary(&session);
    let program = folder.join(if cfg!(windows) { "toolc-a-program.exe" } else { "toolc-a-program" });
    std::fs::write(&program, "").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    time.advance(29);
    let cached = summary(&session);
    time.advance(1);
    let after = summary(&session);
    // The folder is gone, and the cache is invalidated.
    std::fs::remove_dir_all(&folder).unwrap();
    registry.invalidate_all();
    assert_eq!([before, cached, after, summary(&session)], [missing, missing, "a", missing]);
}

#[test]
fn checks_do_not_reveal_secrets_of_the_environment() {
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
        // The value of this secret also occurs in `[secret]`, which must not be redacted again.
        .variable(variable("WORD", true))
        .available(|name, env| {
            let text = ["KEY", "LONGER_KEY", "HOST"].map(|name| env.var(name).unwrap()).join(" ");
            assert!(name != "panics", "{text}");
            Availability::Unavailable(text.into())
        });
    let env = Env::empty().with_var("KEY", "hunter2").with_var("LONGER_KEY", "hunter23").with_var("HOST", "here");
    let env = env.with_var("WORD", "secret");
    let text = summary(&session(&fake.registry(), &FakeTime::new(), Some(env), LONG));
    assert_eq!(text, "(panics: its check failed unexpectedly: [secret] [secret] here) (says: [secret] [secret] here)");
}

#[test]
fn an_asynchronous_turn_waits_for_checks_without_blocking_the_thread() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    fixture.check.set(Outcome::Hangs);
    let mut future = pin!(session.turn(Dialect::OpenAi));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    until(|| fixture.check_count() == 1);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    fixture.check.set(Outcome::Fails("out of paper"));
    let turn = wait(future);
    assert_eq!(turn.tools().collect::<Vec<_>>(), ["unchecked"]);
    assert_eq!(fixture.check_count(), 1);
}

#[test]
fn an_asynchronous_turn_abandons_a_check_after_the_timeout() {
    let fixture = Fixture::new();
    let session = fixture.session(SHORT);
    fixture.check.set(Outcome::Hangs);
    let turn = wait(session.turn(Dialect::OpenAi));
    assert_eq!(turn.hidden().next().unwrap().reason, &HiddenReason::TimedOut(SHORT));
    fixture.check.set(Outcome::Passes);
    // The late result counts for the next turn.
    until(|| wait(session.turn(Dialect::OpenAi)).tools().count() == 2);
    assert_eq!(fixture.check_count(), 1);
}

#[test]
fn turns_that_wait_for_one_check_are_all_woken() {
    let fixture = Fixture::new();
    fixture.check.set(Outcome::Hangs);
    // Both sessions have the environment of the process, so that they share the check.
    let sessions = [(); 2].map(|()| session(&fixture.registry, &fixture.time, None, LONG));
    thread::scope(|scope| {
        let turns = sessions.each_ref().map(|session| scope.spawn(|| wait(session.turn(Dialect::OpenAi))));
        let blocked = scope.spawn(|| sessions[0].turn_blocking(Dialect::OpenAi));
        until(|| fixture.check_count() == 1);
        fixture.check.set(Outcome::Passes);
        for turn in turns.into_iter().chain([blocked]) {
            assert_eq!(turn.join().unwrap().tools().count(), 2);
        }
    });
    assert_eq!(fixture.check_count(), 1);
}

#[test]
fn an_unchanged_asynchronous_turn_is_ready_at_once() {
    let fixture = Fixture::new();
    let session = fixture.session(LONG);
    let first = session.turn_blocking(Dialect::OpenAi);
    let mut future = pin!(session.turn(Dialect::OpenAi));
    let Poll::Ready(again) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
    assert_eq!(again.definitions().as_ptr(), first.definitions().as_ptr());
    assert_eq!(fixture.check_count(), 1);
}
