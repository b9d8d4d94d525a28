//! Guardians that are killed, hosts within hosts, many hosts, and commands that have ended.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use crate::ends::calls::response;
use crate::ends::hosts::{End, end, kill};
use crate::ends::role::{self, terminal};
use crate::ends::survivors::{HostFolder, guardian, id, is_guardian, open_files, wait_for_end_of_guardian};
use crate::ends::{HANG, SCRIPT, repeat, wait_until};

/// Starts a host that runs the script, and waits for its processes.
fn start(place: &HostFolder) -> Child {
    let host = role::start(place, "terminal", &terminal(&format!("{SCRIPT}{HANG}"), 600));
    place.wait_for_start();
    host
}

#[test]
fn what_a_command_leaves_in_the_background_ends_with_the_host() {
    for how in [End::Signal("KILL"), End::InputClosed] {
        repeat(&format!("Terminal, background processes, host ended by {how:?}"), || {
            let place = HostFolder::new();
            // The command itself waits for the others to start, and ends.
            let wait = format!("while [ $(ls | grep -c started-) -lt {} ]; do sleep 0.1; done", crate::ends::KINDS);
            let mut host = role::start(&place, "terminal", &terminal(&format!("{SCRIPT}{wait}"), 600));
            let response = response(&mut host);
            assert!(response.contains(r#""exit_code":0"#), "{response}");
            // Each kind except the command itself, some with a child.
            assert!(place.survivors(host.id()).len() >= crate::ends::KINDS - 1);
            end(&place, host, how)
        });
    }
}

#[test]
fn a_killed_guardian_is_replaced() {
    repeat("Terminal, guardian killed, then the host", || {
        let place = HostFolder::new();
        let host = start(&place);
        let first = guardian(host.id());
        for signal in ["HUP", "INT", "TERM", "KILL"] {
            assert!(is_guardian(&first), "only SIGKILL ends it");
            kill(signal, id(&first));
        }
        wait_for_end_of_guardian(&first);
        wait_until("the zombie is reaped", || !first.join("stat").exists() || is_guardian(&first));
        end(&place, host, End::Signal("KILL"))
    });
}

#[test]
fn other_hosts_keep_running() {
    let places = [HostFolder::new(), HostFolder::new()];
    let [first, second] = places.each_ref().map(start);
    let running = |host: &Child| places[1].survivors(host.id());
    // The processes have started, but may still start their own.
    let mut before = running(&second);
    wait_until("no process is added", || {
        std::thread::sleep(Duration::from_millis(300));
        std::mem::replace(&mut before, running(&second)) == before
    });
    end(&places[0], first, End::Signal("KILL"));
    assert_eq!(running(&second), before);
    end(&places[1], second, End::Signal("KILL"));
}

#[test]
fn cancelling_a_call_ends_the_commands_of_a_host_within_it() {
    repeat("Terminal, a host within a call, call cancelled", || {
        let place = HostFolder::new();
        let inner = role::prepare(&place, "terminal", &terminal(&format!("{SCRIPT}{HANG}"), 600));
        let quote = |text: &OsStr| format!("'{}'", text.to_str().expect("UTF-8").replace('\'', r"'\''"));
        let set = |(name, value): (&OsStr, Option<&OsStr>)| format!("{}={}", name.display(), quote(value.unwrap()));
        let words: Vec<String> = inner.get_envs().map(set).collect();
        let args: Vec<String> = inner.get_args().map(quote).collect();
        // The inner host reads from a pipe that stays open.
        let program = quote(inner.get_program());
        let command = format!("sleep 600 | {} {program} {}", words.join(" "), args.join(" "));
        let mut host = role::start(&place, "terminal", &terminal(&command, 600));
        place.wait_for_start();
        let mut input = role::input(&mut host);
        input.write_all(b"cancel\n").expect("failed to write");
        let time = place.wait_for_end(host.id());
        host.stdin = Some(input);
        end(&place, host, End::InputClosed);
        time
    });
}

#[test]
fn commands_and_guardians_do_not_inherit_descriptors_of_the_host() {
    let place = HostFolder::new();
    let role = role::prepare(&place, "terminal", &terminal(&format!("{SCRIPT}{HANG}"), 600));
    let mut host = Command::new("sh");
    host.args(["-c", "exec \"$@\" 9> held", "sh"]).arg(role.get_program()).args(role.get_args());
    host.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(place.path());
    let piped = std::process::Stdio::piped;
    let host = host.stdin(piped()).stdout(piped()).spawn().expect("failed to start a shell");
    place.wait_for_start();
    let held = place.path().canonicalize().expect("the folder exists").join("held");
    let has_it = |process: &PathBuf| open_files(process).contains(&held);
    assert!(has_it(&format!("/proc/{}", host.id()).into()), "the host has it");
    let others: Vec<PathBuf> = place.survivors(host.id()).into_iter().chain([guardian(host.id())]).collect();
    assert!(others.len() > crate::ends::KINDS && !others.iter().any(has_it), "{others:?}");
    end(&place, host, End::InputClosed);
}

/// Starts a host in which commands cannot be marked, as on other systems than Linux.
fn start_without_marks(place: &HostFolder, command: &str) -> Child {
    let role = role::prepare(place, "terminal", &terminal(command, 600));
    let mut host = Command::new("prlimit");
    host.arg("--locks=1000:1000").arg(role.get_program()).args(role.get_args());
    host.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(place.path());
    let piped = std::process::Stdio::piped;
    // `prlimit` becomes the host.
    host.process_group(0).stdin(piped()).stdout(piped()).spawn().expect("failed to start `prlimit`")
}

#[test]
fn without_marks_the_process_groups_end_with_the_host() {
    let run = "(trap '' TERM; echo > started-child; sleep 600; exit) & echo > started-command";
    for (command, ends) in [(format!("{run}; sleep 600; exit"), false), (format!("({run}) > /dev/null 2>&1"), true)] {
        for kill_guardian in [false, true] {
            repeat(&format!("Terminal, no marks, ended: {ends}, guardian killed: {kill_guardian}"), || {
                let place = HostFolder::new();
                let mut host = start_without_marks(&place, &command);
                wait_until("the processes start", || place.started() == 2);
                if ends {
                    response(&mut host);
                }
                if kill_guardian {
                    let first = guardian(host.id());
                    kill("KILL", id(&first));
                    wait_for_end_of_guardian(&first);
                }
                assert!(!place.survivors(host.id()).is_empty());
                end(&place, host, End::Signal("KILL"))
            });
        }
    }
}
