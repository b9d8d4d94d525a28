//! toolc compared with the minimal hand-written code for the same work, as ratios from one run: `cargo bench --package toolc-speed`.
//!
//! `-- WORD` runs only the comparisons with WORD in their names, `-- --quick` a short run. No benchmark fails because it is slow.
//! Before anything is timed, both sides are checked to produce the same text.

mod finding;
mod floor;
mod guarded;
mod handler;
mod harness;
mod living;
mod ours;
mod sample;

use std::hint::black_box;
use std::iter::Cycle;
use std::process::Command;
use std::slice::Iter;
use std::time::Duration;

use harness::{Timing, rounds, side, time};
use toolc::__gen::segment;
use toolc::__gen::segment::Atom;
use toolc::Dialect;

const RIGHT: &str = r#"{"query":"open invoices","limit":25,"recursive":true,"sort":"newest","tags":["red","blue"]}"#;
/// Arguments with the wrong types, as models write them: a number for a string, strings for an integer and a boolean, and a
/// string for an array.
const ALMOST: &str = r#"{"query":4711,"limit":"25","recursive":"True","sort":"newest","tags":"red"}"#;
const MENDED: &str = r#"{"query":"4711","limit":25,"recursive":true,"sort":"newest","tags":["red"]}"#;

/// Hidden arguments with which the benchmark starts itself as a new process.
const COLD_OURS: &str = "--cold-ours";
const COLD_FLOOR: &str = "--cold-floor";

struct Comparison {
    name: &'static str,
    /// The name of the other side.
    floor: &'static str,
    /// toolc, and the floor if there is one.
    run: fn(Duration) -> Vec<Timing>,
}

const COMPARISONS: &[Comparison] = &[
    Comparison { name: "call, 5 right arguments", floor: "a hand-written match, serde derive", run: right },
    Comparison { name: "call, 40 tools in turn", floor: "a hand-written match, serde derive", run: in_turn },
    Comparison { name: "call, 4 of 5 to repair", floor: "the same match, right arguments", run: almost },
    Comparison { name: "call, a pattern, two formats", floor: "the same tool without them", run: guarded::call },
    Comparison { name: "call, 1,000 tools to choose from", floor: "ours with 40 tools", run: many },
    Comparison { name: "definitions, unchanged turn", floor: "none", run: unchanged },
    Comparison { name: "definitions, other facts", floor: "a copy of the same bytes", run: uncached },
    Comparison { name: "definitions, new session", floor: "a copy of the same bytes", run: fresh },
    Comparison { name: "10,000 tools, unchanged turn", floor: "none", run: living::unchanged },
    Comparison { name: "10,000 tools, new session", floor: "a copy of the same bytes", run: living::fresh },
    Comparison { name: "10,000 tools, one replaced", floor: "a copy of the same bytes", run: living::changed },
    Comparison { name: "one more of 10,000, and less", floor: "the same in an empty registry", run: living::one_more },
    Comparison { name: "10,000 added one by one", floor: "all of them added together", run: living::all },
    Comparison { name: "search among 10,000", floor: "a look for two words in every text", run: finding::search },
    Comparison { name: "bridged call, 1,000 tools", floor: "the same, not bridged", run: finding::bridged },
    Comparison { name: "cold start to definitions", floor: "a process that joins 40 static texts", run: cold },
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some(COLD_OURS) => return println!("{}", ours::turn(&ours::registry()).definitions().len()),
        Some(COLD_FLOOR) => return println!("{}", joined().len()),
        _ => {}
    }
    let quick = args.iter().any(|arg| arg == "--quick");
    let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let budget = Duration::from_millis(if quick { 1_500 } else { 8_000 });
    println!("{:32}{:>10}{:>10}{:>9}   the floor", "", "ours", "floor", "ratio");
    for Comparison { name, floor, run } in COMPARISONS {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            let timings = run(budget);
            let held = timings.get(1).map(|held| (time(held.time), format!("{:.2} x", held.ratio)));
            let (held, ratio) = held.unwrap_or(("-".into(), "-".into()));
            println!("{name:32}{:>10}{held:>10}{ratio:>9}   {floor}", time(timings[0].time));
        }
    }
}

fn right(budget: Duration) -> Vec<Timing> {
    let turn = ours::turn(&ours::registry());
    assert_eq!(ours::call(&turn, "trivial", RIGHT).json, floor::call("trivial", RIGHT).expect("right arguments"));
    compare(
        budget,
        || ours::call(black_box(&turn), black_box("trivial"), black_box(RIGHT)),
        || floor::call(black_box("trivial"), black_box(RIGHT)),
    )
}

/// Measures calls of every tool, one after the other: branch predictors and caches see more than one tool's code.
fn in_turn(budget: Duration) -> Vec<Timing> {
    let turn = ours::turn(&ours::registry());
    let calls = sample::calls(turn.definitions());
    assert_eq!(calls.len(), 40);
    for (name, arguments) in &calls {
        assert_eq!(
            ours::call(&turn, name, arguments).json,
            floor::call(name, arguments).expect("right arguments"),
            "{name}"
        );
    }
    let (mut ours, mut floor) = (calls.iter().cycle(), calls.iter().cycle());
    compare(
        budget,
        || {
            let (name, arguments) = next_of(&mut ours);
            ours::call(black_box(&turn), black_box(name), black_box(arguments))
        },
        || {
            let (name, arguments) = next_of(&mut floor);
            floor::call(black_box(name), black_box(arguments))
        },
    )
}

fn next_of<'c>(calls: &mut Cycle<Iter<'c, (String, String)>>) -> &'c (String, String) {
    calls.next().expect("there are 40 calls")
}

fn almost(budget: Duration) -> Vec<Timing> {
    let turn = ours::turn(&ours::registry());
    assert_eq!(ours::call(&turn, "trivial", ALMOST).json, floor::call("trivial", MENDED).expect("right arguments"));
    compare(
        budget,
        || ours::call(black_box(&turn), black_box("trivial"), black_box(ALMOST)),
        || floor::call(black_box("trivial"), black_box(MENDED)),
    )
}

fn many(budget: Duration) -> Vec<Timing> {
    let (few, registry) = (ours::turn(&ours::registry()), ours::registry());
    registry.add(Box::new(ours::Listed::at_run_time(960))).expect("these names are free");
    let many = ours::turn(&registry);
    assert_eq!((few.tools().count(), many.tools().count()), (40, 1_000));
    assert_eq!(ours::call(&many, "trivial", RIGHT), ours::call(&few, "trivial", RIGHT));
    compare(
        budget,
        || ours::call(black_box(&many), black_box("trivial"), black_box(RIGHT)),
        || ours::call(black_box(&few), black_box("trivial"), black_box(RIGHT)),
    )
}

fn unchanged(budget: Duration) -> Vec<Timing> {
    let session = ours::registry().session().build().expect("everything can be enabled");
    assert_eq!(session.turn_blocking(Dialect::OpenAi).definitions(), joined());
    rounds(budget, &mut [side(|| black_box(&session).turn_blocking(Dialect::OpenAi).definitions().len())])
}

/// Measures turns that must be rendered: a fact on which two of the 40 tools depend changes each time.
fn uncached(budget: Duration) -> Vec<Timing> {
    let session = ours::registry().session().build().expect("everything can be enabled");
    let turn = |vision: bool| {
        session.set_facts([("vision".into(), vision.into())]).expect("the fact is known");
        session.turn_blocking(Dialect::OpenAi)
    };
    let texts = [false, true].map(|vision| turn(vision).definitions().to_owned());
    assert_eq!(texts[0], joined());
    assert!(texts[1].contains("picture") && !texts[0].contains("\"picture\""));
    let (mut ours, mut floor) = (false, false);
    let flip = |flag: &mut bool| {
        *flag = !*flag;
        *flag
    };
    compare(budget, || turn(black_box(flip(&mut ours))), || copy(black_box(&texts[usize::from(flip(&mut floor))])))
}

fn fresh(budget: Duration) -> Vec<Timing> {
    let registry = ours::registry();
    let text = ours::turn(&registry).definitions().to_owned();
    assert_eq!(text, joined());
    compare(budget, || ours::turn(black_box(&registry)), || copy(black_box(&text)))
}

fn cold(budget: Duration) -> Vec<Timing> {
    let program = std::env::current_exe().expect("failed to find this program");
    let start = |argument: &str| {
        let output = Command::new(&program).arg(argument).output().expect("failed to start this program again");
        assert!(output.status.success(), "{argument}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert_eq!(start(COLD_OURS), start(COLD_FLOOR));
    compare(budget, || start(COLD_OURS), || start(COLD_FLOOR))
}

fn compare<A, B>(budget: Duration, ours: impl FnMut() -> A, floor: impl FnMut() -> B) -> Vec<Timing> {
    rounds(budget, &mut [side(ours), side(floor)])
}

fn copy(text: &str) -> String {
    let mut copy = String::with_capacity(text.len());
    copy.push_str(text);
    copy
}

/// Returns the definitions as joined static texts, with every tool available and default facts.
fn joined() -> String {
    let provider = ours::provider();
    let mut tools: Vec<_> = provider.tools().iter().zip(provider.definitions(Dialect::OpenAi)).collect();
    tools.sort_unstable_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    let mut text = String::new();
    for (tool, definition) in tools {
        text.push(if text.is_empty() { '[' } else { ',' });
        let segments = definition.as_ref().map_or(&[][..], |definition| &definition.segments);
        let holds = |atom: &Atom| u16::from(matches!(atom, Atom::Tool(_)));
        let atoms = tool.atoms.iter().enumerate().map(|(index, atom)| holds(atom) << index).sum();
        segment::render(segments, atoms, &[], &mut text);
    }
    text.push(']');
    text
}
