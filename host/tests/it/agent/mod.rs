//! The loop of `toolc agent`, `toolc batch` and the chat, with models that are servers or scripts.

mod background;
mod batch;
mod budget;
pub(crate) mod chat;
mod cron;
mod definitions;
mod environments;
mod helpers;
#[cfg(target_os = "linux")]
mod hidden;
mod hooks;
mod instructions;
mod interrupts;
mod kanban;
mod long;
mod memory;
mod named_skills;
mod opinion;
mod output;
mod questions;
mod results;
mod search;
mod secrets;
pub(crate) mod server;
mod sessions;
mod skills;
mod state;
mod strict;
mod transcripts;
mod turns;
pub(crate) mod vendors;
mod web;
mod why;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use toolc_test_support::{SANDBOX, skip};

/// The outcome of one run of the program.
#[derive(Debug)]
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    /// Returns the lines on standard output, each of which is JSON.
    fn events(&self) -> Vec<Value> {
        let parsed = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parsed).collect()
    }
}

/// Returns a folder with a few files.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
        std::fs::write(path, text).expect("failed to write");
    };
    write("a.txt", "alpha\n");
    write("b.txt", "beta\nbeta\nbeta\n");
    write("build/old", "x");
    folder
}

/// Returns `toolc` without a terminal, so that no person can be asked.
fn toolc(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_toolc")]).args(args);
    environment(&mut command, folder, variables);
    command
}

fn environment(command: &mut Command, folder: &Path, variables: &[(&str, &str)]) {
    command.current_dir(folder).env("TOOLC_HOME", folder.join("home")).env("XDG_CONFIG_HOME", folder.join("config"));
    command.env("XDG_CACHE_HOME", folder.join("cache")).env_remove("TOOLC_APPROVAL").env("NO_PROXY", "*");
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
}

fn run(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
    outcome(&toolc(folder, args, variables).output().expect("failed to start `setsid`"))
}

fn outcome(output: &Output) -> Run {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the output is text");
    Run { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Returns whether a sandbox can be made here. If not, this is said.
fn has_sandbox(folder: &Path) -> bool {
    let doctor = run(folder, &["doctor", "--json"], &[]);
    let sandbox = &doctor.events()[0]["environment"]["sandbox"];
    let is_available = sandbox["available"] == true;
    if !is_available {
        skip(format!("no sandbox can be made: {}", sandbox["problem"]), SANDBOX);
    }
    is_available
}

/// Writes a script of a model, and returns the option that names it.
fn script(folder: &Path, name: &str, answers: &[Value]) -> String {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(folder.join(name), lines.join("\n")).expect("failed to write");
    format!("script:{name}")
}
