//! Eight threads add, remove, replace and call tool providers of one registry at the same time. Every tool that a turn lists
//! can be called, and the provider that defined it answers. A deadlock makes the test hang. `TOOLC_STRESS_STEPS` sets how
//! many steps each thread takes.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::thread;

use serde_json::{Value, json};
use toolc::catalog::ProviderId;
use toolc::{Dialect, DynamicTool, DynamicTools, Registry, ToolCall, ToolOutput, ToolProvider, Toolset, Turn};
use toolc_tests::random::Random;

const THREADS: u64 = 8;
/// Steps of each thread.
const STEPS: usize = 400;
/// Tool names that the threads compete for.
const NAMES: usize = 12;

/// Returns a provider of some of the names, in the toolset of its thread. Its tools return their own descriptions.
fn provider(random: &mut Random, thread: u64) -> Box<dyn ToolProvider> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Relaxed);
    let first = random.below(NAMES);
    let tool = |offset: usize| {
        let name = format!("tool_{}", (first + offset) % NAMES);
        let answer = move |_, call: &toolc::Call<'_>| Ok(ToolOutput::text(format!("{} of {number}", call.tool())));
        DynamicTool::sync(name.clone(), format!("{name} of {number}"), json!({"type": "object"}), answer)
            .toolset(format!("home_{thread}"))
    };
    let home = Toolset::new(format!("home_{thread}")).with_aliases([format!("old_{thread}")]);
    DynamicTools::new().tools((0..=random.below(3)).map(tool)).toolset(home).build().expect("the tools are valid")
}

/// Calls every tool that a turn lists. Returns the number of calls made.
fn check(turn: &Turn) -> u64 {
    let listed: Value = serde_json::from_str(turn.definitions()).expect("definitions are JSON");
    let listed: BTreeMap<&str, &str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|definition| {
            let text = |key: &str| definition["function"][key].as_str().expect("a text");
            (text("name"), text("description"))
        })
        .collect();
    assert!(turn.tools().eq(listed.keys().copied()), "{turn:?} lists {listed:?}");
    for (name, description) in &listed {
        let request = ToolCall::new(name, "{}");
        let Poll::Ready(answer) = pin!(turn.call(&request)).poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("{name} is sync, and was not answered");
        };
        assert_eq!((answer.error, answer.json), (None, format!("\"{description}\"")), "{name} of {turn:?}");
    }
    listed.len() as u64
}

/// Takes `steps` random steps. Returns the number of calls made.
fn run(registry: &Registry, thread: u64, steps: usize) -> u64 {
    let mut random = Random(thread + 1);
    let (mut own, mut calls, mut kept) = (Vec::<ProviderId>::new(), 0, None::<Turn>);
    let everything = registry.session().build().expect("everything can be enabled");
    let mut some = None;
    for _ in 0..steps {
        match random.below(6) {
            0 => own.extend(registry.add(provider(&mut random, thread))),
            1 => own.extend(registry.add_overriding(provider(&mut random, thread))),
            2 if !own.is_empty() => {
                let id = own.swap_remove(random.below(own.len()));
                assert!(registry.remove(id), "each thread removes only its own providers");
            }
            3 if !own.is_empty() => {
                // Refused if a name is taken; the old provider stays in that case.
                let _ = registry.replace(own[random.below(own.len())], provider(&mut random, thread));
            }
            4 => some = registry.session().enable([format!("old_{}", random.below(8))]).build().ok().or(some),
            _ => {
                calls += check(&everything.turn_blocking(Dialect::OpenAi));
                if let Some(some) = &some {
                    let turn = some.turn_blocking(Dialect::OpenAi);
                    assert!(turn.tools().count() == 0 || turn.missing_toolsets().count() == 0, "{turn:?}");
                    calls += check(&turn);
                }
                // An old turn still works.
                calls += kept.as_ref().map_or(0, check);
                kept = Some(everything.turn_blocking(Dialect::OpenAi));
            }
        }
        if own.len() > 8 {
            for id in own.drain(..) {
                assert!(registry.remove(id));
            }
        }
    }
    for id in own {
        assert!(registry.remove(id));
    }
    calls
}

#[test]
fn every_turn_is_consistent_while_providers_are_added_and_removed() {
    let steps = std::env::var("TOOLC_STRESS_STEPS");
    let steps = steps.map_or(STEPS, |steps| steps.parse().expect("TOOLC_STRESS_STEPS is a number"));
    let registry = Registry::new();
    let calls: u64 = thread::scope(|scope| {
        let run = |thread| {
            scope.spawn({
                let registry = &registry;
                move || run(registry, thread, steps)
            })
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("the thread does not panic")).sum()
    });
    assert!(calls > 0 && registry.tools().is_empty() && registry.toolsets().is_empty(), "{registry:?}");
}
