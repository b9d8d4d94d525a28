//! The shipped tools on another machine, which is this one: a real server of OpenSSH.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_test_support::Missing;
use toolc_test_support::ssh::{Server, server};

/// A folder of this machine with a home of toolc, and a directory on the other machine.
struct Fixture {
    server: &'static Server,
    folder: TempDir,
    there: TempDir,
}

impl Fixture {
    /// Returns a fixture, or `None` if there is no server.
    fn new() -> Option<Self> {
        let server = server().inspect_err(Missing::skip).ok()?;
        let new = || TempDir::new().expect("failed to make a folder");
        let it = Self { server, folder: new(), there: new() };
        fs::create_dir(it.folder.path().join("home")).expect("failed to make a folder");
        it.configure("");
        fs::copy(server.file("known_hosts"), it.folder.path().join("home/known_hosts")).expect("failed to copy");
        Some(it)
    }

    fn configure(&self, more: &str) {
        let (port, key) = (self.server.port, self.server.file("key"));
        let config = format!(
            "[environment]\nkind = \"ssh\"\n[environment.ssh]\nhost = \"127.0.0.1\"\nport = {port}\nkey = '{}'\n\
             directory = '{}'\n{more}",
            key.display(),
            self.there.path().display()
        );
        fs::write(self.folder.path().join("home/config.toml"), config).expect("failed to write");
    }

    fn run(&self, args: &[&str], stdin: Stdio) -> (String, String) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
        program.args(args).current_dir(self.folder.path()).stdin(stdin).env("SECRET_OF_THE_HOST", "a secret");
        program.env("TOOLC_HOME", self.folder.path().join("home")).env("TOOLC_APPROVAL", "deny");
        let Output { stdout, stderr, .. } = program.output().expect("failed to start toolc");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(stdout), text(stderr))
    }

    /// Calls tools in one task, and returns their results.
    fn calls(&self, calls: &[(&str, Value)]) -> Vec<Value> {
        let lines: Vec<String> = calls.iter().map(|(tool, arguments)| format!("{tool} {arguments}")).collect();
        let input = self.folder.path().join("calls");
        fs::write(&input, lines.join("\n")).expect("failed to write");
        let args = ["repl", "--enable", "terminal", "--enable", "file", "--enable", "code"];
        let (out, err) = self.run(&args, File::open(input).expect("it exists").into());
        let results: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        assert_eq!(results.len(), calls.len(), "{out}\n{err}");
        results
    }
}

#[test]
fn the_shipped_tools_act_on_the_other_machine() {
    let Some(it) = Fixture::new() else { return };
    let there = it.there.path().canonicalize().expect("it exists");
    let terminal = |line: &str| ("terminal", json!({ "command": line }));
    let results = it.calls(&[
        terminal("pwd; mkdir sub; cd sub; export WORD=kept"),
        terminal("pwd; echo $WORD; env"),
        ("write_file", json!({ "path": "a b.txt", "content": "one\ntwo\n" })),
        ("patch", json!({ "mode": "replace", "path": "a b.txt", "old_string": "two", "new_string": "three" })),
        ("read_file", json!({ "path": "a b.txt" })),
        ("search_files", json!({ "pattern": "thr.e" })),
        terminal("cat '../a b.txt'; exit 4"),
        terminal("kill -9 $$"),
        terminal("head -c 3 /dev/zero; seq 100000"),
        ("terminal", json!({ "command": "tty > /dev/null && stty size", "pty": true })),
        ("terminal", json!({ "command": "sleep 60", "timeout": 1 })),
        ("terminal", json!({ "command": "read x; echo got $x; read x", "background": true })),
        ("process", json!({ "action": "submit", "session_id": "proc_1", "data": "it" })),
        ("process", json!({ "action": "wait", "session_id": "proc_1", "timeout": 2 })),
        ("process", json!({ "action": "kill", "session_id": "proc_1" })),
    ]);
    let output = |at: usize| results[at]["output"].as_str().unwrap_or_else(|| panic!("{}", results[at]));
    assert_eq!(output(0), format!("{}\n", there.display()));
    assert_eq!(results[0]["directory"], json!(there.join("sub")));
    assert!(output(1).starts_with(&format!("{}/sub\nkept\n", there.display())), "{}", results[1]);
    assert!(!output(1).contains("a secret") && output(1).contains("SSH_CONNECTION="), "{}", results[1]);
    assert_eq!(fs::read_to_string(there.join("a b.txt")).expect("it is there"), "one\nthree\n");
    assert!(results[4]["content"].as_str().is_some_and(|text| text.contains("three")), "{}", results[4]);
    assert!(results[5].to_string().contains("a b.txt"), "{}", results[5]);
    assert_eq!((output(6), &results[6]["exit_code"]), ("one\nthree\n", &json!(4)));
    assert_eq!(results[7]["signal"], "SIGKILL");
    assert!(output(8).len() < 200_000 && output(8).contains("99999"), "the output is bounded");
    assert_eq!(output(9).trim(), "40 120");
    assert_eq!(results[10]["timed_out"], true);
    assert_eq!(results[11]["session_id"], "proc_1");
    assert!(results[13].to_string().contains("got it"), "{}", results[13]);
    assert!(results[14].get("error").is_none(), "{}", results[14]);
    assert_eq!(fs::read_dir(it.folder.path()).expect("it exists").count(), 2, "nothing was done on this machine");
}

#[test]
fn commands_are_judged_before_they_are_sent() {
    let Some(it) = Fixture::new() else { return };
    fs::create_dir(it.there.path().join("sub")).expect("failed to make a folder");
    let results = it.calls(&[
        ("terminal", json!({ "command": "rm -r sub" })),
        ("terminal", json!({ "command": "echo it's allowed > ../x; true" })),
        ("terminal", json!({ "command": "ls" })),
    ]);
    assert_eq!(results[0]["kind"], "denied", "{}", results[0]);
    assert!(it.there.path().join("sub").exists());
    assert_eq!(results[2]["output"], "sub\n");
    // Code is judged in any case, because the other machine does not isolate.
    let code = json!({ "code": "print(terminal(command='echo hi')['output'])" });
    let denied = it.calls(&[("execute_code", code)]);
    assert_eq!(denied[0]["kind"], "denied", "{}", denied[0]);
}

#[test]
fn doctor_says_what_is_missing() {
    let Some(it) = Fixture::new() else { return };
    let doctor = || {
        let (out, err) = it.run(&["doctor", "--json", "--enable", "todo"], Stdio::null());
        serde_json::from_str::<Value>(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"))
    };
    let found = doctor();
    assert_eq!(found["environment"]["ssh"], json!({ "host": "127.0.0.1", "available": true, "problem": null }));
    fs::remove_file(it.folder.path().join("home/known_hosts")).expect("it exists");
    let found = doctor();
    let problem = found["environment"]["ssh"]["problem"].as_str().expect("a problem").to_owned();
    assert!(problem.contains("the host key of") && problem.contains("SHA256:"), "{problem}");
    // Tools are refused, and nothing is done here instead.
    let results = it.calls(&[("terminal", json!({ "command": "echo > file" }))]);
    assert!(results[0]["error"].as_str().is_some_and(|text| text.contains("the host key of")), "{}", results[0]);
    assert!(!it.folder.path().join("file").exists());
    it.configure("host_keys = 'accept-new'\n");
    assert_eq!(doctor()["environment"]["ssh"]["available"], true);
}

#[test]
fn a_person_copies_files_to_the_other_machine_and_back() {
    let Some(it) = Fixture::new() else { return };
    let here = it.folder.path();
    fs::create_dir(here.join("source")).expect("failed to make a folder");
    fs::write(here.join("source/a b"), "content").expect("failed to write");
    let (out, err) = it.run(&["environments", "put", "source"], Stdio::null());
    assert!(out.starts_with("copied: 1 file, 7 bytes, to "), "{out} {err}");
    assert_eq!(fs::read_to_string(it.there.path().join("source/a b")).expect("it is there"), "content");
    let (out, err) = it.run(&["environments", "put", "source"], Stdio::null());
    assert!(out.is_empty() && err.contains("exists already"), "{out} {err}");
    let (out, err) = it.run(&["environments", "get", "source/a b", "new/back"], Stdio::null());
    assert!(out.starts_with("copied: 1 file, "), "{out} {err}");
    assert_eq!(fs::read_to_string(here.join("new/back")).expect("it is here"), "content");
}
