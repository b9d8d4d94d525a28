//! Calls by other names that tools declare.

use std::sync::{Arc, Mutex};

use crate::call::ToolCall;
use crate::call::approval::{ApprovalDecision, approver_fn};
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Approval, Behaviour};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement::Env as Needs;
use crate::env::Env;
use crate::fakes::{Fake, renamed, texts, tool, wait};
use crate::registry::Registry;
use crate::result::error::ToolError;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

fn known(name: &str, aliases: &[&'static str]) -> Tool {
    tool(name, "home", &[]).with_aliases(aliases.iter().copied())
}

fn turn_of(session: SessionBuilder) -> Turn {
    session.env(Env::empty()).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn turn(tools: impl IntoIterator<Item = Tool>) -> Turn {
    turn_of(Fake::new(tools).registry().session())
}

fn call(turn: &Turn, name: &str) -> CallResponse {
    wait(turn.call(&ToolCall::new(name, "{}").with_id("call-1")))
}

fn repairs(response: &CallResponse) -> Vec<String> {
    response.repairs.iter().map(ToString::to_string).collect()
}

#[test]
fn a_call_by_an_alias_runs_the_tool_and_lists_the_repair_of_its_name() {
    let turn = turn([known("read_file", &["Read", "file_read", "cat"]), known("look", &["ls"]), known("plain", &[])]);
    for name in [
        "Read",
        "read",
        "READ",
        "file_read",
        "File_Read",
        "file-read",
        "FILE-READ",
        "cat",
        "Cat",
        "functions.Read",
        "functions.file_read",
        "default_api:file-read",
        "default_api::cat",
        "functions/cat",
    ] {
        let response = call(&turn, name);
        assert_eq!(response.json, "\"read_file\"", "{name}");
        assert_eq!(repairs(&response), [format!("the name of the tool: {name:?} became \"read_file\" (tool_name)")]);
    }
    for (name, own) in [("ls", "look"), ("LS", "look"), ("functions.ls", "look")] {
        assert_eq!(call(&turn, name).json, format!("{own:?}"), "{name}");
    }
    for name in ["read_file", "look", "plain"] {
        assert!(call(&turn, name).repairs.is_empty(), "{name}");
    }
    for name in ["fileread", "file read", "rea", "reads", "tools.Read", "mcp__git__Read", "Functions.Read", "l_s", ""] {
        assert!(call(&turn, name).json.contains(r#""kind":"unknown_tool""#), "{name}");
    }
    let batch = wait(turn.batch(&[ToolCall::new("cat", "{}"), ToolCall::new("look", "{}")]));
    assert_eq!((batch[0].call.name(), &*batch[0].response.json), ("cat", "\"read_file\""));
    assert_eq!((batch[0].response.repairs.len(), batch[1].response.repairs.len()), (1, 0));
}

#[test]
fn no_definition_shows_an_alias() {
    let turn = turn([known("read_file", &["cat"])]);
    assert_eq!(turn.definitions().to_string(), r#"["read_file"]"#);
}

#[test]
fn names_come_before_aliases_and_an_alias_of_two_tools_calls_neither() {
    let registry = Registry::new();
    registry.add(Box::new(Fake::new([known("search_files", &["search", "find", "grep"])]))).unwrap();
    registry.add(Box::new(Fake::new([known("search_web", &["find", "Grep"]), known("Search", &[])]))).unwrap();
    let turn = turn_of(registry.session());
    for name in ["Search", "search", "SEARCH", "functions.search"] {
        assert_eq!(call(&turn, name).json, "\"Search\"", "{name}");
    }
    for name in ["find", "Find", "grep", "GREP", "functions.find"] {
        let json = call(&turn, name).json;
        assert!(json.contains("did you mean `search_files` or `search_web`?"), "{name}: {json}");
    }
}

#[test]
fn an_alias_of_a_hidden_tool_is_answered_like_its_name() {
    let needs = tool("read_file", "home", &[Needs(texts(&["KEY"]))]).with_aliases(["cat"]);
    let turn = turn([needs, known("look", &["ls"])]);
    let of_name = call(&turn, "read_file").json;
    assert!(of_name.contains("not available now") && of_name.contains("KEY"), "{of_name}");
    for name in ["cat", "Cat", "functions.cat", "Read_File", "functions.READ-FILE"] {
        let shown = name;
        assert_eq!(call(&turn, name).json, of_name.replace("`read_file`", &format!("`{shown}`")), "{name}");
    }
}

#[test]
fn an_alias_never_reaches_a_tool_that_the_session_does_not_have() {
    let registry = Registry::new();
    let erase = tool("erase", "danger", &[]).with_aliases(["rm", "look_twice"]);
    registry.add(Box::new(Fake::new([known("look", &["look_twice"]), erase]))).unwrap();
    for session in [registry.session().enable(["home"]), registry.session().disable(["danger"])] {
        let turn = turn_of(session);
        for name in ["rm", "RM", "functions.rm", "erase", "look_twice"] {
            assert!(call(&turn, name).json.contains(r#""kind":"unknown_tool""#), "{name}");
        }
        assert_eq!(call(&turn, "look").json, "\"look\"");
    }
}

#[test]
fn hooks_and_the_approver_see_the_own_name_of_a_call_by_an_alias() {
    struct Recorder(Arc<Mutex<Vec<String>>>);
    impl Hook for Recorder {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.0.lock().unwrap().push(format!("{} as {:?}", call.tool(), call.called_as()));
            if call.tool() == "guarded" { Ok(HookAction::Block("no".into())) } else { Ok(HookAction::Continue) }
        }

        fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
            self.0.lock().unwrap().push(format!("{:?}", call.repairs()));
            Ok(())
        }
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked = Arc::clone(&seen);
    let approver = approver_fn(move |request| {
        asked.lock().unwrap().push(format!("approve {}", request.tool));
        ApprovalDecision::Deny("no".into())
    });
    let behaviour = Behaviour { approval: Approval { always: true, shell: None }, ..Behaviour::default() };
    let run = Tool { behaviour, ..known("run", &["bash"]) };
    let fake = Fake::new([run, known("guarded", &["open"])]);
    let turn = turn_of(fake.registry().session().hook(Arc::new(Recorder(Arc::clone(&seen)))).approver(approver));
    let denied = call(&turn, "Bash").json;
    assert!(denied.contains("denied"), "{denied}");
    let blocked = call(&turn, "open").json;
    assert!(blocked.contains("the host blocked the call"), "{blocked}");
    let seen = seen.lock().unwrap().join("; ");
    for part in [r#"run as Some("Bash"); approve run"#, r#"guarded as Some("open")"#, "rule: ToolName"] {
        assert!(seen.contains(part), "{seen}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_tool_whose_alias_is_similar() {
    let apply = renamed("apply_it", known("patch", &["str_replace", "edit_file"]));
    let turn = turn([known("read_file", &["Read", "view_file"]), known("terminal", &["run_command", "bash"]), apply]);
    for (name, expected) in [
        ("veiw_file", "read_file"),
        ("file_view", "read_file"),
        ("viewFiles", "read_file"),
        ("read_files", "read_file"),
        ("run_comand", "terminal"),
        ("runCommand", "terminal"),
        ("command_run", "terminal"),
        ("fs_run_command", "terminal"),
        ("execute_run_command", "terminal"),
        ("bahs", "terminal"),
        ("str_replace_editor", "apply_it"),
        ("strReplace", "apply_it"),
        ("replace_str", "apply_it"),
        ("edit_fil", "apply_it"),
        ("editFile", "apply_it"),
        ("file_edit", "apply_it"),
        ("FileEdit", "apply_it"),
        ("patch", "apply_it"),
        ("apply_patch", "apply_it"),
        ("functions.edit_files", "apply_it"),
    ] {
        let json = call(&turn, name).json;
        assert!(json.contains(&format!("did you mean `{expected}`")), "{name}: {json}");
    }
}
