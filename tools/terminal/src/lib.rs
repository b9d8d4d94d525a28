//! Handlers of the shipped toolset `terminal`: run a shell command, with limits on its time and output.
//!
//! [`environment`] removes credentials from the command's environment, [`process`] runs the command, and [`transcript`] keeps its
//! output. Whether a command may run is not decided here: the host decides that.

mod environment;
mod escapes;
mod process;
mod transcript;

use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde::Serialize;
use toolc::{Call, ErrorKind, ToolError, ToolOutput, ToolResult};
use toolc_catalog::terminal::TerminalTools;
use toolc_catalog::terminal::terminal::Args;

use toolc_workspace::Workspace;

/// The handler of the toolset `terminal`.
///
/// ```
/// use toolc_terminal::TerminalHandlers;
/// use toolc_workspace::Workspace;
///
/// let handlers = TerminalHandlers::new(Workspace::current()).pass_env("SSH_AUTH_SOCK");
/// ```
#[derive(Debug)]
pub struct TerminalHandlers {
    workspace: Workspace,
    credentials: environment::CredentialFilter,
}

impl TerminalHandlers {
    /// Returns handlers that run commands in `workspace`, unless a call names another directory.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, credentials: environment::CredentialFilter::default() }
    }

    /// Passes the environment variable `name` on to commands, although its name looks like that of a credential. For example,
    /// `SSH_AUTH_SOCK` allows git to push. The case of `name` is ignored.
    #[must_use]
    pub fn pass_env(mut self, name: impl Into<String>) -> Self {
        self.credentials.add_exception(name.into());
        self
    }
}

#[derive(Serialize)]
struct CommandResult {
    output: String,
    /// Null if a signal ended the shell.
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    timed_out: bool,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl TerminalTools for TerminalHandlers {
    fn terminal(&self, args: Args, call: &Call<'_>) -> ToolResult {
        let dir = self.workspace.locate(args.workdir.as_deref().unwrap_or("."))?;
        if !dir.is_dir() {
            let shown = args.workdir.as_deref().unwrap_or("the working directory");
            return Err(ToolError::with_kind(
                ErrorKind::NotFound,
                format!("`{shown}` is not an existing directory: nothing was run"),
            ));
        }
        let seconds = u64::try_from(args.timeout).unwrap_or(1).clamp(1, 600);
        let mut command = process::shell(&args.command);
        command.current_dir(&dir);
        self.credentials.apply(&mut command);
        let started = Instant::now();
        let outcome = process::run(command, Duration::from_secs(seconds), || call.is_cancelled());
        let outcome = outcome.map_err(|error| explain(&error))?;
        if outcome.timed_out && call.is_cancelled() {
            return Err(ToolError::with_kind(
                ErrorKind::Cancelled,
                "the command was stopped because the call was cancelled",
            ));
        }
        let note = if outcome.timed_out {
            Some(format!("ended after {seconds} s; use a longer timeout or a smaller command"))
        } else if outcome.left_running {
            Some(
                "a background process still has the output open; its further output is lost, so redirect it to a file \
                 instead"
                    .to_owned(),
            )
        } else {
            None
        };
        ToolOutput::json(&CommandResult {
            output: outcome.transcript,
            exit_code: outcome.status.code(),
            signal: signal(outcome.status),
            timed_out: outcome.timed_out,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            note,
        })
    }
}

fn explain(error: &io::Error) -> ToolError {
    let advice = match error.kind() {
        io::ErrorKind::ArgumentListTooLong => "put long input into a file and name that",
        io::ErrorKind::InvalidInput => "remove the NUL characters",
        _ => "the host may be out of resources: try again later",
    };
    ToolError::new(format!("failed to start the shell: {error}; {advice}"))
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal()?;
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return Some(format!("signal {number}")),
    };
    Some(name.to_owned())
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use serde_json::{Value, json};

    use tempfile::TempDir;
    use toolc::testing::{Caller, TestResponse};

    use super::*;

    /// Handlers whose workspace is a temporary directory.
    struct Fixture {
        handlers: TerminalHandlers,
        dir: TempDir,
        caller: Caller,
    }

    fn fixture() -> Fixture {
        let dir = TempDir::new().unwrap();
        Fixture { handlers: TerminalHandlers::new(Workspace::new(dir.path())), dir, caller: Caller::new() }
    }

    impl Fixture {
        fn call(&self) -> Call<'_> {
            self.caller.call("terminal")
        }
    }

    #[track_caller]
    fn value(result: ToolResult) -> Value {
        TestResponse::from(result).value()
    }

    fn run(f: &Fixture, command: &str, timeout: i64) -> Value {
        value(f.handlers.terminal(Args { command: command.into(), timeout, workdir: None }, &f.call()))
    }

    #[test]
    fn output_of_both_streams_is_in_order() {
        let f = fixture();
        let ran = run(&f, "echo one; echo two >&2; echo three; exit 3", 10);
        assert_eq!((&ran["output"], &ran["exit_code"]), (&json!("one\ntwo\nthree\n"), &json!(3)));
        assert_eq!((&ran["timed_out"], ran.get("signal"), ran.get("note")), (&json!(false), None, None));
        assert_eq!(run(&f, "cat; printf '\\033[31mred\\033[0m\\377'", 10)["output"], "red\u{fffd}", "no input");
        let killed = run(&f, "kill -9 $$", 10);
        assert_eq!((&killed["exit_code"], &killed["signal"]), (&Value::Null, &json!("SIGKILL")));
    }

    #[test]
    fn a_command_runs_in_the_given_directory() {
        let f = fixture();
        std::fs::create_dir(f.dir.path().join("sub")).unwrap();
        std::fs::write(f.dir.path().join("sub/x"), "").unwrap();
        let list = |workdir: &str| {
            f.handlers.terminal(Args { command: "ls".into(), timeout: 10, workdir: Some(workdir.into()) }, &f.call())
        };
        assert_eq!(value(list("sub"))["output"], "x\n");
        assert_eq!(run(&f, "ls", 10)["output"], "sub\n");
        assert_eq!(list("sub/x").unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(list("none").unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_timeout_ends_all_processes_of_a_command() {
        let f = fixture();
        // The shell, a child and a grandchild, all of which ignore SIGTERM.
        let ran = run(&f, "trap '' TERM; echo begun; (trap '' TERM; sleep 61; echo no) & sleep 62; sleep 63", 1);
        assert_eq!((&ran["output"], &ran["timed_out"]), (&json!("begun\n"), &json!(true)));
        assert_eq!(ran["signal"], "SIGKILL");
        let terminated = run(&f, "sleep 64", 1);
        assert_eq!(terminated["signal"], "SIGTERM");
    }

    #[test]
    fn cancelling_a_call_stops_its_command() {
        let f = fixture();
        std::thread::scope(|scope| {
            let call = scope.spawn(|| {
                let args = Args { command: "touch begun; sleep 65".into(), timeout: 60, workdir: None };
                f.handlers.terminal(args, &f.call())
            });
            while !f.dir.path().join("begun").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            f.caller.cancel();
            assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        });
    }

    #[test]
    fn long_output_is_shortened() {
        let f = fixture();
        let ran = run(&f, "yes", 1);
        assert_eq!(ran["timed_out"], true);
        let output = ran["output"].as_str().unwrap();
        assert!(output.starts_with("y\ny\n") && output.contains("characters left out"));
        assert!((50_000..50_100).contains(&output.chars().count()));
    }

    #[test]
    fn a_background_process_does_not_delay_the_result() {
        let f = fixture();
        let ran = run(&f, "(sleep 3; echo late; touch alive) & echo done", 20);
        assert_eq!((&ran["output"], &ran["exit_code"]), (&json!("done\n"), &json!(0)));
        assert!(ran["note"].as_str().unwrap().contains("a background process still has the output open"));
        // The process goes on running, and its output does not end it.
        let is_alive = (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            f.dir.path().join("alive").exists()
        });
        assert!(is_alive);
        let quiet = run(&f, "sleep 2 > /dev/null 2>&1 & echo done", 20);
        assert_eq!(quiet.get("note"), None, "the output is redirected");
    }

    #[test]
    fn closed_output_does_not_end_the_command() {
        let f = fixture();
        let ran = run(&f, "exec >&- 2>&-; sleep 0.3; exit 4", 10);
        assert_eq!((&ran["exit_code"], &ran["output"]), (&json!(4), &json!("")));
        assert!(ran["duration_ms"].as_u64().unwrap() >= 300);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_detached_or_stopped_process_does_not_outlast_the_timeout() {
        let f = fixture();
        let detached = run(&f, "setsid sh -c 'sleep 3; touch alive' & sleep 65", 1);
        let stopped = run(&f, "kill -STOP $$; echo no", 1);
        assert!(detached["timed_out"] == true && stopped["timed_out"] == true);
        assert_eq!(stopped["output"], "");
        std::thread::sleep(Duration::from_secs(3));
        assert!(!f.dir.path().join("alive").exists());
    }

    #[test]
    fn a_command_that_cannot_start_is_explained() {
        let f = fixture();
        let run = |command: String| f.handlers.terminal(Args { command, timeout: 10, workdir: None }, &f.call());
        let error = run("#".repeat(8 << 20)).unwrap_err();
        assert!(error.message().contains("put long input into a file"), "{error}");
        assert!(run("a\0b".to_owned()).unwrap_err().message().contains("NUL"));
    }

    #[test]
    fn git_does_not_ask_for_credentials() {
        assert_eq!(run(&fixture(), "echo $GIT_TERMINAL_PROMPT", 10)["output"], "0\n");
    }
}
