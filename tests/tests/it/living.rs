//! Eight threads that add, remove, replace and call at once: what a turn lists can be called and answers for whom it was
//! listed from, every call is answered, and nobody waits for another forever. `TOOLC_STRESS_SECONDS` makes it last longer.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::{
    Dialect, DynamicTool, DynamicTools, ProviderId, Registry, ToolCall, ToolOutput, ToolProvider, Toolset, Turn,
};
use toolc_tests::random::Random;

const THREADS: u64 = 8;
/// Names over which the threads fight.
const NAMES: usize = 12;

/// A provider of some of the names, in the toolset of its thread. Its tools say who they are, and so do their texts.
fn provider(random: &mut Random, thread: u64) -> Box<dyn ToolProvider> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let who = NEXT.fetch_add(1, Relaxed);
    let first = random.below(NAMES);
    let tool = |offset: usize| {
        let name = format!("tool_{}", (first + offset) % NAMES);
        let answer = move |_, call: &toolc::Call<'_>| Ok(ToolOutput::text(format!("{} of {who}", call.tool())));
        DynamicTool::sync(name.clone(), format!("{name} of {who}"), json!({"type": "object"}), answer)
            .home(format!("home_{thread}"))
    };
    let home = Toolset {
        name: format!("home_{thread}").into(),
        aliases: vec![format!("old_{thread}").into()],
        ..Toolset::default()
    };
    DynamicTools::new().tools((0..=random.below(3)).map(tool)).toolset(home).build().expect("they are right")
}

/// Calls everything that a turn lists.
fn check(turn: &Turn) -> u64 {
    let listed: Value = serde_json::from_str(turn.definitions()).expect("definitions are JSON");
    let listed: BTreeMap<&str, &str> = listed
        .as_array()
        .expect("they are a list")
        .iter()
        .map(|one| {
            let text = |key: &str| one["function"][key].as_str().expect("it is a text");
            (text("name"), text("description"))
        })
        .collect();
    assert!(turn.tools().eq(listed.keys().copied()), "{turn:?} lists {listed:?}");
    for (name, says) in &listed {
        let request = ToolCall::new(name, "{}");
        let Poll::Ready(answer) = pin!(turn.call(&request)).poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("{name} is sync, and was not answered");
        };
        assert_eq!((answer.error, answer.json), (None, format!("\"{says}\"")), "{name} of {turn:?}");
    }
    listed.len() as u64
}

/// Until the time is over; how many calls were made.
fn run(registry: &Registry, thread: u64, end: Instant) -> u64 {
    let mut random = Random(thread + 1);
    let (mut own, mut calls, mut kept) = (Vec::<ProviderId>::new(), 0, None::<Turn>);
    let everything = registry.session().build().expect("everything can be enabled");
    let mut some = None;
    while Instant::now() < end {
        match random.below(6) {
            0 => own.extend(registry.add(provider(&mut random, thread))),
            1 => own.extend(registry.add_overriding(provider(&mut random, thread))),
            2 if !own.is_empty() => {
                let id = own.swap_remove(random.below(own.len()));
                assert!(registry.remove(id), "nobody else removes it");
            }
            3 if !own.is_empty() => {
                // It may be refused, for a name that is taken, and stays then.
                let _ = registry.replace(own[random.below(own.len())], provider(&mut random, thread));
            }
            4 => some = registry.session().enable([format!("old_{}", random.below(8))]).build().ok().or(some),
            _ => {
                calls += check(&everything.turn(Dialect::OpenAi));
                if let Some(some) = &some {
                    let turn = some.turn(Dialect::OpenAi);
                    assert!(turn.tools().count() == 0 || turn.missing_toolsets().count() == 0, "{turn:?}");
                    calls += check(&turn);
                }
                // What was listed long ago is there still, for whoever holds it.
                calls += kept.as_ref().map_or(0, check);
                kept = Some(everything.turn(Dialect::OpenAi));
            }
        }
        if own.len() > 8 {
            own.drain(..).for_each(|id| assert!(registry.remove(id)));
        }
    }
    for id in own {
        assert!(registry.remove(id));
    }
    calls
}

#[test]
fn no_turn_is_torn_while_providers_come_and_go() {
    let seconds = std::env::var("TOOLC_STRESS_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(2);
    let registry = Registry::new();
    let end = Instant::now() + Duration::from_secs(seconds);
    let (tell, told) = mpsc::channel();
    for thread in 0..THREADS {
        let (registry, tell) = (registry.clone(), tell.clone());
        thread::spawn(move || tell.send(run(&registry, thread, end)));
    }
    drop(tell);
    let mut calls = 0;
    for _ in 0..THREADS {
        // A thread that failed hangs up; one that waits forever is given up.
        calls += told.recv_timeout(Duration::from_secs(seconds + 120)).expect("every thread comes to its end");
    }
    assert!(calls > 0 && registry.tools().is_empty() && registry.toolsets().is_empty(), "{registry:?}");
}
