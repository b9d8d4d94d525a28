//! toolc compared with other Rust libraries for LLM tools, as ratios from one run: `cargo xtask bench --peers`.
//!
//! All have the same 40 tools. `--quick` makes the run short; `--builds` also measures the smallest programs, which takes minutes. No
//! benchmark fails because it is slow. Before timing, the program checks that all sides return the same results.

#[path = "../smallest/answer.rs"]
mod answer;
mod builds;
#[path = "../../speed/benches/floor/mod.rs"]
mod floor;
#[path = "../../speed/benches/handler/mod.rs"]
mod handler;
#[path = "../../speed/benches/harness/mod.rs"]
mod harness;
#[allow(dead_code, reason = "toolc's own benchmark needs more of it")]
#[path = "../../speed/benches/ours/mod.rs"]
mod ours;
#[path = "../../benches/processor/mod.rs"]
mod processor;
#[path = "../smallest/ready.rs"]
mod ready;
mod sides;
mod table;
#[allow(dead_code, reason = "what counts is that the fields are read from JSON")]
mod tools;

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use harness::{Timing, rounds, side, time};
use sides::Side;

const ARGUMENTS: &str =
    r#"{"query":"open invoices","limit":25,"recursive":true,"sort":"newest","tags":["red","blue"]}"#;

/// Hidden arguments with which this program starts itself to measure the first registration of one side's tools.
const FIRST: &str = "--first";
const LIST: &str = "list";

struct Library {
    name: &'static str,
    new: fn() -> Box<dyn Side>,
}

/// toolc is first, since all ratios refer to it; then come the floor and the peers.
const LIBRARIES: [Library; 5] = [
    Library { name: "toolc", new: || Box::new(sides::toolc::Toolc::new()) },
    Library { name: "floor", new: || Box::new(sides::floor::ByHand) },
    Library { name: "llm-tool", new: || Box::new(sides::llm_tool::LlmTool::new()) },
    Library { name: "rmcp", new: || Box::new(sides::rmcp::Rmcp::new()) },
    Library { name: "rig", new: || Box::new(sides::rig::Rig::new()) },
];
const FLOOR: usize = 1;
const PEERS: usize = 2;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, what] = args.as_slice()
        && flag == FIRST
    {
        return println!("{}", first(name, what == LIST));
    }
    let has = |flag| args.iter().any(|arg| arg == flag);
    table::head(&LIBRARIES.map(|library| library.name));
    let sides = LIBRARIES.map(|library| (library.new)());
    check(&sides);
    timings(&sides, Duration::from_millis(if has("--quick") { 2_000 } else { 15_000 }));
    if has("--builds") {
        builds::measure(&LIBRARIES.map(|library| library.name));
    }
}

/// Asserts that all sides have the same tools and return the same results.
fn check(sides: &[Box<dyn Side>]) {
    let mut lists = Vec::new();
    for (side, Library { name, .. }) in sides.iter().zip(LIBRARIES) {
        assert_eq!(side.call(ARGUMENTS), sides[FLOOR].call(ARGUMENTS), "{name}");
        side.list(&mut |text| lists.push(text.to_owned()));
        let tools: Vec<serde_json::Value> = serde_json::from_str(&lists[lists.len() - 1]).expect("a list is JSON");
        assert_eq!(tools.len(), 40, "{name}");
    }
    assert_eq!(lists[0], lists[FLOOR]);
    table::row("bytes of the list", lists.iter().map(|list| Some((list.len().to_string(), None))));
}

fn timings(sides: &[Box<dyn Side>], budget: Duration) {
    let list = |at: usize| side(move || sides[at].list(&mut look));
    let peers = PEERS..sides.len();

    let mut all = vec![list(0)];
    all.extend(peers.clone().map(list));
    print("list, nothing has changed", &rounds(budget, &mut all), false);

    let (changing, mut vision) = (sides::toolc::Toolc::new(), false);
    let mut all = vec![side(move || {
        vision = !vision;
        changing.set_vision(vision);
        changing.list(&mut look);
    })];
    all.extend((FLOOR..sides.len()).map(list));
    print("list, a fact has changed", &rounds(budget, &mut all), true);

    let call = |at: usize| side(move || sides[at].call(black_box(ARGUMENTS)));
    print("call", &rounds(budget, &mut (0..sides.len()).map(call).collect::<Vec<_>>()), true);

    let mut all: Vec<_> = [0].into_iter().chain(peers).map(|at| again(LIBRARIES[at].name, "")).collect();
    print("first registry", &rounds(budget, &mut all), false);
    let mut all: Vec<_> = LIBRARIES.iter().map(|library| again(library.name, LIST)).collect();
    print("first registry and list", &rounds(budget, &mut all), true);
}

/// Registers one side's tools in a new process.
fn again(name: &'static str, what: &'static str) -> harness::Side<'static> {
    let program = std::env::current_exe().expect("failed to find this program");
    Box::new(move || {
        let output = Command::new(&program).args([FIRST, name, what]).output().expect("failed to start this program");
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
    })
}

/// Returns the nanoseconds for the work that a process does once: it registers the tools and, optionally, shows the list.
fn first(name: &str, list: bool) -> u128 {
    let library = LIBRARIES.iter().find(|library| library.name == name).expect("one of the sides");
    let start = Instant::now();
    let side = (library.new)();
    if list {
        side.list(&mut look);
    }
    start.elapsed().as_nanos()
}

/// Returns how often toolc does the same in the time of each other side.
fn print(name: &str, timings: &[Timing], floor: bool) {
    let mut cells: Vec<_> = timings.iter().map(|timing| Some((time(timing.time), Some(1.0 / timing.ratio)))).collect();
    if !floor {
        cells.insert(FLOOR, None);
    }
    table::row(name, cells);
}

fn look(text: &str) {
    black_box(text.len());
}
