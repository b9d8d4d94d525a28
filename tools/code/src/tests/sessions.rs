//! What sessions decide: which tools scripts have, and whether a script may run.

use std::sync::{Arc, Mutex};

use toolc::Dialect;
use toolc_environment::{Abilities, Kind, Launch, Local, Promises, Running, SandboxKind, Site};

use super::*;

#[test]
fn the_description_and_the_module_have_the_granted_tools() {
    let tools = |toolsets: &[&str]| {
        let toolsets = toolsets.to_vec();
        fixture_with(Limits::default(), |session| session.enable(toolsets))
    };
    let Some(it) = tools(&["code", "file"]) else { return };
    let definition = it.harness.definition("execute_code", Dialect::OpenAi);
    assert!(definition.contains("each of these tools: read_file, write_file, search_files, patch."), "{definition}");
    let functions = "sorted(name for name in vars(toolc_tools) if name.islower() and not name.startswith('_') and name != 'connect' and name != 'annotations')";
    assert_eq!(it.result(functions), "['patch', 'read_file', 'search_files', 'write_file']");
    let help = it.result("toolc_tools.read_file.__doc__");
    assert!(help.contains("path: The file: absolute") && help.contains("Returns a dict:"), "{help}");
    assert!(!it.result("toolc_tools.terminal.__doc__ or ''").contains("read_file"));

    let Some(it) = tools(&["code", "terminal"]) else { return };
    let definition = it.harness.definition("execute_code", Dialect::OpenAi);
    assert!(definition.contains("each of these tools: terminal.") && !definition.contains("read_file"), "{definition}");

    let Some(it) = tools(&["code", "todo"]) else { return };
    let turn = it.harness.turn();
    assert_eq!(turn.tools().collect::<Vec<_>>(), ["todo"]);
    let reason = turn.hidden().next().map(|hidden| hidden.to_string()).unwrap();
    assert!(reason.contains("execute_code") && reason.contains("read_file"), "{reason}");
}

#[test]
fn a_script_without_a_sandbox_needs_approval_each_time() {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    let approver = approver_fn(move |request| {
        log.lock().unwrap().push(request.to_string());
        let is_bad = request.arguments["code"].as_str().is_some_and(|code| code.contains("bad"));
        if is_bad { ApprovalDecision::Deny("no".to_owned()) } else { ApprovalDecision::AllowOnce }
    });
    let Some(it) = fixture_with(Limits::default(), |session| session.approver(approver)) else { return };
    assert_eq!([it.result("1"), it.result("1")], ["1", "1"]);
    it.run("kept = 5");
    let [kind, text] = it.failure(&json!({ "code": "open('bad', 'w')", "reset": true }));
    assert!(kind == "denied" && text.contains("no"), "{text}");
    assert!(!it.path().join("bad").exists());
    assert_eq!(it.result("kept"), "5", "nothing was reset either");
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 5);
    assert!(asked[3].contains("open('bad', 'w')") && asked[3].contains("every call of this tool needs approval"));
}

#[test]
fn an_approval_for_the_session_covers_later_scripts() {
    let count: Arc<Mutex<usize>> = Arc::default();
    let asked = Arc::clone(&count);
    let approver = approver_fn(move |_| {
        *asked.lock().unwrap() += 1;
        ApprovalDecision::AllowForSession
    });
    let Some(it) = fixture_with(Limits::default(), |session| session.approver(approver)) else { return };
    assert_eq!([it.result("1"), it.result("2")], ["1", "2"]);
    assert_eq!(*count.lock().unwrap(), 1);
}

#[test]
fn the_commands_of_a_script_are_judged_like_those_of_the_model() {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    let approver = approver_fn(move |request| {
        log.lock().unwrap().push(request.to_string());
        ApprovalDecision::AllowOnce
    });
    let commands = toolc::approval::CommandApproval::new(toolc_catalog::commands::rules());
    let configure = |session: SessionBuilder| session.approver(approver).commands(commands);
    let Some(it) = fixture_with(Limits::default(), configure) else { return };
    let [kind, text] = it.error("toolc_tools.terminal('rm -rf /')");
    assert!(kind == "ToolError" && text.contains("no approval can change that"), "{text}");
    assert_eq!(it.result("toolc_tools.terminal('git reset --hard')['exit_code'] > 0"), "True");
    let asked = asked.lock().unwrap();
    let tools: Vec<&str> = asked.iter().filter_map(|text| text.split('`').nth(1)).collect();
    assert_eq!(tools, ["execute_code", "execute_code", "terminal"], "{asked:#?}");
}

/// Returns a session whose scripts run in a sandbox, and in which a person approves nothing.
fn sandboxed() -> Option<Fixture> {
    let kind = SandboxKind::default();
    if let Err(missing) = kind.check() {
        skip(format!("no sandbox can be made: {missing}"), SANDBOX);
        return None;
    }
    let denied = approver_fn(|_| ApprovalDecision::Deny("no".to_owned()));
    let it = fixture_in(|all| all.with_kind(kind), Limits::default(), |session| session.approver(denied))?;
    let response = it.harness.call("execute_code", json!({ "code": "1" }));
    if response.response().json.contains("not approved") {
        skip("the sandbox has no `python3`", "the Debian package `python3`");
        return None;
    }
    Some(it)
}

#[test]
fn a_script_in_a_sandbox_needs_no_approval_and_still_calls_tools() {
    let Some(it) = sandboxed() else { return };
    it.write("a.txt", "one\n");
    assert_eq!(it.result("open('b.txt', 'w').write('x')\ntoolc_tools.read_file('a.txt')['lines']"), "1");
    assert!(it.path().join("b.txt").exists(), "the working directory is shared");
    assert_eq!(it.error("open('/etc/toolc-test', 'w')")[0], "OSError");
    assert_eq!(it.error("import socket\nsocket.create_connection(('127.0.0.1', 9))")[0], "ConnectionRefusedError");
    let other = TempDir::new().unwrap();
    std::fs::write(other.path().join("key"), "secret").unwrap();
    assert_eq!(it.error(&format!("open({:?})", other.path().join("key")))[0], "FileNotFoundError");
    // The tools are outside: they are confined by their own rules.
    assert_eq!(it.error("toolc_tools.write_file('/etc/toolc-test', 'x')")[0], "ToolError");
}

#[test]
fn processes_of_a_script_in_a_sandbox_end_with_its_interpreter() {
    let Some(it) = sandboxed() else { return };
    let code =
        "import subprocess\nsubprocess.Popen(['sh', '-c', 'while sleep 0.01; do date +%s%N > beat; done'])\nNone";
    assert_eq!(it.run(code).get("error"), None);
    let beat = || std::fs::read_to_string(it.path().join("beat")).unwrap_or_default();
    wait_until("the process", || !beat().is_empty());
    it.harness.call("execute_code", json!({ "code": "1", "reset": true })).value();
    wait_until("the end of the process", || {
        let before = beat();
        std::thread::sleep(Duration::from_millis(300));
        before == beat()
    });
}

/// A sandbox in which no program exists.
#[derive(Debug)]
struct Empty(Local);

#[derive(Debug)]
struct EmptyKind;

impl Kind for EmptyKind {
    fn name(&self) -> &'static str {
        "empty"
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, ..Promises::default() }
    }

    fn make(&self, site: &Site<'_>) -> std::io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Empty(Local::new(site.directory))))
    }
}

impl Environment for Empty {
    fn name(&self) -> &'static str {
        "empty"
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }

    fn promises(&self) -> Promises {
        EmptyKind.promises()
    }

    fn directory(&self) -> &std::path::Path {
        self.0.directory()
    }

    fn variables(&self) -> std::io::Result<Vec<(std::ffi::OsString, std::ffi::OsString)>> {
        self.0.variables()
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        self.0.temporary_folder()
    }

    fn files(&self) -> Box<dyn toolc_environment::Files + '_> {
        self.0.files()
    }

    fn start(&self, _: Launch) -> std::io::Result<Box<dyn Running>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn end_released(&self) {
        self.0.end_released();
    }

    fn clean_up(&self) {
        self.0.clean_up();
    }
}

#[test]
fn without_python_in_the_sandbox_a_script_needs_approval() {
    let approver = approver_fn(|request| match request.arguments["code"].as_str() {
        Some("1") => ApprovalDecision::AllowOnce,
        _ => ApprovalDecision::Deny("no".to_owned()),
    });
    let offer = |all: Environments| all.with_kind(EmptyKind);
    let Some(it) = fixture_in(offer, Limits::default(), |session| session.approver(approver)) else { return };
    assert_eq!(it.failure(&json!({ "code": "2" }))[0], "denied");
    assert_eq!(it.result("1"), "1");
    assert_eq!(it.failure(&json!({ "code": "2" }))[0], "denied", "even in a running interpreter");
}

#[test]
fn an_untrusted_task_runs_no_scripts_outside_of_its_sandbox() {
    let offer = |all: Environments| all.with_kind(EmptyKind).by_default("empty");
    let Some(it) = fixture_in(offer, Limits::default(), |session| session) else { return };
    let [kind, text] = it.failure(&json!({ "code": "1" }));
    assert!(kind == "not_found" && text.contains("failed to start `python3`"), "{text}");
}

/// A sandbox that cannot be made on this machine.
#[derive(Debug)]
struct MissingKind;

impl Kind for MissingKind {
    fn name(&self) -> &'static str {
        "sandbox"
    }

    fn promises(&self) -> Promises {
        Promises { isolated: true, ..Promises::default() }
    }

    fn make(&self, _: &Site<'_>) -> std::io::Result<Arc<dyn Environment>> {
        Err(std::io::Error::other("a sandbox needs the program `bwrap` (package `bubblewrap`)"))
    }
}

#[test]
fn without_a_sandbox_every_tool_that_acts_is_refused_for_an_untrusted_task() {
    let dir = TempDir::new().unwrap();
    let workspace = Workspace::new(dir.path());
    let environments = Environments::local(&workspace).with_kind(MissingKind);
    let provider = toolc_catalog::provider(Handlers {
        code: CodeHandlers::new(&workspace).environments(environments.clone()),
        file: FileHandlers::new(workspace.clone()).environments(environments.clone()),
        terminal: TerminalHandlers::new(workspace).environments(environments.clone()),
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
    let harness = Harness::with_session(provider, |session| session.env(env).approver(approver));
    std::fs::write(dir.path().join("a.txt"), "secret").unwrap();
    let task = Task::new("untrusted");
    environments.set_untrusted(&task);
    for (tool, arguments) in [
        ("read_file", json!({ "path": "a.txt" })),
        ("write_file", json!({ "path": "new", "content": "x" })),
        ("patch", json!({ "path": "a.txt", "old_string": "secret", "new_string": "x" })),
        ("search_files", json!({ "pattern": "secret" })),
        ("terminal", json!({ "command": "touch new" })),
        ("terminal", json!({ "command": "touch new", "background": true })),
        ("execute_code", json!({ "code": "open('new', 'w')" })),
    ] {
        let arguments = arguments.to_string();
        let json = harness.send(&ToolCall::new(tool, &arguments).with_task(&task)).response().json.clone();
        let error: Value = serde_json::from_str(&json).unwrap();
        assert!(error["error"].as_str().is_some_and(|text| text.contains("`bwrap`")), "{tool}: {json}");
    }
    let listed: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(listed, ["a.txt"], "nothing was written");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.txt")).unwrap(), "secret");
}
