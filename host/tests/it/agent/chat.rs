//! The chat in a real terminal, which tmux shows.

use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use toolc_test_support::{LIMIT, programs::has};

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run, script};

/// A server of tmux with the chat in its only window.
pub(crate) struct Tmux<'f> {
    folder: &'f Path,
}

impl<'f> Tmux<'f> {
    /// Starts the chat, or prints why it cannot.
    pub(crate) fn start(folder: &'f Path, args: &str) -> Option<Self> {
        Self::start_with(folder, args, &[])
    }

    /// Starts the chat with these environment variables.
    pub(crate) fn start_with(folder: &'f Path, args: &str, variables: &[(&str, &str)]) -> Option<Self> {
        if !has("tmux") {
            return None;
        }
        let tmux = Self { folder };
        let home = folder.join("home");
        let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
        let variables = variables.concat();
        let line = format!(
            "cd '{}' && {variables}TOOLC_HOME='{}' XDG_CONFIG_HOME='{}' '{}' {args}; echo \"status $?\"; sleep 600",
            folder.display(),
            home.display(),
            folder.join("config").display(),
            env!("CARGO_BIN_EXE_toolc")
        );
        let started = tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", &line]);
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        Some(tmux)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.folder.join("tmux")).args(args).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        command.output().expect("failed to start tmux")
    }

    /// Returns what is shown.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.run(&["capture-pane", "-p"]).stdout).into_owned()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
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

    pub(crate) fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
    }

    pub(crate) fn press(&self, key: &str) {
        self.run(&["send-keys", key]);
    }

    /// Types a line, and sends it.
    pub(crate) fn say(&self, text: &str) {
        self.type_text(text);
        self.press("Enter");
    }
}

impl Tmux<'_> {
    /// Kills the chat, and waits until it has ended.
    pub(crate) fn kill(&self) {
        let shell =
            String::from_utf8_lossy(&self.run(&["display-message", "-p", "#{pane_pid}"]).stdout).trim().to_owned();
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("the shell runs");
        let chat = children.split_whitespace().next().expect("the shell has started the chat");
        toolc_test_support::send_signal("KILL", chat.parse().expect("a number"));
        self.wait_for("status 137");
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
    // What the server has counted includes the tool definitions.
    tmux.wait_for("about 959 in the context");

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
    let exported = run(folder.path(), &["sessions", "export"], &[]).out;
    assert!(exported.contains(r#"one\ntwo""#), "the backslash is not a part of the message: {exported}");
}

#[test]
fn a_refused_command_of_the_person_is_explained_to_the_person() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "I see." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("!rm -rf build");
    tmux.wait_for("[y] once");
    thread::sleep(Duration::from_millis(300));
    tmux.press("n");
    tmux.wait_for("you said no");
    let screen = tmux.screen();
    assert!(!screen.contains("the user") && !screen.contains("Do not"), "{screen}");
    assert!(folder.path().join("build").exists());
}

#[test]
fn ctrl_c_at_a_question_ends_the_turn_without_another_question() {
    let folder = folder();
    let call = |command: &str| json!({ "name": "terminal", "arguments": { "command": command } });
    let model = script(
        folder.path(),
        "model",
        &[json!({ "calls": [call("rm -rf build"), call("rm -rf .")] }), json!({ "text": "never" })],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Delete it.");
    tmux.wait_for("[y] once");
    thread::sleep(Duration::from_millis(300));
    tmux.press("C-c");
    tmux.wait_for("(interrupted)");
    let screen = tmux.screen();
    assert_eq!(screen.matches("[y] once").count(), 1, "{screen}");
    assert!(!screen.contains("never") && folder.path().join("build").exists(), "{screen}");
}

#[test]
fn messages_have_several_lines_and_a_history() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "Seen." }), json!({ "text": "Again." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.wait_until("a prompt", |screen| screen.lines().any(|line| line.trim_end() == ">"));
    tmux.type_text("first");
    tmux.press("C-j");
    tmux.type_text("second");
    tmux.press("M-Enter");
    // Pasted text with newlines is not sent before Enter.
    tmux.run(&["set-buffer", "third\nfourth"]);
    tmux.run(&["paste-buffer", "-p"]);
    tmux.wait_for("fourth");
    assert!(!tmux.screen().contains("Seen."), "{}", tmux.screen());
    tmux.press("Enter");
    tmux.wait_for("Seen.");
    tmux.say("/new");
    tmux.wait_for("a new conversation begins");
    // The arrow finds the message before the last line, and Ctrl-R by a part of it.
    tmux.press("Up");
    tmux.press("Up");
    tmux.wait_until("the message again", |screen| screen.matches("fourth").count() == 2);
    tmux.press("C-c");
    tmux.wait_for("press Ctrl-C again");
    tmux.press("C-r");
    tmux.type_text("seco");
    tmux.wait_until("the message again", |screen| screen.matches("fourth").count() == 3);
    tmux.press("Enter");
    tmux.wait_until("another answer", |screen| screen.matches("Seen.").count() + screen.matches("Again.").count() == 2);
    tmux.press("C-d");
    tmux.wait_for("status 0");
    drop(tmux);
    let exported = run(folder.path(), &["sessions", "export"], &[]);
    let texts: Vec<serde_json::Value> = exported
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"))
        .filter(|line| line["kind"] == "user")
        .collect();
    assert_eq!(texts.len(), 2, "{}", exported.out);
    assert!(texts.iter().all(|line| line["text"] == "first\nsecond\nthird\nfourth"), "{}", exported.out);
}

#[test]
fn text_appears_as_it_arrives_and_ctrl_c_twice_ends_the_turn() {
    let folder = folder();
    let vendor = &VENDORS[0];
    // The call ignores its cancellation for a while.
    let command = json!({ "command": "trap '' TERM INT; sleep 5", "timeout": 60 });
    let story = (vendor.answer)("A long story begins here", &[]);
    let server = Server::start(vec![
        Reply::Stalled(story[..2].to_vec()),
        Reply::Events((vendor.answer)("", &[("c1", "terminal", command)])),
        // If the call ends before the second press, that interrupts the model.
        Reply::Stalled(story[..2].to_vec()),
    ]);
    let args = format!("--model {}:m-1", vendor.api);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key"), ("NO_PROXY", "*")];
    let Some(tmux) = Tmux::start_with(folder.path(), &args, &variables) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Tell me.");
    // The server has not sent the rest, and never does.
    tmux.wait_for("A long story");
    assert!(!tmux.screen().contains("begins here"), "{}", tmux.screen());
    tmux.press("C-c");
    tmux.wait_for("(interrupted)");

    tmux.say("Wait.");
    // The spinner with the emoji of the tool, until the call ends.
    tmux.wait_until("the spinner", |screen| {
        screen
            .lines()
            .any(|line| line.starts_with(|c: char| ('\u{2800}'..='\u{28ff}').contains(&c)) && line.contains("💻"))
    });
    tmux.press("C-c");
    tmux.wait_for("press Ctrl-C again to end the turn");
    tmux.press("C-c");
    tmux.wait_until("the end of the turn", |screen| screen.matches("(interrupted)").count() == 2);
    tmux.say("/quit");
    tmux.wait_for("status 0");
    drop(tmux);
    let exported = run(folder.path(), &["sessions", "export"], &[]);
    let lines: Vec<serde_json::Value> =
        exported.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    // What was shown stays, and the call has a result.
    assert!(kinds.starts_with(&["user", "model", "user", "model", "results"]), "{}", exported.out);
    assert_eq!(lines[1]["text"], "A long story\n[interrupted by the user]");
    assert_eq!(lines[4]["details"][0]["error"], "cancelled");
}

#[test]
fn each_command_of_the_chat_does_what_its_help_says() {
    let folder = folder();
    let call = |arguments: serde_json::Value| json!({ "name": "terminal", "arguments": arguments });
    let background = call(json!({ "command": "sleep 600.25", "background": true }));
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "text": "", "calls": [background], "usage": { "input": 900, "output": 9 } }),
            json!({ "text": "It runs.", "usage": { "input": 950, "output": 9 } }),
            json!({ "error": "out of order" }),
            json!({ "text": "Here I am.", "usage": { "input": 950, "output": 9 } }),
        ],
    );
    let auxiliary = script(folder.path(), "auxiliary", &[json!({ "text": "A summary." })]);
    let args = format!("--model {model} --auxiliary-model {auxiliary}");
    let Some(tmux) = Tmux::start(folder.path(), &args) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("/he\t");
    tmux.wait_for("replace the beginning of the conversation with a summary");
    tmux.say("/tools");
    tmux.wait_for("write_file     ");
    tmux.say("/retry");
    tmux.wait_for("nothing is sent again");
    tmux.say("Start it.");
    tmux.wait_for("It runs.");
    tmux.say("Go on.");
    tmux.wait_for("/retry sends the conversation again");
    tmux.say("/retry");
    tmux.wait_for("Here I am.");
    tmux.say("/usage");
    tmux.wait_for("now in the context: about");
    tmux.say("/compact");
    tmux.wait_for("a summary replaces the first");
    // The process of the old conversation ends.
    assert_eq!(sleeping(), 1);
    tmux.say("/new");
    tmux.wait_for("a new conversation begins");
    tmux.wait_until("the end of the process", |_| sleeping() == 0);
    tmux.say("/exit");
    tmux.wait_for("status 0");
}

/// Returns the number of processes that `each_command_of_the_chat_does_what_its_help_says` has started.
fn sleeping() -> usize {
    let lines = std::fs::read_dir("/proc").expect("it can be read").flatten().map(|entry| entry.path().join("cmdline"));
    lines.filter(|line| std::fs::read(line).is_ok_and(|line| line == b"sleep\x00600.25\x00")).count()
}

#[test]
fn a_conversation_is_resumed_in_the_terminal_and_history_is_private() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "Alpha." })]);
    let first = run(folder.path(), &["agent", "The first message", "--model", &model], &[]);
    assert_eq!(first.status, Some(0), "{}", first.err);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model} --resume")) else { return };
    tmux.wait_for("continuing \"The first message\" with 2 messages");
    tmux.say("And now?");
    tmux.wait_until("the second answer", |screen| screen.matches("Alpha.").count() == 2);
    tmux.say("/new");
    tmux.wait_for("a new conversation begins");
    tmux.say("/resume 2\t");
    tmux.wait_until("the first conversation again", |screen| {
        screen.matches("continuing \"The first message\"").count() == 2
    });
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
fn answers_outputs_and_changes_of_files_are_laid_out() {
    let folder = folder();
    let call = |tool: &str, arguments: serde_json::Value| json!({ "name": tool, "arguments": arguments });
    let answer = "# Findings\n\n| file | lines |\n|---|--:|\n| **a.txt** | 1 |\n\n```rust\nfn main() {}\n```\n\nSee [it](https://example.com).";
    let model = script(
        folder.path(),
        "model",
        &[
            json!({ "calls": [call("terminal", json!({ "command": "seq 100 140" }))] }),
            json!({ "calls": [call("read_file", json!({ "path": "a.txt" }))] }),
            json!({ "calls": [call("patch", json!({ "path": "a.txt", "old_string": "alpha", "new_string": "omega" }))] }),
            json!({ "calls": [call("patch", json!({ "path": "none.txt", "old_string": "a", "new_string": "b" }))] }),
            json!({ "text": answer, "usage": { "input": 900, "output": 9 } }),
        ],
    );
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Look around.");
    tmux.wait_for("900 tokens in, 9 out");
    let screen = tmux.screen();
    for part in [
        "    102\n    … 34 lines more, `/output` shows all\n    137\n",
        "    -alpha",
        "    +omega",
        "none.txt",
        "   fn main() {}",
    ] {
        assert!(screen.contains(part.trim_start_matches(' ')), "{part:?} is missing:\n{screen}");
    }
    assert!(screen.contains("file  │ lines\n──────┼──────\na.txt │     1\n"), "{screen}");
    assert!(screen.contains("See it (https://example.com)."), "{screen}");
    assert!(screen.contains(" · ask · local"), "{screen}");
    let with_styles = String::from_utf8_lossy(&tmux.run(&["capture-pane", "-p", "-e"]).stdout).into_owned();
    assert!(with_styles.contains("\u{1b}[31m-alpha") && with_styles.contains("\u{1b}[32m+omega"), "{with_styles}");
    tmux.say("/output 4");
    tmux.wait_for("120");
}

#[test]
fn a_person_who_denies_a_call_can_say_why() {
    let folder = folder();
    let call = json!({ "name": "terminal", "arguments": { "command": "rm -rf build" } });
    let model = script(folder.path(), "model", &[json!({ "calls": [call] }), json!({ "text": "I move it." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model}")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("Delete the build.");
    tmux.wait_for("[r] deny with a reason");
    // What is typed while the question is written is thrown away.
    thread::sleep(Duration::from_millis(300));
    tmux.press("r");
    tmux.wait_for("why not, or what instead?");
    tmux.press("Escape");
    tmux.wait_until("the choices again", |screen| screen.matches("[y] once").count() == 2);
    tmux.press("r");
    tmux.wait_until("the question again", |screen| screen.matches("why not").count() == 2);
    tmux.say("move it to /tmp");
    tmux.wait_for("I move it.");
    assert!(folder.path().join("build").exists());
    drop(tmux);
    let exported = run(folder.path(), &["sessions", "export"], &[]).out;
    assert!(exported.contains("the user said no: move it to /tmp"), "{exported}");
}

#[test]
fn the_person_runs_shell_commands_and_continues_other_conversations() {
    let folder = folder();
    let model = script(folder.path(), "model", &[json!({ "text": "The first." })]);
    let Some(tmux) = Tmux::start(folder.path(), &format!("--model {model} --plain")) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("!echo $((6 * 7))");
    tmux.wait_for("    42");
    tmux.say("@a.t\twhat is it?");
    tmux.wait_for("The first.");
    tmux.say("/clear");
    tmux.wait_for("a new conversation begins");
    tmux.say("Another one.");
    // The status line ends a turn: what is typed before it is for the turn.
    tmux.wait_until("another answer", |screen| screen.matches(" tokens in, ").count() == 2);
    tmux.say("/resume");
    tmux.wait_for("`/resume ID` continues one");
    let sessions = run(folder.path(), &["sessions", "list", "--json"], &[]);
    let sessions: serde_json::Value = serde_json::from_str(&sessions.out).expect("it is JSON");
    let first = sessions[1]["session"].as_str().expect("a name");
    tmux.say(&format!("/resume {first}"));
    tmux.wait_for("continuing \"");
    tmux.wait_until("the answer again", |screen| screen.matches("The first.").count() == 3);
    tmux.say("/permissions");
    tmux.wait_for("no approvals");
    tmux.say("/mcp");
    tmux.wait_for("`toolc mcp add` adds one");
    tmux.press("C-d");
    tmux.wait_for("status 0");
    drop(tmux);
    let exported = run(folder.path(), &["sessions", "export", first], &[]).out;
    let message: serde_json::Value =
        serde_json::from_str(exported.lines().next().expect("a line")).expect("it is JSON");
    let text = message["text"].as_str().expect("a text");
    assert!(text.contains("The user ran a shell command: echo $((6 * 7))") && text.contains("42"), "{text}");
    assert!(text.ends_with("@a.txt what is it?"), "{text}");
    let why = run(folder.path(), &["why", "--call", "user_1", "--session", first], &[]).out;
    assert!(why.contains("  made by      the person, with `!` in the chat\n"), "{why}");
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
