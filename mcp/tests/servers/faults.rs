//! Servers that do not behave: no call hangs, other servers are not affected, and memory is bounded.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use toolc::{Dialect, ToolCall};
use toolc_mcp::{ServerState, Transport};

use crate::fixture::{Fixture, PATIENCE, error, has_python, is_connected, server};

#[test]
fn a_dead_server_neither_delays_nor_hides_the_others() {
    if !has_python() {
        return;
    }
    let (mut silent, mut mute) = (server("silent", &["silent"]), server("mute", &["mute"]));
    silent.start_timeout = Duration::from_millis(1500);
    mute.start_timeout = Duration::from_millis(1500);
    let mut absent = server("absent", &[]);
    absent.transport = Transport::Stdio {
        command: "/nonexistent/server".to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        directory: None,
    };
    let fixture = Fixture::starting([server("good", &[]), silent, mute, server("dead", &["dead"]), absent]);
    let good = fixture.wait_for("good", is_connected);
    assert!(!good.has_problem(), "{good}");
    assert_eq!(fixture.call("mcp__good__echo", &json!({ "text": "a" })), json!("a"));
    fixture.servers.wait_until_started();
    let problem = |name: &str| {
        let report = fixture.wait_for(name, |report| report.problem.is_some());
        assert_ne!(report.state, ServerState::Connected, "{report}");
        report.problem.unwrap_or_default()
    };
    assert!(problem("silent").contains("did not list its tools within 1.5 s"), "{}", problem("silent"));
    assert!(problem("mute").contains("did not list its tools within 1.5 s"), "{}", problem("mute"));
    let dead = problem("dead");
    assert!(dead.contains("exit status: 2; its stderr: cannot start: the key [secret] is wrong"), "{dead}");
    assert_eq!(problem("absent"), "failed to start `/nonexistent/server`: the program does not exist");
    assert_eq!(fixture.report("absent").state, ServerState::Failed, "another try would fail, too");
    fixture.wait_for("dead", |report| report.state == ServerState::Failed);
}

#[test]
fn a_server_that_died_is_started_again() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[]), server("other", &[]), server("once", &["once"])]);
    let died = fixture.call("mcp__s__die", &json!({}));
    assert_eq!(
        error(&died),
        "the MCP server `s` ended during the call, which may have had an effect: check before you repeat it"
    );
    // The next call waits for the new start.
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "back" })), json!("back"));
    assert!(error(&fixture.call("mcp__s__half", &json!({}))).contains("ended during the call"));
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "again" })), json!("again"));
    assert_eq!(fixture.call("mcp__other__echo", &json!({ "text": "here" })), json!("here"));
    let once = fixture.wait_for("once", is_connected);
    assert!(!once.has_problem(), "{once}");
}

#[test]
fn a_server_that_always_dies_is_given_up_with_the_reason() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[]), server("other", &[])]);
    for _ in 0..6 {
        let died = fixture.call("mcp__s__die", &json!({}));
        assert!(error(&died).contains("ended during the call"), "{died}");
    }
    let report = fixture.wait_for("s", |report| report.state == ServerState::Failed);
    let problem = report.problem.unwrap_or_default();
    assert_eq!(problem, "the server ended: exit status: 3; its stderr: the key is [secret]");
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    assert!(!turn.tools().any(|tool| tool.starts_with("mcp__s__")), "its tools are hidden");
    let reason = turn.why("mcp__s__echo").expect("it is known").to_string();
    assert!(reason.contains("exit status: 3"), "{reason}");
    assert_eq!(fixture.call("mcp__other__echo", &json!({ "text": "here" })), json!("here"));
}

#[test]
fn unreadable_answers_are_errors_and_the_server_goes_on() {
    if !has_python() {
        return;
    }
    let mut settings = server("s", &[]);
    settings.call_timeout = Duration::from_secs(20);
    let mut hasty = server("hasty", &[]);
    hasty.call_timeout = Duration::from_millis(300);
    let fixture = Fixture::new([settings, hasty]);
    let long = fixture.call("mcp__s__long", &json!({}));
    assert!(error(&long).contains("cannot be read: it is longer than 16 MiB"), "{long}");
    for (form, problem) in [
        (json!({}), "it has neither `result` nor `error`"),
        (json!({ "result": 7 }), "its `result` is not an object"),
        (json!({ "result": { "content": 7 } }), "its `content` is not a list"),
        (json!({ "result": { "content": [], "isError": "no" } }), "its `isError` has the wrong type"),
        (json!({ "result": { "tools": [] } }), "it is not the result of a call"),
    ] {
        let answer = fixture.call("mcp__s__no-answer-form", &json!({ "form": form }));
        let expected = format!("the MCP server `s` gave an answer that cannot be read: {problem}");
        assert!(error(&answer).starts_with(&expected), "{form}: {answer}");
    }
    let other = fixture.call("mcp__hasty__other-id", &json!({}));
    assert_eq!(other["kind"], "timeout", "an answer to another request is not one to this");
    for name in ["s", "hasty"] {
        assert_eq!(fixture.call(&format!("mcp__{name}__echo"), &json!({ "text": "on" })), json!("on"));
        assert!(is_connected(&fixture.report(name)));
    }
    assert!(memory() < 400 << 20, "{} MiB", memory() >> 20);
}

/// Returns the greatest resident memory of this process so far, in bytes.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() << 10
}

#[test]
fn a_flood_of_messages_neither_blocks_calls_nor_fills_memory() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("flood", &["flood"]), server("other", &[])]);
    for number in 0..20 {
        let text = number.to_string();
        assert_eq!(fixture.call("mcp__flood__echo", &json!({ "text": text })), json!(text));
        assert_eq!(fixture.call("mcp__other__echo", &json!({ "text": text })), json!(text));
    }
    assert!(memory() < 400 << 20, "{} MiB", memory() >> 20);
}

#[test]
fn a_server_that_does_not_read_blocks_only_its_own_calls() {
    if !has_python() {
        return;
    }
    let mut deaf = server("deaf", &["deaf"]);
    deaf.call_timeout = Duration::from_millis(500);
    let fixture = Fixture::new([deaf, server("other", &[])]);
    let (large, started) = ("x".repeat(1 << 20), Instant::now());
    for _ in 0..4 {
        assert_eq!(fixture.call("mcp__deaf__echo", &json!({ "text": large }))["kind"], "timeout");
        assert_eq!(fixture.call("mcp__other__echo", &json!({ "text": "a" })), json!("a"));
    }
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn ten_thousand_tools_are_cut_off_and_reported() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("many", &["many"]), server("endless", &["pages", "endless"])]);
    let many = fixture.report("many");
    assert_eq!(many.tools.len(), 1000);
    assert!(matches!(many.left_out.as_slice(), [one] if one.reason.contains("at most 1000")), "{:?}", many.left_out);
    let endless = fixture.report("endless");
    assert!(endless.left_out.iter().any(|tool| tool.reason.contains("repeats a page")), "{endless}");
    assert_eq!(fixture.call("mcp__endless__echo", &json!({ "text": "a" })), json!("a"));
}

#[test]
fn hostile_definitions_are_left_out_with_the_reason_and_the_others_work() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &["hostile"])]);
    let report = fixture.report("s");
    let mut names = fixture.own_names("s");
    names.sort();
    assert_eq!(names, ["a__b", "dotted.name", "good", "missing", "recursive", &"x".repeat(100)], "{report}");
    for (tool, reason) in [
        ("good", "has listed a tool of this name before"),
        ("deep", "nested deeper than 64 levels"),
        ("deeper", "nested deeper than 64 levels"),
        ("no-schema", "must have"),
        ("list", "must have"),
        ("huge", "bytes, more than"),
        ("?", "has no name"),
    ] {
        let found = report.left_out.iter().any(|left_out| left_out.tool == tool && left_out.reason.contains(reason));
        assert!(found, "{tool}: {reason}: {report}");
    }
    assert_eq!(
        fixture.call("mcp__s__good", &json!({ "text": "a" }))["error"],
        "the MCP server `s` refused the call: unknown tool: good"
    );
    for dialect in Dialect::ALL {
        let turn = fixture.session().turn_blocking(*dialect);
        for tool in turn.tools() {
            assert!(tool.len() <= 64, "{dialect:?}: {tool}");
        }
    }
}

#[test]
fn a_tool_that_can_only_be_called_as_a_task_is_left_out_with_the_reason() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &["tasks"])]);
    let report = fixture.report("s");
    let [left_out] = report.left_out.as_slice() else { panic!("{report}") };
    assert_eq!(left_out.tool, "task");
    assert!(left_out.reason.contains("only be called as a task"), "{report}");
    assert!(fixture.own_names("s").contains(&"task-or-call".to_owned()), "{report}");
}

#[test]
fn a_server_that_refuses_to_start_says_why() {
    if !has_python() {
        return;
    }
    let mut nowhere = server("nowhere", &[]);
    let Transport::Stdio { directory, .. } = &mut nowhere.transport else { panic!("it is a program") };
    *directory = Some("/nonexistent".into());
    let program = |command: &str| Transport::Stdio {
        command: command.to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        directory: None,
    };
    let mut unknown = server("unknown", &[]);
    unknown.transport = program("no-such-program-of-this-name");
    let fixture = Fixture::new([server("refuses", &["refuses"]), nowhere, unknown]);
    let problem = |name: &str| fixture.report(name).problem.unwrap_or_default();
    assert_eq!(
        problem("refuses"),
        "the server refuses `server/discover` (Method not found, code -32601) and `initialize` (the license of [secret] is over, code \
         -32000); its stderr: no license\\u{1b}[2J"
    );
    assert_eq!(problem("nowhere"), "failed to start `python3`: its directory /nonexistent does not exist");
    assert_eq!(
        problem("unknown"),
        "failed to start `no-such-program-of-this-name`: no program of this name is in `PATH`"
    );
}

#[test]
fn fifty_servers_are_started_at_once() {
    if !has_python() {
        return;
    }
    let started = Instant::now();
    let fixture = Fixture::new((0..50).map(|number| server(&format!("s{number}"), &[])));
    let took = started.elapsed();
    assert!(fixture.servers.reports().iter().all(is_connected), "{:?}", fixture.servers.reports());
    assert_eq!(fixture.call("mcp__s49__echo", &json!({ "text": "a" })), json!("a"));
    // One after the other, they would each take the time that one takes.
    let one = fixture.report("s0").start_ms.unwrap_or_default();
    println!("50 servers were started in {took:?}, and the first in {one} ms");
    assert!(took < PATIENCE);
}

#[test]
fn a_call_through_the_client_costs_little_more_than_a_direct_one() {
    const CALLS: u32 = 200;
    if !has_python() {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture/server.py");
    let mut command = Command::new("python3");
    command.arg("-u").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut direct = command.spawn().expect("failed to start the server");
    let (mut input, output) = (direct.stdin.take().expect("a pipe"), direct.stdout.take().expect("a pipe"));
    let mut lines = BufReader::new(output).lines();
    let params = json!({ "name": "echo", "arguments": { "text": "a" } });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut ask = || {
        writeln!(input, "{request}").expect("it reads");
        lines.next().expect("it answers").expect("it is text")
    };
    let fixture = Fixture::new([server("s", &[])]);
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let call = || turn.call_blocking(&ToolCall::new("mcp__s__echo", r#"{"text":"a"}"#)).json;
    assert!(ask().contains("\"a\"") && call() == "\"a\"");
    let timed = |work: &mut dyn FnMut()| {
        let started = Instant::now();
        (0..CALLS).for_each(|_| work());
        started.elapsed() / CALLS
    };
    let (alone, through) = (timed(&mut || drop(ask())), timed(&mut || drop(call())));
    println!("a direct call takes {alone:?}, and one through the client {through:?}");
    assert!(through < alone + Duration::from_millis(20), "{alone:?} {through:?}");
    let _ = direct.kill();
    let _ = direct.wait();
}

#[test]
fn a_thousand_concurrent_calls_are_all_answered() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[])]);
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let answered: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20)
            .map(|thread| {
                let turn = &turn;
                scope.spawn(move || {
                    let text = |number: usize| format!("{thread}-{number}");
                    let is_answered = |number: &usize| {
                        let arguments = json!({ "text": text(*number) }).to_string();
                        let response = turn.call_blocking(&ToolCall::new("mcp__s__echo", &arguments));
                        response.json == format!("\"{}\"", text(*number))
                    };
                    (0..50).filter(is_answered).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(answered, 1000);
}
