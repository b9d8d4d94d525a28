//! Names by which models know the shipped tools from other agents: a call by one of them runs, and other names are answered with the tool.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::args::Slots;
use toolc::catalog::Definition;
use toolc::{Call, Dialect, Env, HandlerReply, Registry, Tool, ToolCall, ToolOutput, ToolProvider, Toolset, Turn};
use toolc_codegen::lower::lower;

use super::shipped_manifests::compiled;

/// The shipped tools, each of which returns its name and its arguments.
struct Shipped {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    definitions: Vec<Option<Definition>>,
}

impl Shipped {
    fn new() -> Self {
        let catalog = compiled(&["openai"]).catalog.expect("no errors");
        let lowered = lower(&catalog);
        let tool = |id| {
            let mut tool = lowered.tool(id).clone();
            tool.arguments = Arc::new((*tool.arguments).clone().untyped());
            tool.requires.clear();
            tool
        };
        Self {
            tools: catalog.tools().map(|(id, _)| tool(id)).collect(),
            toolsets: catalog.toolsets().map(|(id, _)| lowered.toolset(id)).collect(),
            definitions: catalog.tools().map(|(id, _)| lowered.definitions(id)[0].clone()).collect(),
        }
    }
}

impl ToolProvider for Shipped {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, _: Dialect) -> &[Option<Definition>] {
        &self.definitions
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        HandlerReply::Ready(ToolOutput::json(&json!([call.tool(), args.value::<Value>(0)])))
    }
}

fn registry() -> Registry {
    let registry = Registry::new();
    registry.add(Box::new(Shipped::new())).expect("the names are unique");
    registry
}

fn turn() -> Turn {
    registry().session().env(Env::empty()).build().expect("no toolset is named").turn_blocking(Dialect::OpenAi)
}

/// Calls with the names of other agents: the tool and its arguments, and what they become.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("Read", r#"{"file_path":"a"}"#, "read_file", r#"{"path":"a"}"#),
    ("Read", r#"{"file_path":"a","offset":3,"limit":5}"#, "read_file", r#"{"path":"a","offset":3,"limit":5}"#),
    ("read", r#"{"filePath":"a","limit":5}"#, "read_file", r#"{"path":"a","limit":5}"#),
    ("file_read", r#"{"file_path":"a"}"#, "read_file", r#"{"path":"a"}"#),
    ("read_file", r#"{"absolute_path":"/a"}"#, "read_file", r#"{"path":"/a"}"#),
    ("read_file", r#"{"target_file":"a"}"#, "read_file", r#"{"path":"a"}"#),
    ("read_text_file", r#"{"path":"a"}"#, "read_file", r#"{"path":"a"}"#),
    ("cat", r#"{"file":"a"}"#, "read_file", r#"{"path":"a"}"#),
    ("functions.Read", r#"{"filename":"a","start_line":7}"#, "read_file", r#"{"path":"a","offset":7}"#),
    ("read_file", r#"{"path":"a","offset":0}"#, "read_file", r#"{"path":"a","offset":1}"#),
    ("read_file", r#"{"path":"a","offset":-5,"limit":0}"#, "read_file", r#"{"path":"a","offset":1,"limit":1}"#),
    ("read_file", r#"{"path":"a","limit":10000,"column":0}"#, "read_file", r#"{"path":"a","limit":2000,"column":1}"#),
    (
        "search_files",
        r#"{"pattern":"x","offset":-1,"context":50}"#,
        "search_files",
        r#"{"pattern":"x","offset":0,"context":20}"#,
    ),
    (
        "process",
        r#"{"action":"log","session_id":"a","offset":-200}"#,
        "process",
        r#"{"action":"log","session_id":"a","offset":0}"#,
    ),
    ("Write", r#"{"file_path":"a","content":"x"}"#, "write_file", r#"{"path":"a","content":"x"}"#),
    ("write_to_file", r#"{"path":"a","content":"x"}"#, "write_file", r#"{"path":"a","content":"x"}"#),
    ("create_file", r#"{"filePath":"a","content":"x"}"#, "write_file", r#"{"path":"a","content":"x"}"#),
    ("file_write", r#"{"filename":"a","contents":"x"}"#, "write_file", r#"{"path":"a","content":"x"}"#),
    (
        "Edit",
        r#"{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}"#,
        "patch",
        r#"{"path":"a","old_string":"x","new_string":"y","replace_all":true}"#,
    ),
    (
        "str_replace",
        r#"{"path":"a","old_str":"x","new_str":"y"}"#,
        "patch",
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
    ),
    (
        "replace_string_in_file",
        r#"{"filePath":"a","oldString":"x","newString":"y"}"#,
        "patch",
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
    ),
    (
        "search_replace",
        r#"{"file_path":"a","old_string":"x","new_string":"y"}"#,
        "patch",
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
    ),
    ("apply_patch", r#"{"input":"*** Begin Patch"}"#, "patch", r#"{"patch":"*** Begin Patch"}"#),
    ("replace_in_file", r#"{"path":"a","diff":"<<<<<<< SEARCH"}"#, "patch", r#"{"path":"a","patch":"<<<<<<< SEARCH"}"#),
    (
        "Grep",
        r#"{"pattern":"x","path":"src","glob":"*.rs","head_limit":5}"#,
        "search_files",
        r#"{"pattern":"x","path":"src","file_glob":"*.rs","limit":5}"#,
    ),
    ("search", r#"{"query":"x"}"#, "search_files", r#"{"pattern":"x"}"#),
    (
        "search_files",
        r#"{"path":"src","regex":"x","file_pattern":"*.rs"}"#,
        "search_files",
        r#"{"path":"src","pattern":"x","file_glob":"*.rs"}"#,
    ),
    (
        "search_file_content",
        r#"{"pattern":"x","path":"src","include":"*.rs"}"#,
        "search_files",
        r#"{"pattern":"x","path":"src","file_glob":"*.rs"}"#,
    ),
    (
        "grep_search",
        r#"{"query":"x","include_pattern":"*.rs"}"#,
        "search_files",
        r#"{"pattern":"x","file_glob":"*.rs"}"#,
    ),
    ("Bash", r#"{"command":"ls"}"#, "terminal", r#"{"command":"ls"}"#),
    ("bash", r#"{"command":"ls","run_in_background":true}"#, "terminal", r#"{"command":"ls","background":true}"#),
    ("shell", r#"{"cmd":"ls","cwd":"src"}"#, "terminal", r#"{"command":"ls","workdir":"src"}"#),
    ("shell_command", r#"{"command":"ls","workdir":"src"}"#, "terminal", r#"{"command":"ls","workdir":"src"}"#),
    ("exec_command", r#"{"cmd":"ls","workdir":"src"}"#, "terminal", r#"{"command":"ls","workdir":"src"}"#),
    ("execute_command", r#"{"command":"ls","timeout_seconds":5}"#, "terminal", r#"{"command":"ls","timeout":5}"#),
    ("run_shell_command", r#"{"command":"ls","directory":"src"}"#, "terminal", r#"{"command":"ls","workdir":"src"}"#),
    (
        "run_terminal_cmd",
        r#"{"command":"ls","is_background":false}"#,
        "terminal",
        r#"{"command":"ls","background":false}"#,
    ),
    ("run_in_terminal", r#"{"command":"ls","isBackground":true}"#, "terminal", r#"{"command":"ls","background":true}"#),
    ("run_command", r#"{"CommandLine":"ls","Cwd":"src"}"#, "terminal", r#"{"command":"ls","workdir":"src"}"#),
    ("python", r#"{"code":"1"}"#, "execute_code", r#"{"code":"1"}"#),
    ("run_python", r#"{"script":"1"}"#, "execute_code", r#"{"code":"1"}"#),
    (
        "todo_write",
        r#"{"merge":true,"todos":[{"id":"1","content":"x","status":"pending"}]}"#,
        "todo",
        r#"{"merge":true,"todos":[{"id":"1","content":"x","status":"pending"}]}"#,
    ),
    ("cronjob_manage", r#"{"action":"list"}"#, "cronjob", r#"{"action":"list"}"#),
    ("conversation_search", r#"{"query":"x","max_results":2}"#, "session_search", r#"{"query":"x","limit":2}"#),
];

#[test]
fn a_call_that_models_know_from_other_agents_runs() {
    let turn = turn();
    for (name, sent, tool, arguments) in KNOWN {
        let response = turn.call_blocking(&ToolCall::new(name, sent));
        let expected = json!([tool, serde_json::from_str::<Value>(arguments).expect("it is JSON")]);
        assert_eq!(serde_json::from_str::<Value>(&response.json).expect("it is JSON"), expected, "{name} {sent}");
        assert_eq!(
            response.repairs.is_empty(),
            name == tool && sent == arguments,
            "{name} {sent}: {:?}",
            response.repairs
        );
    }
}

#[test]
fn no_definition_has_a_name_that_only_models_know() {
    let turn = turn();
    let definitions = turn.definitions();
    for name in ["file_read", "file_path", "str_replace", "run_command", "todo_write", "cronjob_manage", "aliases"] {
        assert!(!definitions.contains(name), "{name}");
    }
}

#[test]
fn a_name_that_no_tool_has_is_answered_with_the_tool() {
    let turn = turn();
    for (name, tool) in [
        ("schedule_cronjob", "cronjob"),
        ("list_cronjobs", "cronjob"),
        ("remove_cronjob", "cronjob"),
        ("cronjobs", "cronjob"),
        ("file_search", "search_files"),
        ("search_file", "search_files"),
        ("SearchFiles", "search_files"),
        ("readFile", "read_file"),
        ("ReadFile", "read_file"),
        ("fs_read_file", "read_file"),
        ("read_files", "read_file"),
        ("mcp__filesystem__write_file", "write_file"),
        ("WriteFile", "write_file"),
        ("TodoWrite", "todo"),
        ("todo_read", "todo"),
        ("terminal_execute", "terminal"),
        ("RunCommand", "terminal"),
        ("bash_tool", "terminal"),
        ("execute_bash", "terminal"),
        ("str_replace_editor", "patch"),
        ("str_replace_based_edit_tool", "patch"),
        ("patch_file", "patch"),
        ("ApplyPatch", "patch"),
        ("code_execute", "execute_code"),
        ("python_execute", "execute_code"),
        ("memory_add", "memory"),
        ("delegate", "delegate_task"),
        ("task_delegate", "delegate_task"),
        ("searchSessions", "session_search"),
        ("list_kanban", "kanban_list"),
        ("kanbanShow", "kanban_show"),
    ] {
        let error = turn.call_blocking(&ToolCall::new(name, "{}")).json;
        assert!(error.contains("did you mean") && error.contains(&format!("`{tool}`")), "{name}: {error}");
    }
}

#[test]
fn toolsets_have_their_earlier_names_and_others_are_answered_with_the_nearest() {
    let registry = registry();
    for name in [
        "terminal_tools",
        "file_tools",
        "cronjob_tools",
        "memory_tools",
        "todo_tools",
        "clarify_tools",
        "kanban_tools",
        "delegation_tools",
        "session_search_tools",
        "code_execution",
        "code_execution_tools",
        "code_tools",
        "web_tools",
    ] {
        assert!(registry.session().enable([name]).build().is_ok(), "{name}");
    }
    for (name, answer) in [
        ("terminals", "did you mean `terminal`"),
        ("files", "did you mean `file`"),
        ("filetools", "did you mean `file`"),
        ("search_session", "did you mean `session_search`"),
        ("debug", "did you mean `debugging`"),
        ("coding_tools", "did you mean `coding`"),
        ("apiserver", "did you mean `api-server`"),
        ("read_file", "it is a tool, of the toolset `file`"),
        ("vision_tools", "the known toolsets are `all`, "),
        ("browser_tools", "the known toolsets are `all`, "),
    ] {
        let error = registry.session().enable([name]).build().expect_err("the toolset is unknown").to_string();
        assert!(error.contains(answer), "{name}: {error}");
    }
}
