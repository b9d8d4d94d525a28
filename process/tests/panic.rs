//! A panic of the caller ends the program.
#![cfg(unix)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use rustix::process::{Pid, test_kill_process};
use toolc_process::Process;

#[test]
fn a_program_ends_if_should_stop_panics() {
    let folder = tempfile::TempDir::new().expect("failed to make a folder");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' TERM; echo $$ > new; mv new id; sleep 600; exit"]).current_dir(folder.path());
    let id = folder.path().join("id");
    let stop = || if id.exists() { panic!("expected by the test") } else { false };
    let run = catch_unwind(AssertUnwindSafe(|| Process::new(command).run(None, stop)));
    assert!(run.is_err());
    let id = fs::read_to_string(&id).expect("the program has written its id");
    let id = Pid::from_raw(id.trim().parse().expect("a number")).expect("not zero");
    assert!(test_kill_process(id).is_err(), "the program has been killed and reaped");
}
