//! Calls that end while their host keeps running.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Child;
use std::time::Duration;

use crate::ends::role::{self, Tool};
use crate::ends::survivors::{HostFolder, guardian, wait_for_end_of_guardian};
use crate::ends::{KINDS, repeat, with_longer_time};

/// Waits for the response of the host's call.
pub(crate) fn response(host: &mut Child) -> String {
    let lines = BufReader::new(host.stdout.as_mut().expect("the stream is piped")).lines();
    let mut lines = lines.map(|line| line.expect("the host writes text"));
    lines.find_map(|line| Some(line.strip_prefix("response: ")?.to_owned())).expect("the host prints a response")
}

/// Ends a host whose commands have ended, and checks that it was still running.
fn end(mut host: Child, guardian: &std::path::Path) {
    assert!(host.try_wait().expect("failed to wait").is_none(), "the host keeps running");
    drop(host.stdin.take());
    assert!(host.wait().expect("failed to wait").success());
    wait_for_end_of_guardian(guardian);
}

fn cancel(tool: Tool) -> Duration {
    let place = HostFolder::new();
    let (name, arguments) = tool.call(&place, role::LONGEST);
    let mut host = role::start(&place, name, &arguments);
    place.wait_for_start();
    let guardian = guardian(host.id());
    let mut input = role::input(&mut host);
    input.write_all(b"cancel\n").expect("failed to write");
    let time = place.wait_for_end(host.id());
    let response = response(&mut host);
    assert!(response.contains(r#""kind":"cancelled""#), "{response}");
    host.stdin = Some(input);
    end(host, &guardian);
    time
}

fn time_out(tool: Tool) -> Duration {
    with_longer_time(|limit| {
        let place = HostFolder::new();
        let (name, arguments) = tool.call(&place, limit);
        let mut host = role::start(&place, name, &arguments);
        let guardian = guardian(host.id());
        let response = response(&mut host);
        let expected = if tool == Tool::Terminal { r#""timed_out":true"# } else { r#""kind":"timeout""# };
        assert!(response.contains(expected), "{response}");
        let time = place.wait_for_end(host.id());
        end(host, &guardian);
        (place.started() == KINDS).then_some(time)
    })
}

#[test]
fn a_cancelled_call_ends_all_its_processes() {
    for tool in Tool::ALL {
        repeat(&format!("{tool:?}, call cancelled"), || cancel(tool));
    }
}

#[test]
fn a_call_that_timed_out_ends_all_its_processes() {
    for tool in Tool::ALL {
        repeat(&format!("{tool:?}, call timed out"), || time_out(tool));
    }
}
