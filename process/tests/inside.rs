//! A program finds out that it runs inside of a command, whatever happened to its environment.
#![cfg(unix)]

use std::env;
use std::process::Command;

use toolc_process::{Process, Sink, is_inside_a_tool};

/// Makes this test print what it finds, instead of starting itself as a command.
const REPORT: &str = "TOOLC_TEST_REPORT";
/// The arguments with which it starts itself.
const TEST: &str = "a_program_knows_that_it_runs_inside_of_a_command --exact --nocapture";

#[derive(Debug, Default)]
struct All(Vec<u8>);

impl Sink for All {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend(bytes);
        true
    }
}

/// Runs this test as a command, and returns what it reports.
fn inside(shell: &str) -> String {
    let program = env::current_exe().expect("this is a program");
    let mut command = Command::new("sh");
    command.args(["-c", shell, "sh"]).arg(program).env(REPORT, "1");
    let mut process = Process::new(command);
    let output = process.output(All::default()).expect("failed to make a pipe");
    let outcome = process.run(None, || false).expect("failed to start a shell");
    let text = String::from_utf8(output.take().0).expect("the test prints text");
    assert!(outcome.status.success(), "{text}");
    text
}

#[test]
fn a_program_knows_that_it_runs_inside_of_a_command() {
    if env::var_os(REPORT).is_some() {
        return println!("inside: {}", is_inside_a_tool());
    }
    assert!(inside(&format!("exec \"$1\" {TEST}")).contains("inside: true"));
    let start = "env -i TOOLC_TEST_REPORT=1 PATH=\"$PATH\"";
    let alone = format!("{start} setsid -w \"$1\" {TEST}");
    if cfg!(target_os = "linux") {
        assert!(inside(&alone).contains("inside: true"), "without the variable, in another session");
    }
    if !is_inside_a_tool() {
        let program = env::current_exe().expect("this is a program");
        let outside = Command::new(program).args(TEST.split(' ')).env(REPORT, "1").output().expect("failed to start");
        assert!(String::from_utf8_lossy(&outside.stdout).contains("inside: false"));
    }
}
