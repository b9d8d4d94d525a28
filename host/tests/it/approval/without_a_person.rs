//! Approval without a person: no terminal, the modes, clients, and programs inside of tools.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{folder, log, run, run_with};

#[test]
fn without_a_terminal_a_command_that_needs_a_person_does_not_run() {
    let folder = folder();
    let call = run(folder.path(), &["call", "terminal", "command=rm -rf a"]);
    assert_eq!((call.status, &call.json()["kind"]), (Some(1), &json!("refused")));
    assert!(call.json()["error"].as_str().is_some_and(|error| error.contains("recursive-deletion")), "{}", call.out);
    for part in ["needs approval", "at a terminal", "pass `--yes`", "your own rules", "`toolc judge COMMAND`"] {
        assert!(call.err.contains(part), "{part}: {}", call.err);
    }
    let in_mode_deny = run(folder.path(), &["--approval", "deny", "call", "--yes", "terminal", "command=rm -rf a"]);
    assert!(
        in_mode_deny.err.contains("pass `--approval ask`") && !in_mode_deny.err.contains("--yes"),
        "{}",
        in_mode_deny.err
    );
    assert!(folder.path().join("a").exists());
    let harmless = run(folder.path(), &["call", "terminal", "command=echo 'rm -rf /'"]);
    assert_eq!((harmless.status, harmless.json()["output"].as_str()), (Some(0), Some("rm -rf /\n")));
    assert_eq!(harmless.err, "", "no note");
    assert_eq!(log(folder.path()).len(), 2, "what is simply allowed is not in the log");
}

#[test]
fn yes_approves_what_asks_and_never_what_is_denied() {
    let folder = folder();
    let delete = |command: &str| run(folder.path(), &["call", "--yes", "terminal", &format!("command={command}")]);
    assert_eq!(delete("rm -rf a").status, Some(0));
    assert!(!folder.path().join("a").exists());
    let denied = delete("rm -rf /usr");
    assert_eq!((denied.status, &denied.json()["kind"]), (Some(1), &json!("denied")));
}

#[test]
fn the_modes_are_options_and_a_variable() {
    let folder = folder();
    let call = |mode: &[&str], variable: &str, command: &str| {
        let args = [mode, &["call", "terminal", command]].concat();
        run_with(folder.path(), &args, |program| program.env("TOOLC_APPROVAL", variable))
    };
    let denied = call(&["--approval", "deny"], "off", "command=rm -rf a");
    assert_eq!((denied.status, &denied.json()["kind"]), (Some(1), &json!("denied")));
    assert!(
        denied.err.starts_with("note: the call needs approval, and the mode of approval is `deny`"),
        "{}",
        denied.err
    );
    for (mode, variable, name) in [(&[][..], "off", "a"), (&["--approval=off"], "", "b")] {
        let off = call(mode, variable, &format!("command=rm -rf {name}"));
        assert_eq!(off.status, Some(0), "{} {}", off.out, off.err);
        assert!(off.err.starts_with("warning: APPROVAL IS OFF"), "{}", off.err);
        assert!(!folder.path().join(name).exists());
    }
    let off = call(&[], "off", "command=rm -rf /usr");
    assert_eq!((off.status, &off.json()["kind"]), (Some(1), &json!("denied")));
    let wrong = call(&[], "on", "command=ls");
    assert_eq!((wrong.status, &*wrong.out), (Some(2), ""), "{}", wrong.err);
    // Commands that run nothing do not warn.
    let definitions = run(folder.path(), &["--approval", "off", "definitions"]);
    assert!(!definitions.err.contains("APPROVAL"), "{}", definitions.err);
}

/// Serves one call of the terminal, and returns the result.
fn served(folder: &std::path::Path, args: &[&str], command: &str) -> Value {
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "terminal", "arguments": {"command": command}}}),
    ];
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_toolc"));
    program
        .args(["mcp", "serve", "--tool", "terminal"])
        .args(args)
        .current_dir(folder)
        .env("TOOLC_HOME", folder.join("home"))
        .env_remove("TOOLC_APPROVAL");
    program.env("XDG_CONFIG_HOME", folder.join("config"));
    let mut server = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start the server");
    let mut input = server.stdin.take().expect("a pipe");
    for line in lines {
        writeln!(input, "{line}").expect("failed to write");
    }
    let mut replies = std::io::BufRead::lines(std::io::BufReader::new(server.stdout.take().expect("a pipe")));
    let reply = replies.find_map(|line| {
        let reply: Value = serde_json::from_str(&line.expect("failed to read")).expect("the reply is JSON");
        (reply["id"] == 2).then_some(reply)
    });
    drop(input);
    assert!(server.wait().expect("failed to wait").success());
    reply.expect("a reply")["result"].clone()
}

#[test]
fn a_client_is_no_person() {
    let folder = folder();
    let result = served(folder.path(), &[], "rm -rf a");
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.to_string().contains("recursive-deletion"), "{result}");
    assert_eq!(log(folder.path())[0]["decided_by"], "unanswered");
    assert_eq!(served(folder.path(), &["--yes"], "rm -rf /usr")["isError"], true);
    assert_ne!(served(folder.path(), &["--yes"], "rm -rf a")["isError"], true);
    assert!(!folder.path().join("a").exists());
}

#[test]
fn a_tool_can_neither_revoke_approvals_nor_answer_questions() {
    let folder = folder();
    // A script hides the command from the judge.
    let program = env!("CARGO_BIN_EXE_toolc");
    let script = format!(
        "env -i HOME=/ TOOLC_HOME=\"$TOOLC_HOME\" PATH=\"$PATH\" '{program}' approvals revoke --all\n\
         echo y | script -qec \"'{program}' call terminal command='rm -rf b'\" /dev/null\n"
    );
    fs::write(folder.path().join("script.sh"), script).expect("failed to write");
    let call = run(folder.path(), &["call", "terminal", "command=sh ./script.sh"]).json();
    let output = call["output"].as_str().expect("text");
    assert!(output.contains("this command does not run inside a tool"), "{output}");
    assert!(output.contains("cannot ask") && folder.path().join("b").exists(), "{output}");
    // The judge sees the command itself.
    let call = run(folder.path(), &["call", "--yes", "terminal", "command=toolc approvals revoke --all"]);
    assert_eq!(call.json()["kind"], "denied");
}

#[test]
fn the_log_is_private_and_has_no_secrets_and_no_control_characters() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let command = "rm -rf x\u{202e} \u{1b}[2J https://user:hunter2@example.com/";
    run(folder.path(), &["call", "terminal", &json!({ "command": command }).to_string()]);
    let path = folder.path().join("home/logs/approvals.jsonl");
    let text = fs::read_to_string(&path).expect("the log exists");
    assert!(!text.contains("hunter2") && !text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    assert!(text.contains(r"\u202e \u001b[2J"), "{text}");
    assert_eq!(fs::metadata(&path).expect("the file exists").permissions().mode() & 0o777, 0o600);
    assert_eq!(
        fs::metadata(folder.path().join("home")).expect("the folder exists").permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn approvals_without_a_file_create_none() {
    let folder = folder();
    assert_eq!(run(folder.path(), &["approvals", "list", "--json"]).out, "[]\n");
    assert_eq!(run(folder.path(), &["approvals", "revoke", "--all"]).out, "0 approvals revoked\n");
    assert_eq!(run(folder.path(), &["approvals", "revoke"]).status, Some(2));
    assert!(!folder.path().join("home").exists());
    let relative = run_with(folder.path(), &["approvals", "list"], |program| program.env("TOOLC_HOME", "relative"));
    assert_eq!((relative.status, &*relative.err), (Some(2), "error: `TOOLC_HOME` is not an absolute path: relative\n"));
}
