//! Sessions that judge commands: the state of the shell, and input of running programs.

use std::os::unix::ffi::OsStringExt as _;
use std::sync::{Arc, Mutex};

use toolc::Env;
use toolc::approval::{ApprovalDecision, CommandApproval, CommandMode, approver_fn};
use toolc::testing::Harness;
use toolc_test_support::{programs, skip};

use super::*;

/// A session with the shipped rules, in a temporary directory.
struct Session {
    harness: Harness,
    dir: TempDir,
    asked: Arc<Mutex<Vec<String>>>,
}

/// Makes a session in which a person answers each question in this way.
fn session(answer: fn() -> ApprovalDecision) -> Session {
    let dir = TempDir::new().unwrap();
    let handlers = TerminalHandlers::new(Workspace::new(dir.path()));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let harness = Harness::with_session(toolc_catalog::terminal::provider(handlers), |session| {
        let commands = CommandApproval::new(toolc_catalog::commands::rules());
        let commands = commands.mode(CommandMode::Ask).directory(dir.path().canonicalize().unwrap()).home("/home/me");
        let approver = approver_fn(move |request| {
            kept.lock().unwrap().push(request.to_string());
            answer()
        });
        session.env(Env::empty().with_program("sh")).commands(commands).approver(approver)
    });
    Session { harness, dir, asked }
}

impl Session {
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        serde_json::from_str(&self.harness.call(tool, arguments).response().json).unwrap()
    }

    fn run(&self, command: &str) -> Value {
        self.call("terminal", &json!({"command": command}))
    }

    fn start(&self, command: &str, pty: bool) -> String {
        let started = self.call("terminal", &json!({"command": command, "background": true, "pty": pty}));
        started["session_id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned()
    }

    fn write(&self, id: &str, data: &str) -> Value {
        self.call("process", &json!({"action": "write", "session_id": id, "data": data}))
    }

    /// Writes, and returns `written` or the kind of the error.
    fn kind(&self, id: &str, data: &str) -> String {
        let result = self.write(id, data);
        result["kind"].as_str().unwrap_or("written").to_owned()
    }

    fn asked(&self) -> usize {
        std::mem::take(&mut *self.asked.lock().unwrap()).len()
    }
}

fn deny() -> ApprovalDecision {
    ApprovalDecision::Deny("no".to_owned())
}

#[test]
fn input_is_judged_where_the_command_that_started_its_shell_went() {
    let session = session(deny);
    for (command, pty) in [("cd /etc; sh", false), ("cd /etc && exec sh", false), ("cd /; cd etc; sh -i", true)] {
        let id = session.start(command, pty);
        assert_eq!(session.kind(&id, "rm -rf .\n"), "denied", "{command}");
        assert_eq!(session.kind(&id, "cat shadow\n"), "denied", "{command}");
    }
    let id = session.start("cd .; sh", false);
    assert_eq!(session.kind(&id, "ls\n"), "written");
}

#[test]
fn relative_paths_are_judged_in_a_directory_that_is_not_utf_8() {
    let session = session(deny);
    let folder = session.dir.path().join(std::ffi::OsString::from_vec(b"\xfd".to_vec()));
    if let Err(error) = fs::create_dir(folder) {
        skip(format!("no folder has a name that is not UTF-8: {error}"), "a file system for such names, as Linux has");
        return;
    }
    let up = "../".repeat(session.dir.path().canonicalize().unwrap().components().count());
    for command in
        [format!("echo x >> {up}etc/passwd"), format!("cat {up}etc/shadow"), format!("cd {up}etc; cat shadow")]
    {
        let refused = session.call("terminal", &json!({"command": command, "workdir": r"\xfd"}));
        assert_eq!(refused["kind"], "denied", "{command}: {refused}");
    }
    let listed = session.call("terminal", &json!({"command": "ls", "workdir": r"\xfd"}));
    assert_eq!(listed["exit_code"], 0, "{listed}");
}

#[test]
fn a_command_is_judged_in_the_directory_of_the_one_before() {
    let session = session(deny);
    fs::create_dir(session.dir.path().join("build")).unwrap();
    assert_eq!(session.run("cd /etc")["directory"], "/etc");
    let refused = session.run("rm -rf .");
    assert_eq!((&refused["kind"], session.asked()), (&json!("denied"), 0), "by a rule: {refused}");
    assert!(refused["error"].as_str().unwrap().contains("no approval can change that"), "{refused}");
    session.run(&format!("cd {}", session.dir.path().display()));
    assert_eq!((&session.run("rm -rf build")["kind"], session.asked()), (&json!("denied"), 1), "by the person");
    session.run("export TARGET=/etc");
    let refused = session.run("rm -rf $TARGET");
    assert!(refused["error"].as_str().unwrap().contains("no approval can change that"), "{refused}");
    assert!(session.dir.path().join("build").exists());
}

#[test]
fn a_directory_of_a_call_and_input_are_judged_from_where_the_shell_is() {
    let session = session(deny);
    session.run("cd /usr");
    let refused = session.call("terminal", &json!({"command": "rm -rf .", "workdir": "../etc"}));
    assert!(refused["error"].as_str().unwrap().contains("no approval can change that"), "{refused}");
    session.run("cd /etc");
    let refused = session.call("terminal", &json!({"command": "rm -rf .", "background": true}));
    assert!(refused["error"].as_str().unwrap().contains("no approval can change that"), "{refused}");
    let id = session.start("sh", false);
    assert_eq!((session.kind(&id, "rm -rf .\n"), session.asked()), ("denied".to_owned(), 0), "by a rule");
}

#[test]
fn a_link_to_a_folder_of_the_system_is_judged_as_that_folder() {
    let session = session(deny);
    std::os::unix::fs::symlink("/etc", session.dir.path().join("link")).unwrap();
    session.run("cd link");
    let refused = session.run("rm -rf .");
    assert!(refused["error"].as_str().unwrap().contains("no approval can change that"), "{refused}");
}

#[test]
fn a_directory_that_is_gone_is_judged_again() {
    let session = session(deny);
    let sub = session.dir.path().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(session.dir.path().join("file"), "").unwrap();
    session.run("cd sub");
    fs::remove_dir(&sub).unwrap();
    // In the folder that is gone, this is allowed; in the default, it would be too. What asks is asked in the default.
    let refused = session.run("rm -rf ../other");
    assert_eq!(refused["kind"], "denied");
    let ran = session.run("pwd");
    assert!(ran["note"].as_str().unwrap().contains("no longer exists"), "{ran}");
}

#[test]
fn input_of_a_shell_is_judged_line_by_line() {
    for (command, pty) in [("sh", false), ("sh", true), ("bash --norc", true), ("exec sh -i", true)] {
        let session = session(deny);
        let id = session.start(command, pty);
        assert_eq!(session.kind(&id, "echo hello\n"), "written");
        assert_eq!(session.kind(&id, "rm -rf /etc\n"), "denied", "{command}");
        assert_eq!(session.asked(), 0, "by a rule");
        // In pieces.
        assert_eq!(session.kind(&id, "rm -rf "), "written");
        assert_eq!(session.kind(&id, "/et"), "written");
        assert_eq!(session.kind(&id, "c\n"), "denied");
        assert_eq!(session.kind(&id, "x\necho; rm -r "), "denied", "the piece before is still there");
    }
}

#[test]
fn a_line_continues_and_hides_nothing() {
    for (first, second) in [
        ("rm -rf \\\n", "/etc\n"),
        ("echo 'a\n", "rm -rf /etc\n"),
        ("cat\nit's\n", "rm -rf /etc\n"),
        ("alias ls='rm -rf /etc'\n", "ls\n"),
        ("x=/etc\n", "rm -rf $x\n"),
    ] {
        let session = session(|| ApprovalDecision::AllowOnce);
        let id = session.start("sh", false);
        assert_eq!(session.kind(&id, first), "written", "{first:?}");
        assert_eq!(session.kind(&id, second), "denied", "{first:?} {second:?}");
    }
}

#[test]
fn control_characters_pass_and_hide_nothing() {
    let session = session(deny);
    let id = session.start("sh", true);
    assert_eq!(session.kind(&id, "\u{3}"), "written");
    assert_eq!(session.kind(&id, "rm -rf \u{3}ls\n"), "denied", "whether Ctrl-C clears the line depends on settings");
    assert_eq!(session.kind(&id, "\u{3}\u{3}ls\n"), "written");
    for data in ["rm -rf /etc\r", "rm -rf /etc\u{4}", "rm -rf /etc\u{f}", "ls\u{1b}[A\n", "ls\u{7f}\n", "rm -r /et\t\n"]
    {
        assert_eq!(session.kind(&id, data), "denied", "{data:?}");
    }
    let piped = session.start("sh", false);
    assert_eq!(session.kind(&piped, "rm -rf /etc\u{3}\n"), "denied", "a pipe has no Ctrl-C");
    assert_eq!(session.kind(&piped, "rm -rf \r/etc\n"), "denied");
}

#[test]
fn the_end_of_input_is_judged() {
    let session = session(deny);
    let id = session.start("sh", false);
    assert_eq!(session.kind(&id, "rm -rf /etc"), "written", "not complete yet");
    let closed = session.call("process", &json!({"action": "close", "session_id": id}));
    assert_eq!(closed["kind"], "denied");
}

#[test]
fn code_of_another_language_needs_a_person() {
    if !programs::has("python3") {
        return;
    }
    let session = session(|| ApprovalDecision::AllowForSession);
    let id = session.start("python3 -i", true);
    assert_eq!((session.kind(&id, "print(1)\n"), session.asked()), ("written".to_owned(), 1));
    assert_eq!((session.kind(&id, "print(2)\n"), session.asked()), ("written".to_owned(), 0), "for the session");
    let strict = self::session(deny);
    let id = strict.start("python3 -i", false);
    assert_eq!(strict.kind(&id, "print(1)\n"), "denied");
}

#[test]
fn input_of_other_programs_is_not_judged() {
    let session = session(deny);
    let id = session.start("cat > file", false);
    assert_eq!((session.kind(&id, "rm -rf /etc\n"), session.asked()), ("written".to_owned(), 0));
}

#[test]
fn keys_for_an_editor_need_a_person_also_without_a_newline() {
    if !programs::has("vim") || !programs::has("git") {
        return;
    }
    let session = session(deny);
    for command in ["vim file || cat", "git commit || cat", "sh -c 'exec ed file'"] {
        let id = session.start(command, true);
        // Each of these runs a command, writes a file, or prepares that.
        for keys in
            [":!touch x\r", ":call system('touch x')\r", "i:!touch x\u{16}013\u{1b}0D@-", ":w! ~/.bashrc\r", "K"]
        {
            assert_eq!((session.kind(&id, keys), session.asked()), ("denied".to_owned(), 1), "{command}: {keys:?}");
        }
    }
    let session = self::session(|| ApprovalDecision::AllowForSession);
    let id = session.start("vim file || cat", true);
    assert_eq!((session.kind(&id, "itext"), session.asked()), ("written".to_owned(), 1));
    assert_eq!((session.kind(&id, "more\r"), session.asked()), ("written".to_owned(), 0));
}

#[test]
fn commands_in_a_pager_are_judged() {
    if !programs::has("less") {
        return;
    }
    let session = session(deny);
    let id = session.start("less file || cat", true);
    for keys in [" ", "G", "/text\r", "!ls\r", "q"] {
        assert_eq!(session.kind(&id, keys), "written", "{keys:?}");
    }
    for keys in ["!rm -rf /etc\r", "#rm -rf /etc\r", "|$rm -rf /etc\r", "!rm -rf /etc", "/a!b\r!rm -rf /etc\r"] {
        assert_eq!(session.kind(&id, keys), "denied", "{keys:?}");
    }
    assert_eq!(session.kind(&id, "!r"), "written");
    assert_eq!(session.kind(&id, "m -rf /etc"), "denied", "in pieces");
}

#[test]
fn input_of_an_unknown_program_is_judged_like_that_of_a_shell() {
    let session = session(deny);
    fs::copy("/bin/sh", session.dir.path().join("wizard")).unwrap();
    let id = session.start("./wizard", false);
    assert_eq!((session.kind(&id, "yes\n"), session.asked()), ("written".to_owned(), 0));
    assert_eq!(session.kind(&id, "rm -rf /etc\n"), "denied");
    assert_eq!(session.kind(&id, ":!rm -rf /etc\n"), "denied", "it may have started an editor");
}

#[test]
fn a_shell_under_another_name_is_judged_like_a_shell() {
    let session = session(deny);
    let folder = session.dir.path().canonicalize().unwrap();
    fs::copy("/bin/sh", folder.join("cat")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", folder.join("less")).unwrap();
    fs::hard_link(folder.join("cat"), folder.join("timeout")).unwrap();
    let folder = folder.display();
    for command in [
        format!("{folder}/cat"),
        "./cat".to_owned(),
        format!("exec {folder}/less"),
        format!("{folder}/timeout -s"),
        format!("timeout 600 {folder}/cat"),
    ] {
        let id = session.start(&command, false);
        assert_eq!(session.kind(&id, "rm -rf /etc\n"), "denied", "{command}");
        assert_eq!(session.kind(&id, "echo harmless\n"), "written", "{command}");
        assert_eq!(session.asked(), 0, "{command}");
    }
}

#[test]
fn code_for_an_interpreter_that_was_started_in_a_shell_needs_a_person() {
    let session = session(deny);
    let id = session.start("sh", true);
    assert_eq!((session.kind(&id, "ls\n"), session.asked()), ("written".to_owned(), 0));
    assert_eq!(
        (session.kind(&id, "exec cat <<x | sh\n"), session.asked()),
        ("denied".to_owned(), 1),
        "a here-document"
    );
    assert_eq!((session.kind(&id, "python3\n"), session.asked()), ("written".to_owned(), 0));
    assert_eq!((session.kind(&id, "import this\n"), session.asked()), ("denied".to_owned(), 1));
    let session = self::session(deny);
    let id = session.start("sh", true);
    assert_eq!((session.kind(&id, "vim x\r"), session.asked()), ("written".to_owned(), 0));
    assert_eq!((session.kind(&id, ":call system('touch y')\r"), session.asked()), ("denied".to_owned(), 1));
    assert_eq!((session.kind(&id, "K"), session.asked()), ("denied".to_owned(), 1));
}

#[test]
fn input_that_becomes_arguments_needs_a_person() {
    let session = session(|| ApprovalDecision::AllowOnce);
    let id = session.start("xargs -n 1 cat", false);
    session.asked();
    assert_eq!((session.kind(&id, "/home/me/.ssh/id_rsa\n"), session.asked()), ("written".to_owned(), 1));
}

#[test]
fn an_answer_for_the_session_covers_input() {
    let session = session(|| ApprovalDecision::AllowForSession);
    fs::create_dir_all(session.dir.path().join("a/b")).unwrap();
    assert_eq!(session.run("rm -r a/b")["exit_code"], 0);
    assert_eq!(session.asked(), 1);
    let id = session.start("sh", false);
    assert_eq!((session.kind(&id, "rm -r a\n"), session.asked()), ("written".to_owned(), 0));
    wait_until("the deletion", || !session.dir.path().join("a").exists());
}

#[test]
fn what_is_denied_is_not_written() {
    let session = session(deny);
    let id = session.start("sh", false);
    assert_eq!(session.kind(&id, "touch before\nrm -rf /etc\ntouch after\n"), "denied");
    assert_eq!(session.kind(&id, "touch end\n"), "written");
    wait_until("the command", || session.dir.path().join("end").exists());
    assert!(!session.dir.path().join("before").exists(), "all or nothing");
}

#[test]
fn without_rules_input_passes_as_commands_do() {
    let f = fixture();
    let id = f.start("sh", |_| {});
    f.write(&id, "echo 'rm -rf /' > x; touch done\n");
    wait_until("the command", || f.path().join("done").exists());
}

#[test]
fn long_sessions_are_judged_in_time() {
    let session = session(deny);
    let id = session.start("sh", false);
    let started = Instant::now();
    let line = format!("echo {}\n", "word ".repeat(60));
    for _ in 0..100 {
        assert_eq!(session.write(&id, &line)["error"], Value::Null);
    }
    assert_eq!(session.kind(&id, "rm -rf /etc\n"), "denied");
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert_eq!(session.kind(&id, &"x".repeat(70_000)), "refused", "a line without an end");
}

#[test]
fn lines_that_only_returns_end_are_typed_without_limit() {
    for (command, expected) in [("sh", 0..=0), ("python3 -q", 150..=150)] {
        let session = session(|| ApprovalDecision::AllowOnce);
        let id = session.start(&format!("{command} || cat"), true);
        let line = format!("echo {}\r", "word ".repeat(100));
        for _ in 0..150 {
            assert_eq!(session.kind(&id, &line), "written", "{command}");
        }
        let asked = session.asked.lock().unwrap();
        assert!(expected.contains(&asked.len()), "{command}: {}", asked.len());
        let longest = asked.iter().map(String::len).max().unwrap_or_default();
        assert!(longest < 2_000, "one line at a time: {longest}");
    }
}
