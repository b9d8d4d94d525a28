//! The chat in a real terminal, which tmux shows.

use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{folder, run, script};

/// A limit that is only reached when a test fails.
const LIMIT: Duration = Duration::from_mins(1);

/// A server of tmux with the chat in its only window.
struct Tmux<'f> {
    folder: &'f Path,
}

impl<'f> Tmux<'f> {
    /// Starts the chat, or prints why it cannot.
    fn start(folder: &'f Path, args: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            println!("skipped: tmux is not installed");
            return None;
        }
        let tmux = Self { folder };
        let home = folder.join("home");
        let line = format!(
            "cd '{}' && TOOLC_HOME='{}' XDG_CONFIG_HOME='{}' '{}' {args}; echo \"status $?\"; sleep 600",
            folder.display(),
            home.display(),
            folder.join("config").display(),
            env!("CARGO_BIN_EXE_toolc")
        );
        let started = tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", &line]);
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.folder.join("tmux")).args(args).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        command.output().expect("failed to start tmux")
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.run(&["capture-pane", "-p"]).stdout).into_owned()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    #[track_caller]
    fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return;
            }
            assert!(started.elapsed() < LIMIT, "{what:?} is missing:\n{screen}");
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
    }

    fn press(&self, key: &str) {
        self.run(&["send-keys", key]);
    }

    /// Types a line, and sends it.
    fn say(&self, text: &str) {
        self.type_text(text);
        self.press("Enter");
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn a_conversation_in_the_terminal() {
    let folder = folder();
    let call = |tool: &str, arguments: serde_json::Value| json!({ "name": tool, "arguments": arguments });
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "text": "I read it.", "calls": [call("read_file", json!({ "path": "a.txt" }))], "usage": { "input": 900, "output": 9 } }),
            json!({ "text": "It says alpha.", "usage": { "input": 950, "output": 9 } }),
            json!({ "calls": [call("terminal", json!({ "command": "rm -rf build" }))] }),
            json!({ "text": "It is deleted." }),
            json!({ "calls": [call("terminal", json!({ "command": "sleep 600" }))] }),
            json!({ "text": "You stopped it." }),
            json!({ "text": "never", "wait_ms": 600_000 }),
        ],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.wait_until("a prompt", |screen| screen.lines().any(|line| line.trim_end() == ">"));
    tmux.say("What is in a.txt?");
    tmux.wait_for("It says alpha.");
    tmux.wait_for("read_file a.txt");
    tmux.wait_for("1850 tokens in");

    tmux.say("Delete the build.");
    tmux.wait_for("[y] once");
    // What is typed while the question is written is thrown away.
    thread::sleep(Duration::from_millis(300));
    tmux.press("y");
    tmux.wait_for("It is deleted.");
    assert!(!folder.path().join("build").exists());

    tmux.say("Wait.");
    tmux.wait_for("sleep 600");
    tmux.press("C-c");
    tmux.wait_for("You stopped it.");

    // A message of several lines; Ctrl-C ends the turn while the model thinks.
    tmux.type_text("one\\");
    tmux.press("Enter");
    tmux.say("two");
    tmux.wait_for("thinking");
    tmux.press("C-c");
    tmux.wait_for("(interrupted)");

    tmux.say("/hlep");
    tmux.wait_for("did you mean `/help`?");
    tmux.say("/session");
    tmux.wait_for("toolc --resume");
    tmux.press("C-d");
    tmux.wait_for("status 0");
    drop(tmux);

    let sessions = run(folder.path(), &["sessions", "list", "--json"], &[]);
    let sessions: serde_json::Value = serde_json::from_str(&sessions.out).expect("it is JSON");
    assert_eq!((&sessions[0]["source"], &sessions[0]["title"]), (&json!("chat"), &json!("What is in a.txt?")));
}

#[test]
fn a_conversation_is_resumed_in_the_terminal_and_history_is_private() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "Alpha." })]);
    let first = run(folder.path(), &["agent", "The first message", "--model", &model], &[]);
    assert_eq!(first.status, Some(0), "{}", first.err);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model} --resume")) else { return };
    tmux.wait_for("continues \"The first message\" with 2 messages");
    tmux.say("And now?");
    tmux.wait_for("Alpha.");
    tmux.say("/new");
    tmux.wait_for("a new conversation begins");
    tmux.press("C-c");
    tmux.wait_for("press Ctrl-C again");
    tmux.press("C-c");
    tmux.wait_for("status 0");
    drop(tmux);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let history = folder.path().join("home/cache/history");
        let mode = std::fs::metadata(&history).expect("the history exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(std::fs::read_to_string(&history).expect("it is text").contains("And now?"));
    }
}

#[test]
fn without_a_terminal_the_chat_says_what_to_do() {
    let folder = folder();
    let chat = run(folder.path(), &[], &[]);
    assert_eq!(chat.status, Some(2));
    assert!(chat.err.contains("the chat needs a terminal. `toolc agent PROMPT`"), "{}", chat.err);
    let misplaced = run(folder.path(), &["--model", "x", "agent", "y"], &[]);
    assert_eq!(misplaced.status, Some(2));
    assert!(misplaced.err.contains("`--model` before `agent` belongs to the chat"), "{}", misplaced.err);
}
