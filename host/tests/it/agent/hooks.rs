//! The hooks of plugins in everything that makes calls: an agent, a single call, a script, an MCP server.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc_test_support::skip;

use crate::agent::{environment, folder, run, script};

/// Writes a plugin into the home folder. `program` is a script of `sh`, which finds the request in `$request`.
pub(super) fn plugin(folder: &Path, name: &str, manifest: &str, program: &str) {
    let plugin = folder.join("home/plugins").join(name);
    // The program can write only there.
    fs::create_dir_all(plugin.join("data")).expect("failed to make a folder");
    fs::write(plugin.join("plugin.toml"), format!("executable = \"run\"\n{manifest}")).expect("failed to write");
    let run = plugin.join("run");
    let program = format!(
        "#!/bin/sh\nread -r request\ndata=${{0%/*}}/data\nprintf '%s\\n' \"$request\" >> \"$data/seen\"\n{program}\n"
    );
    fs::write(&run, program).expect("failed to write");
    for (path, mode) in [(&plugin, 0o700), (&run, 0o700), (&plugin.join("plugin.toml"), 0o600)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("failed to set the mode");
    }
}

/// Returns the requests that the program of a plugin has read.
pub(super) fn seen(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("home/plugins").join(name).join("data/seen")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// A hook that refuses to read `b.txt`, and reads `a.txt` instead of `c.txt`.
const GUARD: &str = "[hooks.before]\ntoolsets = [\"file\"]\ntimeout = \"1m\"\n";
const GUARD_PROGRAM: &str = r#"case $request in
*'"path":"b.txt"'*) echo '{"result": {"refuse": "b is private"}}' ;;
*'"path":"c.txt"'*) echo '{"result": {"arguments": {"path": "a.txt"}}}' ;;
*) echo '{"result": "allow"}' ;;
esac"#;

fn read(path: &str) -> Value {
    json!({ "name": "read_file", "arguments": { "path": path } })
}

#[test]
fn the_calls_of_an_agent_are_refused_and_rewritten() {
    let folder = folder();
    plugin(folder.path(), "guard", GUARD, GUARD_PROGRAM);
    plugin(
        folder.path(),
        "log",
        "[hooks.after]\ntoolsets = [\"all\"]\ntimeout = \"1m\"\n",
        "echo '{\"result\": null}'",
    );
    plugin(folder.path(), "broken", "[hooks.before]\ntools = [\"read_file\"]\ntimeout = \"1m\"\n", "exit 3");
    let calls = [read("a.txt"), read("b.txt"), read("c.txt")];
    let model = script(folder.path(), "answers", &[json!({ "text": "", "calls": calls }), json!({ "text": "done" })]);
    let ran = run(folder.path(), &["agent", "Go", "--json", "--model", &model], &[]);
    assert_eq!(ran.status, Some(0), "{} {}", ran.out, ran.err);
    let events = ran.events();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    let mut ends: Vec<&Value> = of("call_ends");
    // The calls run at the same time, and their ids have their order.
    ends.sort_by_key(|event| event["id"].to_string());
    assert!(ends[0]["json"].as_str().is_some_and(|json| json.contains("alpha")), "{ends:?}");
    assert_eq!(ends[1]["error"], "blocked");
    assert!(ends[1]["json"].as_str().is_some_and(|json| json.contains("b is private")), "{ends:?}");
    assert!(ends[2]["json"].as_str().is_some_and(|json| json.contains("alpha")), "{ends:?}");
    // The report shows the arguments that were run.
    let mut begins: Vec<&str> =
        of("call_begins").iter().filter_map(|event| event["arguments"]["path"].as_str()).collect();
    begins.sort_unstable();
    assert_eq!(begins, ["a.txt", "a.txt", "b.txt"]);
    let notices: Vec<&str> = of("notice").iter().filter_map(|event| event["text"].as_str()).collect();
    let warning = "the hook `before` of the plugin `broken` failed for a call of `read_file`: the plugin `broken` failed: exit status 3";
    assert_eq!(notices, [warning; 3], "{}", ran.out);
    let log = seen(folder.path(), "log");
    let blocked = log.iter().filter(|request| request["error"]["kind"] == "blocked").count();
    assert_eq!((log.len(), blocked), (3, 1), "the program waits for the hooks");
}

#[test]
fn a_single_call_has_hooks_and_the_doctor_lists_them() {
    let folder = folder();
    plugin(folder.path(), "guard", &format!("{GUARD}required = true\n"), GUARD_PROGRAM);
    let call = |path: &str| run(folder.path(), &["call", "read_file", &format!("path={path}")], &[]);
    assert!(call("a.txt").out.contains("alpha"));
    assert!(call("b.txt").out.contains("b is private"));
    assert!(call("c.txt").out.contains("alpha"));
    let doctor = run(folder.path(), &["doctor"], &[]);
    assert!(doctor.out.contains("required hook `before` for the toolset file"), "{}", doctor.out);
    plugin(folder.path(), "guard", &format!("{GUARD}required = true\n"), "exit 3");
    let failed = call("a.txt");
    assert!(
        failed.out.contains("hook_failed") && failed.err.contains("exit status 3"),
        "{} {}",
        failed.out,
        failed.err
    );
    plugin(folder.path(), "guard", GUARD, "exit 3");
    let ignored = call("a.txt");
    assert!(ignored.out.contains("alpha"), "{}", ignored.out);
    assert!(ignored.err.contains("warning: the hook `before` of the plugin `guard` failed"), "{}", ignored.err);
}

#[test]
fn a_rewritten_command_is_judged() {
    let folder = folder();
    let rewrite = "echo '{\"result\": {\"arguments\": {\"command\": \"rm -rf build\"}}}'";
    plugin(folder.path(), "guard", "[hooks.before]\ntools = [\"terminal\"]\ntimeout = \"1m\"\n", rewrite);
    let call = run(folder.path(), &["call", "terminal", "command=ls", "--approval", "deny"], &[]);
    assert_eq!(call.status, Some(1), "{}", call.out);
    assert!(folder.path().join("build/old").exists());
}

#[test]
fn the_calls_of_a_script_have_hooks() {
    let folder = folder();
    plugin(folder.path(), "guard", GUARD, GUARD_PROGRAM);
    let code = "code=import toolc_tools\nprint(toolc_tools.read_file('a.txt'))\ntoolc_tools.read_file('b.txt')";
    let call = run(folder.path(), &["call", "execute_code", code, "--approval", "off"], &[]);
    if seen(folder.path(), "guard").is_empty() {
        return skip(format!("scripts do not run here: {}", call.out), "the program `python3`");
    }
    assert!(call.out.contains("alpha") && call.out.contains("b is private"), "{} {}", call.out, call.err);
}

/// An MCP server, which runs as long as its input is open.
struct Server {
    process: Child,
    input: ChildStdin,
}

/// Starts a server, and returns it with its answer to a call that reads a file.
fn serve(folder: &Path, file: &str) -> (Server, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolc"));
    environment(command.args(["mcp", "serve", "--tool", "read_file"]), folder, &[]);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start");
    let client = json!({ "name": "t", "version": "1" });
    let version = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": version }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": read(file) }),
    ];
    let mut input = process.stdin.take().expect("it is a pipe");
    for message in messages {
        writeln!(input, "{message}").expect("the server reads");
    }
    let mut lines = BufReader::new(process.stdout.take().expect("it is a pipe")).lines().map_while(Result::ok);
    let answer = lines.find(|line| line.contains("\"id\":2")).expect("it answers");
    (Server { process, input }, answer)
}

#[test]
fn the_calls_of_an_mcp_client_have_hooks() {
    let folder = folder();
    plugin(folder.path(), "guard", GUARD, GUARD_PROGRAM);
    let (Server { mut process, input }, answer) = serve(folder.path(), "b.txt");
    assert!(answer.contains("b is private"), "{answer}");
    drop(input);
    process.wait().expect("it ends with its input");
}

#[test]
fn a_program_that_stays_running_ends_with_a_host_that_is_killed() {
    let folder = folder();
    // It ignores the end of its input.
    let program = "echo $$ > \"$data/pid\"; echo '{\"id\": 1, \"result\": \"allow\"}'; sleep 600";
    plugin(folder.path(), "guard", &format!("resident = true\n{GUARD}"), program);
    let (mut server, answer) = serve(folder.path(), "a.txt");
    assert!(answer.contains("alpha"), "{answer}");
    let pid = fs::read_to_string(folder.path().join("home/plugins/guard/data/pid")).expect("it has run");
    let process = Path::new("/proc").join(pid.trim());
    assert!(process.exists(), "it stays running");
    server.process.kill().expect("it runs");
    server.process.wait().expect("it ends");
    let began = Instant::now();
    while process.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "the program outlives the host");
        thread::sleep(Duration::from_millis(20));
    }
}
