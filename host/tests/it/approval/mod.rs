//! Approval of commands by the program `toolc`: the question in a real terminal, what is remembered, the modes, the rules of users.

mod judge;
mod permissions;
mod question;
mod strict;
pub(crate) mod terminal;
mod without_a_person;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Creates a folder with folders `a` and `b` to delete.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).expect("failed to make a folder");
    }
    folder
}

/// The outcome of one run without a terminal.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

/// Runs `toolc` without a terminal.
fn run(folder: &Path, args: &[&str]) -> Run {
    run_with(folder, args, |command| command)
}

fn run_with(folder: &Path, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Run {
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_toolc")]).args(args).current_dir(folder).env_remove("TOOLC_APPROVAL");
    command.env("TOOLC_HOME", folder.join("home")).env("XDG_CONFIG_HOME", folder.join("config"));
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    let Output { status, stdout, stderr } = change(&mut command).output().expect("failed to start `setsid`");
    let text = |bytes| String::from_utf8(bytes).expect("the output is text");
    Run { status: status.code(), out: text(stdout), err: text(stderr) }
}

impl Run {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }
}

/// Returns the lines of the log.
fn log(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("home/logs/approvals.jsonl")).expect("the log exists");
    text.lines().map(|line| serde_json::from_str(line).expect("the line is JSON")).collect()
}
