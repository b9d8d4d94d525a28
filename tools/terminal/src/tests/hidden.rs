//! Commands from which a folder is hidden, in a session that judges commands.

use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use toolc::Env;
use toolc::approval::{ApprovalDecision, CommandApproval, CommandMode, approver_fn};
use toolc::testing::Harness;
use toolc_environment::{HiddenFolder, LocalKind};
use toolc_test_support::skip;
use toolc_workspace::Environments;

use super::*;

/// A session whose commands do not see the folder `home` of a temporary directory, except `home/skills`.
struct Session {
    harness: Harness,
    dir: TempDir,
    asked: Arc<Mutex<Vec<String>>>,
}

/// Makes a session, or says that the system hides no folders.
fn session(mode: CommandMode, answer: Option<fn() -> ApprovalDecision>) -> Option<Session> {
    if let Err(problem) = HiddenFolder::check_available() {
        skip(problem.to_string(), "a kernel that allows user namespaces");
        return None;
    }
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("home");
    fs::create_dir_all(home.join("skills")).unwrap();
    fs::write(home.join("secret"), "hidden text\n").unwrap();
    let workspace = Workspace::new(dir.path());
    let kind = LocalKind::default().hiding(HiddenFolder::new(&home).except("skills"));
    let handlers =
        TerminalHandlers::new(workspace.clone()).environments(Environments::local(&workspace).with_kind(kind));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let harness = Harness::with_session(toolc_catalog::terminal::provider(handlers), |session| {
        let commands = CommandApproval::new(toolc_catalog::commands::rules());
        let commands = commands.mode(mode).directory(dir.path().canonicalize().unwrap()).home("/home/me");
        let session = session.env(Env::empty().with_program("sh")).commands(commands);
        let Some(answer) = answer else { return session };
        session.approver(approver_fn(move |request| {
            kept.lock().unwrap().push(request.to_string());
            answer()
        }))
    });
    Some(Session { harness, dir, asked })
}

impl Session {
    fn run(&self, command: &str) -> Value {
        self.call(&json!({ "command": command }))
    }

    fn call(&self, arguments: &Value) -> Value {
        serde_json::from_str(&self.harness.call("terminal", arguments).response().json).unwrap()
    }

    /// Returns the questions since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Makes it impossible to hide the folder: its path cannot be resolved.
    fn break_home(&self) {
        let home = self.dir.path().join("home");
        fs::rename(&home, self.dir.path().join("moved")).unwrap();
        symlink("home", home).unwrap();
    }
}

fn allow() -> ApprovalDecision {
    ApprovalDecision::AllowOnce
}

fn deny() -> ApprovalDecision {
    ApprovalDecision::Deny("no".to_owned())
}

/// A line of a program that always needs more rights, and one that is not plain.
const MIXED: &str = "mount > /dev/null; sed -n p home/secret";

#[test]
fn a_line_of_privileged_and_plain_programs_sees_the_home_without_a_question() {
    let Some(session) = session(CommandMode::Ask, Some(deny)) else { return };
    let result = session.run("mount > /dev/null; cat home/secret");
    assert_eq!(result["output"], "hidden text\n", "{result}");
    assert_eq!(session.asked(), [""; 0]);
    let result = session.run("sed -n p home/secret");
    assert!(result["output"].as_str().unwrap().contains("No such file"), "{result}");
}

#[test]
fn a_mixed_line_asks_and_runs_where_nothing_is_hidden() {
    let Some(session) = session(CommandMode::Ask, Some(allow)) else { return };
    let result = session.run(MIXED);
    assert_eq!(result["output"], "hidden text\n", "{result}");
    assert!(result.get("note").is_none(), "{result}");
    let [question] = &session.asked()[..] else { panic!("one question") };
    assert!(
        question.contains("needs-rights: `mount` needs rights") && question.contains("home of toolc"),
        "{question}"
    );

    let started = session.call(&json!({ "command": format!("{MIXED}; cat"), "background": true }));
    assert_eq!(started["output"], "hidden text\n", "{started}");
    assert_eq!(session.asked().len(), 1);
}

#[test]
fn an_answer_for_the_session_covers_only_the_same_mixed_line() {
    let Some(session) = session(CommandMode::Ask, Some(|| ApprovalDecision::AllowForSession)) else { return };
    for (line, questions) in [(MIXED, 1), (MIXED, 0), ("mount > /dev/null; sed p home/secret", 1)] {
        session.run(line);
        assert_eq!(session.asked().len(), questions, "{line}");
    }
}

#[test]
fn a_denied_mixed_line_says_how_to_split_it() {
    for (mode, answer, kind) in [
        (CommandMode::Ask, Some(deny as fn() -> ApprovalDecision), "denied"),
        (CommandMode::Ask, None, "refused"),
        (CommandMode::Deny, None, "denied"),
    ] {
        let Some(session) = session(mode, answer) else { return };
        let result = session.run(&format!("{MIXED}; touch made"));
        assert_eq!(result["kind"], kind, "{result}");
        let error = result["error"].as_str().unwrap();
        assert!(
            error.contains("`mount` needs rights that it has only where the home of toolc is not hidden"),
            "{error}"
        );
        assert!(error.contains("Run `mount` in a line of its own") && !error.contains("spelling"), "{error}");
        assert!(!session.dir.path().join("made").exists());
        assert_eq!(session.run("mount > /dev/null && echo done")["output"], "done\n");
    }
}

#[test]
fn a_mixed_line_runs_as_others_if_approval_is_off() {
    let Some(session) = session(CommandMode::Off, Some(allow)) else { return };
    let result = session.run(MIXED);
    assert!(result["output"].as_str().unwrap().contains("No such file"), "{result}");
    assert!(result["note"].as_str().unwrap().starts_with("`mount` may fail in this line"), "{result}");
    assert_eq!(session.asked(), [""; 0]);
}

#[test]
fn a_program_of_the_same_name_elsewhere_needs_no_rights() {
    let Some(session) = session(CommandMode::Ask, Some(deny)) else { return };
    fs::write(session.dir.path().join("mount"), "#!/bin/sh\necho mine\n").unwrap();
    let result = session.run("chmod u+x mount && ./mount && sed -n p home/secret");
    assert!(result["output"].as_str().unwrap().starts_with("mine\n"), "{result}");
    assert!(result["output"].as_str().unwrap().contains("No such file"), "{result}");
    assert_eq!(session.asked(), [""; 0]);
}

#[test]
fn a_call_asks_if_the_home_cannot_be_hidden_from_it() {
    let Some(session) = session(CommandMode::Ask, Some(allow)) else { return };
    assert_eq!(session.run("sed -n p home/secret | wc -c")["output"].as_str().unwrap().lines().last(), Some("0"));
    assert_eq!(session.asked(), [""; 0]);
    session.break_home();
    let result = session.run("sed -n p moved/secret");
    assert_eq!(result["output"], "hidden text\n", "{result}");
    let [question] = &session.asked()[..] else { panic!("one question") };
    assert!(question.contains("visible-home: The home of toolc is visible to this command"), "{question}");
    let started = session.call(&json!({ "command": "echo started; cat", "background": true }));
    assert_eq!((started["output"].as_str(), session.asked().len()), (Some("started\n"), 1), "{started}");
}

#[test]
fn a_command_from_which_the_home_cannot_be_hidden_does_not_run_without_an_answer() {
    for (mode, answer) in [
        (CommandMode::Ask, Some(deny as fn() -> ApprovalDecision)),
        (CommandMode::Ask, None),
        (CommandMode::Deny, None),
        (CommandMode::Off, None),
    ] {
        let Some(session) = session(mode, answer) else { return };
        session.break_home();
        let result = session.run("touch made");
        let error = result["error"].as_str().unwrap_or_else(|| panic!("{mode:?}: {result}"));
        assert!(error.contains("home") && error.contains("hidden"), "{error}");
        assert!(!session.dir.path().join("made").exists());
    }
}
