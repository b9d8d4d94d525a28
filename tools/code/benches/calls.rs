//! Measures what a script costs: `cargo bench -p toolc-code`. The same calls of `read_file` are made directly and from a script, both
//! in toolc and in `python/host.py`, which has the mechanism of the Python system that toolc replaces. The difference is the overhead
//! of the script.

#[cfg(unix)]
#[path = "../src/tests/remote.rs"]
mod remote;

#[cfg(not(unix))]
fn main() {
    println!("skipped: scripts need Unix");
}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};
    use toolc::approval::{ApprovalDecision, approver_fn};
    use toolc::{Dialect, Env, Registry, ToolCall, Turn};
    use toolc_agent::TodoHandlers;
    use toolc_catalog::Handlers;
    use toolc_code::{CodeHandlers, Limits};
    use toolc_files::FileHandlers;
    use toolc_terminal::TerminalHandlers;
    use toolc_workspace::{Environments, Workspace};

    use crate::remote::RemoteKind;

    const ROUNDS: usize = 5;

    /// Makes the calls, and returns the seconds that they took. Each call differs from the three before it, because a
    /// repeated call would be refused.
    const SCRIPT: &str = "import time\n\
        start = time.perf_counter()\n\
        for n in range(CALLS): toolc_tools.read_file('a.txt', limit=n % 1000 + 1)\n\
        time.perf_counter() - start";

    /// How calls reach the host.
    struct Transport {
        title: &'static str,
        /// The name for the program with the mechanism of the Python system.
        name: &'static str,
        calls: u32,
        rounds: usize,
        /// The kind of environment.
        kind: &'static str,
    }

    const TRANSPORTS: &[Transport] = &[
        Transport { title: "over a socket", name: "socket", calls: 1000, rounds: ROUNDS, kind: "local" },
        Transport {
            title: "over files, in an environment with a shell only",
            name: "files",
            calls: 20,
            rounds: 2,
            kind: "remote",
        },
    ];

    /// The time of a call.
    #[derive(Clone, Copy)]
    struct Times {
        direct: Duration,
        script: Duration,
    }

    impl Times {
        fn overhead(self) -> Duration {
            self.script.saturating_sub(self.direct)
        }
    }

    pub(crate) fn main() {
        let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let Some(python) = python.ok().filter(|output| output.status.success()) else {
            println!("skipped: scripts need `python3`");
            return;
        };
        let python = String::from_utf8_lossy(&python.stdout).trim().to_owned();
        for transport in TRANSPORTS {
            println!("{}:", transport.title);
            let ours = ours(transport);
            let theirs = theirs(&python, transport);
            println!("  direct call of read_file:           {}", shown(ours.direct));
            println!("  the same call from a script:        {}", shown(ours.script));
            println!("  overhead:                           {}", shown(ours.overhead()));
            println!("  overhead in Python's mechanism:     {}", shown(theirs.overhead()));
            if ours.overhead().is_zero() || theirs.overhead().is_zero() {
                println!("  ratio:                              unknown, because the machine is too busy");
                continue;
            }
            let ratio = ours.overhead().as_secs_f64() / theirs.overhead().as_secs_f64();
            println!("  ratio:                              {ratio:.2}");
        }
    }

    fn ours(transport: &Transport) -> Times {
        let folder = folder();
        std::fs::create_dir(folder.path().join("tmp")).expect("failed to make a folder");
        let turn = turn(folder.path(), transport.kind);
        let first = timed(|| drop(script(&turn, "1")));
        println!("  first script, with its interpreter: {}", shown(first));
        let again = fastest(transport.rounds, || timed(|| drop(script(&turn, "1"))));
        println!("  later script, without calls:        {}", shown(again));
        let calls = transport.calls;
        let direct = fastest(transport.rounds, || timed(|| (0..calls).for_each(|n| read(&turn, n)))) / calls;
        let code = SCRIPT.replace("CALLS", &calls.to_string());
        let script = fastest(transport.rounds, || {
            Duration::from_secs_f64(script(&turn, &code).parse().expect("the script returns seconds"))
        });
        Times { direct, script: script / calls }
    }

    /// Runs the program with the mechanism of the Python system.
    fn theirs(python: &str, transport: &Transport) -> Times {
        let folder = folder();
        let host = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/python/host.py");
        let numbers = [transport.calls as usize, transport.rounds].map(|number| number.to_string());
        let output = Command::new(python).arg(host).arg(folder.path()).arg(transport.name).args(numbers).output();
        let output = output.expect("failed to start python");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let times: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        let [direct, script] =
            ["direct", "script"].map(|key| Duration::from_secs_f64(times[key].as_f64().expect("a number")));
        Times { direct, script }
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().expect("failed to make a folder");
        std::fs::write(folder.path().join("a.txt"), "one line\n").expect("failed to write");
        folder
    }

    /// Returns a turn with the shipped tools, which act in an environment of that kind.
    fn turn(folder: &Path, kind: &str) -> Turn {
        let workspace = Workspace::new(folder);
        let limits = Limits { calls: usize::MAX, ..Limits::default() };
        let environments = Environments::local(&workspace).with_kind(RemoteKind).by_default(kind);
        let provider = toolc_catalog::provider(Handlers {
            code: CodeHandlers::new(&workspace).limits(limits).environments(environments.clone()),
            file: FileHandlers::new(workspace.clone()).environments(environments.clone()),
            terminal: TerminalHandlers::new(workspace).environments(environments),
            clarify: toolc_agent::ClarifyHandlers,
            cronjob: toolc_agent::CronjobHandlers,
            kanban: toolc_agent::KanbanHandlers::default(),
            memory: toolc_agent::MemoryHandlers,
            session_search: toolc_agent::SessionSearchHandlers,
            skills: toolc_skills::SkillsHandlers,
            todo: TodoHandlers,
            web: toolc_web::WebHandlers::default(),
        });
        let registry = Registry::new();
        registry.add(provider).expect("the shipped tools");
        let approver = approver_fn(|_| ApprovalDecision::AllowOnce);
        let env = Env::empty().with_program("python3").with_program("sh");
        let session = registry.session().env(env).approver(approver).build().expect("a session");
        session.turn_blocking(Dialect::OpenAi)
    }

    /// Runs a script, and returns the value of its last expression.
    fn script(turn: &Turn, code: &str) -> String {
        let arguments = json!({ "code": code }).to_string();
        let response = turn.call_blocking(&ToolCall::new("execute_code", &arguments));
        let value: Value = serde_json::from_str(&response.json).expect("a response is JSON");
        value["result"].as_str().unwrap_or_else(|| panic!("the script has failed: {value}")).to_owned()
    }

    fn read(turn: &Turn, n: u32) {
        let arguments = json!({ "path": "a.txt", "offset": 1, "limit": n % 1000 + 1 }).to_string();
        let response = turn.call_blocking(&ToolCall::new("read_file", &arguments));
        assert!(!response.is_error(), "{}", response.json);
        // A script also parses the result, so the direct call does the same for a fair comparison.
        std::hint::black_box(serde_json::from_str::<Value>(&response.json).expect("a response is JSON"));
    }

    fn timed(work: impl FnOnce()) -> Duration {
        let start = Instant::now();
        work();
        start.elapsed()
    }

    fn fastest(rounds: usize, mut round: impl FnMut() -> Duration) -> Duration {
        (0..rounds).map(|_| round()).min().unwrap_or_default()
    }

    fn shown(duration: Duration) -> String {
        let micros = duration.as_secs_f64() * 1e6;
        if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.1} ms", micros / 1000.0) }
    }
}
