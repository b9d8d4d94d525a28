//! Scripts in a real interpreter, through sessions with the shipped tools.

mod calls;
mod directories;
mod ends;
mod files;
#[cfg(target_os = "linux")]
mod hidden;
mod interpreters;
mod remote;
mod scripts;
mod sessions;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc::approval::{ApprovalDecision, approver_fn};
use toolc::testing::Harness;
use toolc::{Env, SessionBuilder, Task, ToolCall};
use toolc_agent::TodoHandlers;
use toolc_catalog::Handlers;
use toolc_files::FileHandlers;
use toolc_terminal::TerminalHandlers;
use toolc_test_support::programs::has;
use toolc_test_support::{SANDBOX, skip, wait_until};

use super::*;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

fn is_alive(id: &str) -> bool {
    let id = rustix::process::Pid::from_raw(id.trim().parse().expect("a process id")).expect("not zero");
    rustix::process::test_kill_process(id).is_ok()
}

/// A session with the shipped tools in a temporary directory.
struct Fixture {
    harness: Harness,
    dir: TempDir,
}

/// Returns a session whose scripts are approved, or `None` if scripts cannot run here.
fn fixture() -> Option<Fixture> {
    fixture_with(Limits::default(), |session| session)
}

fn fixture_with(limits: Limits, configure: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Option<Fixture> {
    fixture_in(|environments| environments, limits, configure)
}

fn fixture_in(
    offer: impl FnOnce(Environments) -> Environments,
    limits: Limits,
    configure: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Option<Fixture> {
    if !has("python3") {
        return None;
    }
    let dir = TempDir::new().unwrap();
    let workspace = Workspace::new(dir.path());
    let provider = toolc_catalog::provider(Handlers {
        code: CodeHandlers::new(&workspace).limits(limits).environments(offer(Environments::local(&workspace))),
        file: FileHandlers::new(workspace.clone()),
        terminal: TerminalHandlers::new(workspace),
        clarify: toolc_agent::ClarifyHandlers,
        cronjob: toolc_agent::CronjobHandlers,
        kanban: toolc_agent::KanbanHandlers::default(),
        memory: toolc_agent::MemoryHandlers,
        session_search: toolc_agent::SessionSearchHandlers,
        skills: toolc_skills::SkillsHandlers,
        todo: TodoHandlers,
        web: toolc_web::WebHandlers::default(),
    });
    let env = Env::empty().with_program("python3").with_program("sh");
    let approver = approver_fn(|_| ApprovalDecision::AllowOnce);
    let harness = Harness::with_session(provider, |session| configure(session.env(env).approver(approver)));
    Some(Fixture { harness, dir })
}

impl Fixture {
    fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// Runs a script.
    #[track_caller]
    fn run(&self, code: &str) -> Value {
        self.harness.call("execute_code", json!({ "code": code })).value()
    }

    /// Runs a script in a task.
    #[track_caller]
    fn run_in(&self, task: &Task, code: &str) -> Value {
        let arguments = json!({ "code": code }).to_string();
        self.harness.send(&ToolCall::new("execute_code", &arguments).with_task(task)).value()
    }

    /// Runs a script that succeeds, and returns the value of its last expression.
    #[track_caller]
    fn result(&self, code: &str) -> String {
        let value = self.run(code);
        assert!(value.get("error").is_none(), "{value:#}");
        value["result"].as_str().unwrap_or_else(|| panic!("no result: {value:#}")).to_owned()
    }

    /// Runs a script that fails. Returns the type and the message of its error.
    #[track_caller]
    fn error(&self, code: &str) -> [String; 2] {
        let value = self.run(code);
        ["type", "message"].map(|key| value["error"][key].as_str().unwrap_or_else(|| panic!("{value:#}")).to_owned())
    }

    /// Returns the error of a call that fails: its kind and its message.
    #[track_caller]
    fn failure(&self, arguments: &Value) -> [String; 2] {
        let value: Value = serde_json::from_str(&self.harness.call("execute_code", arguments).response().json).unwrap();
        ["kind", "error"].map(|key| value[key].as_str().unwrap_or_else(|| panic!("{value:#}")).to_owned())
    }
}
