//! Hosts that end while a call runs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::json;
use toolc_test_support::skip;

use crate::ends::role::{self, Tool};
use crate::ends::survivors::{HostFolder, guardian, wait_for_end_of_guardian};
use crate::ends::{KINDS, repeat, with_longer_time};
use crate::hosts::program;

/// How a host ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Signal(&'static str),
    /// A line of input that makes the role of a host panic or abort.
    Line(&'static str),
    InputClosed,
}

/// The signals that end a host: those that it does not ignore, as it does in the background of a shell without job control.
fn signals() -> Vec<End> {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has `/proc`");
    let mask =
        status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("the status has the ignored signals");
    let ignored = u64::from_str_radix(mask.trim(), 16).expect("a number");
    let mut signals = Vec::new();
    for (number, name) in [(1, "HUP"), (2, "INT"), (9, "KILL"), (15, "TERM")] {
        if ignored >> (number - 1) & 1 == 1 {
            skip(
                format!("SIG{name} is ignored by the parent of this test, and so by its children"),
                "start the tests in the foreground",
            );
        } else {
            signals.push(End::Signal(name));
        }
    }
    signals
}

/// Ends a host, and returns the time until the last process of its commands ended.
pub(crate) fn end(place: &HostFolder, mut host: Child, how: End) -> Duration {
    let guardian = guardian(host.id());
    let mut input = Some(role::input(&mut host));
    let started = std::time::Instant::now();
    match how {
        End::Signal(signal) => kill(signal, host.id()),
        End::Line(line) => writeln!(input.as_mut().expect("the input is open"), "{line}").expect("failed to write"),
        End::InputClosed => drop(input.take()),
    }
    let status = host.wait().expect("failed to wait");
    place.wait_for_end(host.id());
    let time = started.elapsed();
    assert_eq!(status.success(), matches!(how, End::InputClosed), "{how:?}: {status}");
    wait_for_end_of_guardian(&guardian);
    time
}

/// Sends a signal to a process.
pub(crate) fn kill(signal: &str, process: u32) {
    let kill = Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status();
    assert!(kill.expect("failed to start a shell").success());
}

#[test]
fn the_processes_of_a_host_end_with_it() {
    for tool in Tool::ALL {
        for how in signals().into_iter().chain([End::Line("panic"), End::Line("abort"), End::InputClosed]) {
            repeat(&format!("{tool:?}, host ended by {how:?}"), || {
                let place = HostFolder::new();
                let (name, arguments) = tool.call(&place, role::LONGEST);
                let host = role::start(&place, name, &arguments);
                place.wait_for_start();
                end(&place, host, how)
            });
        }
    }
}

/// MCP servers: the example, and the one of the program `toolc`, which has plugins.
fn start_server(place: &HostFolder, tool: Tool, limit: u64) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    match tool {
        Tool::Terminal => program::start("mcp_server", place.folder(), &["terminal"], &[("PATH", &path)]),
        Tool::Plugin => {
            role::write_plugin(place.path(), limit);
            let mut server = Command::new(env!("CARGO_BIN_EXE_toolc"));
            server.args(["mcp", "serve", "--plugins", "plugins", "--tool", "hang"]).current_dir(place.path());
            server.env("TOOLC_HOME", place.path().join("home"));
            let piped = std::process::Stdio::piped;
            server.stdin(piped()).stdout(piped()).stderr(piped()).spawn().expect("failed to start the server")
        }
    }
}

fn call(server: &mut Child, place: &HostFolder, tool: Tool, limit: u64) {
    let (name, arguments) = tool.call(place, limit);
    let arguments: serde_json::Value = serde_json::from_str(&arguments).expect("the arguments are JSON");
    let params = json!({ "name": name, "arguments": arguments });
    begin(server);
    send(server, &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }));
}

/// Begins a session with an MCP server.
pub(crate) fn begin(server: &mut Child) {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    send(server, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    send(server, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
}

fn send(server: &mut Child, message: &serde_json::Value) {
    writeln!(server.stdin.as_mut().expect("the input is open"), "{message}").expect("failed to write");
}

#[test]
fn the_processes_of_an_mcp_server_end_with_it() {
    for tool in Tool::ALL {
        for how in signals().into_iter().chain([End::InputClosed]) {
            repeat(&format!("MCP, {tool:?}, server ended by {how:?}"), || {
                let place = HostFolder::new();
                let mut server = start_server(&place, tool, role::LONGEST);
                call(&mut server, &place, tool, role::LONGEST);
                place.wait_for_start();
                end(&place, server, how)
            });
        }
    }
}

#[test]
fn a_client_ends_the_processes_of_a_call_by_cancelling_it() {
    for tool in Tool::ALL {
        repeat(&format!("MCP, {tool:?}, call cancelled"), || {
            let place = HostFolder::new();
            let mut server = start_server(&place, tool, role::LONGEST);
            call(&mut server, &place, tool, role::LONGEST);
            place.wait_for_start();
            let params = json!({ "requestId": 7, "reason": "no longer needed" });
            send(&mut server, &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
            let time = place.wait_for_end(server.id());
            assert!(server.try_wait().expect("failed to wait").is_none(), "the server keeps running");
            end(&place, server, End::InputClosed);
            time
        });
    }
}

#[test]
fn a_call_of_a_client_that_timed_out_ends_its_processes() {
    for tool in Tool::ALL {
        repeat(&format!("MCP, {tool:?}, call timed out"), || {
            with_longer_time(|limit| {
                let place = HostFolder::new();
                let mut server = start_server(&place, tool, limit);
                call(&mut server, &place, tool, limit);
                let mut lines = BufReader::new(server.stdout.as_mut().expect("the stream is piped")).lines();
                let response = lines.find(|line| line.as_ref().expect("the server writes text").contains(r#""id":7"#));
                assert!(response.is_some(), "the server responds");
                let time = place.wait_for_end(server.id());
                assert!(server.try_wait().expect("failed to wait").is_none(), "the server keeps running");
                end(&place, server, End::InputClosed);
                (place.started() == KINDS).then_some(time)
            })
        });
    }
}
