//! The filter of system calls applies to a program and to what it starts.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]

use std::env;
use std::process::Command;

use toolc_process::{Process, Sink};

/// Makes this test print what it may do, instead of starting itself as a command.
const REPORT: &str = "TOOLC_TEST_REPORT";
const TEST: &str = "vsock_sockets_are_refused_and_inet_sockets_are_not --exact --nocapture";

#[derive(Debug, Default)]
struct All(Vec<u8>);

impl Sink for All {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend(bytes);
        true
    }
}

/// Runs this test as a child of a shell, with or without the filter, and returns what it prints.
fn errors(is_filtered: bool) -> String {
    let program = env::current_exe().expect("this is a program");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("\"$0\" {TEST}; true")]).arg(program).env(REPORT, "1");
    let mut process = Process::new(command);
    if is_filtered {
        process.filter_system_calls().expect("this system filters calls");
    }
    let output = process.output(All::default()).expect("failed to make a pipe");
    process.run(None, || false).expect("failed to start a shell");
    String::from_utf8(output.take().0).expect("the test prints text")
}

#[test]
fn vsock_sockets_are_refused_and_inet_sockets_are_not() {
    if env::var_os(REPORT).is_some() {
        let error = |result: rustix::io::Result<()>| result.err().map_or(0, rustix::io::Errno::raw_os_error);
        let vsock = rustix::net::socket(rustix::net::AddressFamily::VSOCK, rustix::net::SocketType::STREAM, None);
        let inet = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None);
        return println!("vsock: {}, inet: {}", error(vsock.map(drop)), error(inet.map(drop)));
    }
    let eperm = rustix::io::Errno::PERM.raw_os_error();
    let within = errors(true);
    assert!(within.contains(&format!("vsock: {eperm}, inet: 0")), "{within}");
    let free = errors(false);
    assert!(!free.contains(&format!("vsock: {eperm}")) && free.contains("inet: 0"), "{free}");
}
