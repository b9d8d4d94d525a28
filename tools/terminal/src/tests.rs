//! Calls of the tools, directly and through a session that judges commands.

mod background;
mod directories;
mod foreground;
#[cfg(target_os = "linux")]
mod hidden;
mod judged;
#[cfg(target_os = "linux")]
mod privileged;
mod programs;
mod shell;
mod state;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc::testing::{Caller, TestResponse};
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::terminal::TerminalTools as _;
use toolc_catalog::terminal::process::Action;
use toolc_catalog::terminal::{process, terminal};
use toolc_test_support::wait_until;
use toolc_workspace::Workspace;

use super::*;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

fn is_alive(id: &str) -> bool {
    let id = rustix::process::Pid::from_raw(id.trim().parse().expect("a process id")).expect("not zero");
    rustix::process::test_kill_process(id).is_ok()
}

fn args(command: &str) -> terminal::Args {
    terminal::Args {
        command: command.to_owned(),
        background: false,
        timeout: Some(30),
        workdir: None,
        pty: false,
        notify_on_complete: false,
        watch_patterns: None,
        separate_output: false,
    }
}

/// Handlers whose workspace is a temporary directory, and a task.
struct Fixture {
    handlers: TerminalHandlers,
    dir: TempDir,
    caller: Caller,
}

fn fixture() -> Fixture {
    fixture_with(|handlers| handlers)
}

fn fixture_with(set: impl FnOnce(TerminalHandlers) -> TerminalHandlers) -> Fixture {
    let dir = TempDir::new().unwrap();
    let mut handlers = set(TerminalHandlers::new(Workspace::new(dir.path())));
    handlers.disk_space = |_| None;
    Fixture { handlers, dir, caller: Caller::new() }
}

impl Fixture {
    fn call(&self) -> Call<'_> {
        self.caller.call("terminal")
    }

    fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn terminal(&self, args: terminal::Args) -> Result<terminal::Returns, ToolError> {
        self.handlers.terminal(args, &self.call())
    }

    /// Runs a command in the foreground.
    #[track_caller]
    fn run(&self, command: &str) -> Value {
        value(self.terminal(args(command)))
    }

    /// Runs a command, and returns its output.
    #[track_caller]
    fn output(&self, command: &str) -> String {
        self.run(command)["output"].as_str().unwrap().to_owned()
    }

    /// Starts a command in the background, and returns its id.
    #[track_caller]
    fn start(&self, command: &str, set: impl FnOnce(&mut terminal::Args)) -> String {
        let mut args = terminal::Args { background: true, timeout: None, ..args(command) };
        set(&mut args);
        self.terminal(args).unwrap().session_id.unwrap()
    }

    fn process(
        &self,
        action: Action,
        id: &str,
        set: impl FnOnce(&mut process::Args),
    ) -> Result<process::Returns, ToolError> {
        let session_id = (!id.is_empty()).then(|| id.to_owned());
        let mut args = process::Args { action, session_id, data: None, timeout: 30, offset: None, limit: 200 };
        set(&mut args);
        self.handlers.process(args, &self.caller.call("process"))
    }

    #[track_caller]
    fn act(&self, action: Action, id: &str) -> Value {
        value(self.process(action, id, |_| {}))
    }

    #[track_caller]
    fn submit(&self, id: &str, data: &str) {
        self.process(Action::Submit, id, |args| args.data = Some(data.to_owned())).unwrap();
    }

    #[track_caller]
    fn write(&self, id: &str, data: &str) {
        self.process(Action::Write, id, |args| args.data = Some(data.to_owned())).unwrap();
    }

    /// Waits until the output contains a text. Returns all output.
    #[track_caller]
    fn wait_for(&self, id: &str, text: &str) -> String {
        let mut all = String::new();
        wait_until(&format!("`{text}` in the output"), || {
            let log = self.process(Action::Log, id, |args| args.limit = i64::MAX);
            log.unwrap().output.unwrap().clone_into(&mut all);
            all.contains(text)
        });
        all
    }

    /// Polls until the screen contains a text.
    #[track_caller]
    fn wait_for_screen(&self, id: &str, text: &str) -> String {
        let mut screen = String::new();
        wait_until(&format!("`{text}` on the screen"), || {
            self.act(Action::Poll, id)["screen"].as_str().unwrap().clone_into(&mut screen);
            screen.contains(text)
        });
        screen
    }
}

#[track_caller]
fn value<T: toolc::ToJson>(result: Result<T, ToolError>) -> Value {
    TestResponse::from(result).value()
}
