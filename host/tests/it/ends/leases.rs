//! What the guardian cannot end, because it was killed together with its host: the next host with the same home ends it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use toolc_test_support::{SANDBOX, skip};

use crate::ends::hosts::kill;
use crate::ends::role::terminal;
use crate::ends::survivors::{HostFolder, guardian, id, is_guardian};
use crate::ends::{HANG, SCRIPT, repeat, wait_until};

/// Starts the program in a place, with a home in it.
fn toolc(place: &HostFolder, arguments: &[&str]) -> Command {
    let mut toolc = Command::new(env!("CARGO_BIN_EXE_toolc"));
    toolc.args(arguments).current_dir(place.path()).env("TOOLC_HOME", home(place));
    toolc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    toolc
}

fn home(place: &HostFolder) -> std::path::PathBuf {
    // Not below the place: it would be a task's directory with the home of toolc in it.
    std::env::temp_dir().join(format!("home-of-{}", place.path().file_name().expect("a name").display()))
}

/// Starts a server with a call that runs, in an environment.
fn server(place: &HostFolder, environment: &str, command: &str) -> Child {
    let arguments = ["mcp", "serve", "--tool", "terminal", "--approval", "off", "--environment", environment];
    let mut server = toolc(place, &arguments).spawn().expect("failed to start the server");
    let arguments: serde_json::Value = serde_json::from_str(&terminal(command, 600)).expect("JSON");
    let params = json!({ "name": "terminal", "arguments": arguments });
    crate::ends::hosts::begin(&mut server);
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    writeln!(server.stdin.as_mut().expect("it is open"), "{message}").expect("failed to write");
    server
}

/// Kills a host together with its guardian, so that neither does anything more.
fn kill_both(host: &mut Child) {
    let guardian = guardian(host.id());
    // A running host would start another guardian.
    kill("STOP", host.id());
    kill("KILL", id(&guardian));
    kill("KILL", host.id());
    host.wait().expect("failed to wait");
    wait_until("the guardian ends", || !is_guardian(&guardian));
}

/// Runs another host with the same home, which only reads a file.
fn next_host(place: &HostFolder) {
    std::fs::write(place.path().join("text"), "x").expect("failed to write");
    let status = toolc(place, &["call", "read_file", "path=text"]).stdout(Stdio::null()).status();
    assert!(status.expect("failed to start").success());
}

fn leases(home: &Path) -> usize {
    std::fs::read_dir(home.join("leases")).map_or(0, |entries| entries.flatten().count())
}

#[test]
fn the_next_host_ends_what_a_host_has_left_that_was_killed_with_its_guardian() {
    repeat("host and guardian killed, next host", || {
        let place = HostFolder::new();
        let mut host = server(&place, "local", &format!("{SCRIPT}{HANG}"));
        place.wait_for_start();
        let mut other = server(&place, "local", "sleep 600; exit");
        wait_until("two leases", || leases(&home(&place)) == 2);
        let others = guardian(other.id());
        kill_both(&mut host);
        std::thread::sleep(Duration::from_millis(500));
        let left = place.survivors(other.id()).len();
        assert!(left > crate::ends::KINDS, "nothing else ends them: {left} processes");
        let started = std::time::Instant::now();
        next_host(&place);
        wait_until("the end of all but the other host", || {
            // Its shell and the program of that.
            place.survivors(other.id()).len() <= 2
        });
        let time = started.elapsed();
        assert!(other.try_wait().expect("failed to wait").is_none() && is_guardian(&others));
        assert_eq!(leases(&home(&place)), 1, "that of the other host");
        drop(other.stdin.take());
        other.wait().expect("failed to wait");
        place.wait_for_end(0);
        std::fs::remove_dir_all(home(&place)).expect("failed to remove");
        time
    });
}

/// The names of folders that sandboxes of a process have made.
fn folders_of(process: u32) -> Vec<String> {
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("it exists").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(&format!("toolc-sandbox-{process}-"))).collect()
}

#[test]
fn a_sandbox_ends_with_its_host_and_the_next_host_removes_its_folder() {
    if let Err(error) = toolc_environment::Kind::check(&toolc_environment::SandboxKind::default()) {
        return skip(format!("no sandbox can be made: {error}"), SANDBOX);
    }
    let place = HostFolder::new();
    let mut host = server(&place, "sandbox", &format!("{SCRIPT}{HANG}"));
    place.wait_for_start();
    assert_eq!(folders_of(host.id()).len(), 1);
    let mut output = host.stdout.take().expect("it is piped");
    kill_both(&mut host);
    // The system ends every process of the sandbox when the pipe to its first one is closed.
    place.wait_for_end(0);
    let responses = std::io::read_to_string(&mut output).expect("failed to read");
    assert!(!responses.contains(r#""id":7"#), "there was no response to the call: {responses}");
    assert_eq!(folders_of(host.id()).len(), 1);
    next_host(&place);
    assert!(folders_of(host.id()).is_empty() && leases(&home(&place)) == 0);
    std::fs::remove_dir_all(home(&place)).expect("failed to remove");
}
