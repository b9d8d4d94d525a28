//! Measures what a script costs: `cargo bench -p toolc-code`. The same calls of `read_file` are made
//! directly and from a script.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::approval::{ApprovalDecision, approver_fn};
use toolc::{Dialect, Env, Registry, ToolCall, Turn};
use toolc_agent::TodoHandlers;
use toolc_catalog::Handlers;
use toolc_code::{CodeHandlers, Limits};
use toolc_files::FileHandlers;
use toolc_terminal::TerminalHandlers;
use toolc_workspace::Workspace;

/// The number of calls of one round.
const CALLS: u32 = 1000;
const ROUNDS: usize = 5;

/// Makes the calls, and returns the seconds that they took. No call is equal to one of the last three, which would be refused.
const SCRIPT: &str = "import time\n\
    start = time.perf_counter()\n\
    for n in range(CALLS): toolc_tools.read_file('a.txt', limit=n % 1000 + 1)\n\
    time.perf_counter() - start";

fn main() {
    let folder = tempfile::TempDir::new().expect("failed to make a folder");
    std::fs::write(folder.path().join("a.txt"), "one line\n").expect("failed to write");
    let workspace = Workspace::new(folder.path());
    let limits = Limits { calls: usize::MAX, ..Limits::default() };
    let provider = toolc_catalog::provider(Handlers {
        code: CodeHandlers::new(&workspace).limits(limits),
        file: FileHandlers::new(workspace.clone()),
        terminal: TerminalHandlers::new(workspace),
        todo: TodoHandlers,
    });
    let registry = Registry::new();
    registry.add(provider).expect("the shipped tools");
    let approver = approver_fn(|_| ApprovalDecision::AllowOnce);
    let env = Env::empty().with_program("python3").with_program("sh");
    let session = registry.session().env(env).approver(approver).build().expect("a session");
    let turn = session.turn_blocking(Dialect::OpenAi);

    let first = Instant::now();
    let Some(_) = script(&turn, "1") else {
        println!("skipped: scripts need `python3`");
        return;
    };
    println!("first script, with the start of the interpreter: {:.1} ms", first.elapsed().as_secs_f64() * 1e3);
    let again = fastest(|| timed(|| drop(script(&turn, "1"))));
    println!("later script, without calls:                     {:.0} µs", micros(again));
    let direct = fastest(|| timed(|| (0..CALLS).for_each(|n| read(&turn, n)))) / CALLS;
    let code = SCRIPT.replace("CALLS", &CALLS.to_string());
    let by_script = fastest(|| {
        let seconds =
            script(&turn, &code).and_then(|seconds| seconds.parse().ok()).expect("the script returns seconds");
        Duration::from_secs_f64(seconds)
    }) / CALLS;
    println!("direct call of read_file:                        {:.1} µs", micros(direct));
    println!("the same call from a script:                     {:.1} µs", micros(by_script));
    let overhead = by_script.saturating_sub(direct);
    println!(
        "overhead of the script:                          {:.1} µs, {:.1} times the direct call",
        micros(overhead),
        overhead.as_secs_f64() / direct.as_secs_f64()
    );
}

/// Runs a script, and returns the value of its last expression.
fn script(turn: &Turn, code: &str) -> Option<String> {
    let arguments = json!({ "code": code }).to_string();
    let response = turn.call_blocking(&ToolCall::new("execute_code", &arguments));
    let value: Value = serde_json::from_str(&response.json).expect("a response is JSON");
    value["result"].as_str().map(str::to_owned)
}

fn read(turn: &Turn, n: u32) {
    let arguments = json!({ "path": "a.txt", "offset": 1, "limit": n % 1000 + 1 }).to_string();
    let response = turn.call_blocking(&ToolCall::new("read_file", &arguments));
    assert!(!response.is_error(), "{}", response.json);
    // Scripts get values, too.
    std::hint::black_box(serde_json::from_str::<Value>(&response.json).expect("a response is JSON"));
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn fastest(mut round: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
