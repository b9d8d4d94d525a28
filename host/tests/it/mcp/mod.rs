//! MCP servers of the program `toolc`: their tools in every command, and `toolc mcp`. The server is scripted, and runs in Python.

mod commands;
mod questions;
mod real;
pub(crate) mod serve;
mod serve_skills;
mod skills;
mod tools;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use toolc_test_support::programs::has;

/// The outcome of one run of the program.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    #[track_caller]
    fn succeeded(self) -> Self {
        assert_eq!(self.status, Some(0), "{} {}", self.out, self.err);
        self
    }
}

/// Returns a folder for a home, or `None` if the scripted server cannot run, which is said.
pub(crate) fn folder() -> Option<TempDir> {
    has("python3").then(|| tempfile::tempdir().expect("failed to make a folder"))
}

/// Runs the program in `folder`, with the home folder `home` in it, without a terminal.
pub(crate) fn run(folder: &TempDir, args: &[&str]) -> Run {
    run_with(folder, args, |program| program)
}

fn run_with(folder: &TempDir, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Run {
    let mut program = Command::new("setsid");
    program.args(["--wait", env!("CARGO_BIN_EXE_toolc")]).args(args).current_dir(folder.path()).stdin(Stdio::null());
    program.env("TOOLC_HOME", folder.path().join("home")).env_remove("TOOLC_PROFILE").env_remove("TOOLC_APPROVAL");
    program.env("XDG_CONFIG_HOME", folder.path().join("config")).env("XDG_CACHE_HOME", folder.path().join("cache"));
    let Output { status, stdout, stderr } = change(&mut program).output().expect("failed to start `setsid`");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    Run { status: status.code(), out: text(stdout), err: text(stderr) }
}

/// Returns the table of the scripted server with these behaviours.
pub(crate) fn server(name: &str, behaviours: &[&str], more: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture/server.py");
    let args: Vec<String> = std::iter::once(script.display().to_string().as_str())
        .chain(behaviours.iter().copied())
        .map(|word| format!("{word:?}"))
        .collect();
    let args = args.join(", ");
    format!("[mcp.servers.{name}]\ncommand = \"python3\"\nargs = [\"-u\", {args}]\nenv = [\"TOKEN\"]\n{more}\n")
}

/// Writes the configuration, and a variable that the servers get.
pub(crate) fn configure(folder: &TempDir, config: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let home = folder.path().join("home");
    fs::create_dir_all(&home).expect("failed to make a folder");
    fs::write(home.join("config.toml"), config).expect("failed to write");
    fs::write(home.join(".env"), "TOKEN=hunter2hunter2\n").expect("failed to write");
    fs::set_permissions(home.join(".env"), fs::Permissions::from_mode(0o600)).expect("failed to set the mode");
}

fn config(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("home/config.toml")).expect("it exists")
}
