//! Interactive programs on a terminal. A program that is not installed is skipped.

use std::process::{Command, Stdio};
use toolc_test_support::Missing;

use super::*;

/// Returns whether a program is installed. `arguments` let it end at once, because a placeholder of a version manager exists also
/// without the program.
fn is_installed(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_installed = command.status().is_ok_and(|status| status.code() != Some(127));
    if !is_installed {
        Missing::program(program).skip();
    }
    is_installed
}

fn on_terminal(f: &Fixture, command: &str) -> String {
    f.start(command, |args| args.pty = true)
}

#[test]
fn python_evaluates_what_is_typed() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let f = fixture();
    let id = on_terminal(&f, "python3 -q");
    f.wait_for_screen(&id, ">>>");
    f.submit(&id, "6 * 7");
    f.wait_for_screen(&id, "42");
    f.submit(&id, "while True: pass\n");
    std::thread::sleep(Duration::from_millis(300));
    f.write(&id, "\u{3}");
    f.wait_for_screen(&id, "KeyboardInterrupt");
    wait_until("the prompt", || f.act(Action::Poll, &id)["screen"].as_str().unwrap().ends_with(">>>"));
    f.act(Action::Close, &id);
    let waited = value(f.process(Action::Wait, &id, |args| args.timeout = 5));
    // Python remembers the interruption in its exit status.
    assert_eq!(waited["process"]["status"], "exited", "{waited}");
}

#[test]
fn vim_edits_a_file() {
    if !is_installed("vim", &["--version"]) {
        return;
    }
    let f = fixture();
    let id = on_terminal(&f, "vim -u NONE -N new.txt");
    f.wait_for_screen(&id, "new.txt");
    f.write(&id, "ia line of text\u{1b}");
    f.wait_for_screen(&id, "a line of text");
    let poll = f.act(Action::Poll, &id);
    assert_eq!(poll["output"], Value::Null, "only the screen says something: {poll}");
    let screen = poll["screen"].as_str().unwrap();
    assert!(screen.contains("\n~\n~\n") && !screen.contains(" \n"), "no blanks at the ends of lines: {screen}");
    f.submit(&id, ":wq");
    assert_eq!(f.act(Action::Wait, &id)["process"]["exit_code"], 0);
    assert_eq!(fs::read_to_string(f.path().join("new.txt")).unwrap(), "a line of text\n");
}

#[test]
fn less_shows_pages() {
    if !is_installed("less", &["--version"]) {
        return;
    }
    let f = fixture();
    let lines: Vec<String> = (0..1000).map(|n| format!("line {n}\n")).collect();
    fs::write(f.path().join("long"), lines.concat()).unwrap();
    let id = on_terminal(&f, "less long");
    let first = f.wait_for_screen(&id, "line 38");
    assert!(first.starts_with("line 0\n") && !first.contains("line 40"), "{first}");
    f.write(&id, "G");
    let last = f.wait_for_screen(&id, "line 999");
    assert!(!last.contains("line 38\n"), "{last}");
    f.write(&id, "q");
    assert_eq!(f.act(Action::Wait, &id)["process"]["exit_code"], 0);
}

#[test]
fn ssh_keygen_asks_for_a_passphrase() {
    if !is_installed("ssh-keygen", &["-l"]) {
        return;
    }
    let f = fixture();
    let id = on_terminal(&f, "ssh-keygen -t ed25519 -f key");
    f.wait_for_screen(&id, "nter passphrase");
    f.submit(&id, "a secret phrase");
    f.wait_for_screen(&id, "again");
    f.submit(&id, "a secret phrase");
    let waited = f.act(Action::Wait, &id);
    assert_eq!(waited["process"]["exit_code"], 0, "{waited}");
    let log = f.act(Action::Log, &id)["output"].as_str().unwrap().to_owned();
    assert!(!log.contains("a secret phrase"), "the terminal does not show it");
    assert!(fs::read_to_string(f.path().join("key")).unwrap().contains("PRIVATE KEY"));
}

#[test]
fn a_pager_runs_no_commands_whichever_program_starts_it() {
    if !is_installed("less", &["--version"]) {
        return;
    }
    let f = fixture();
    let lines: Vec<String> = (0..100).map(|n| format!("line {n}\n")).collect();
    fs::write(f.path().join("long"), lines.concat()).unwrap();
    f.run("export LESSSECURE=0 LESSSECURE_ALLOW=shell SYSTEMD_PAGERSECURE=0");
    let id = on_terminal(&f, "less long");
    f.wait_for_screen(&id, "line 38");
    // To run a command, to pipe into one, to start an editor, and to look at another file.
    for keys in ["!", "|", "v", ":e"] {
        f.write(&id, keys);
        f.wait_for_screen(&id, "not available");
        f.write(&id, "\r");
        wait_until("the prompt", || !f.act(Action::Poll, &id)["screen"].as_str().unwrap().contains("not available"));
    }
    f.write(&id, "q");
    assert_eq!(f.act(Action::Wait, &id)["process"]["exit_code"], 0);
}
