//! Which arguments are judged.

use super::*;
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::result::error::ToolError;

fn tool(name: &'static str, description: &'static str, parameter: &str, schema: &Value) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {parameter: schema}});
    DynamicTool::sync(name, description, schema, |_, _| Ok(ToolOutput::text("ran")))
}

/// Returns how a call of the tool ends in a session without a person.
fn ends(tool: DynamicTool, config: CommandApproval, arguments: &Value) -> String {
    let name = tool_name(&tool);
    call(&with_tools([tool], config, |s| s), &name, arguments)
}

fn tool_name(tool: &DynamicTool) -> String {
    let text = format!("{tool:?}");
    let at = text.find("name: \"").unwrap() + 7;
    text[at..].split('"').next().unwrap().to_owned()
}

#[test]
fn lists_of_words_are_judged() {
    let list = || tool("exec", "", "argv", &json!({"type": "array"})).shell("argv");
    for (value, expected) in [
        (json!(["rm", "-rf", "build"]), "refused"),
        (json!(["rm", "-rf", "/etc"]), "denied"),
        (json!(["echo", "rm -rf /etc"]), "ran"),
        (json!(["echo", "a; rm -rf /etc"]), "ran"),
        (json!(["sh", "-c", "rm -rf /etc"]), "denied"),
        (json!(["rm -rf /etc", "ls"]), "denied"),
        (json!([]), "ran"),
        (json!(["ls", 5]), "refused"),
        (json!([{"run": "ls"}]), "refused"),
    ] {
        assert_eq!(ends(list(), commands(), &json!({"argv": value})), expected, "{value}");
    }
}

#[test]
fn anything_else_asks() {
    let any = || tool("exec", "", "command", &json!({})).shell("command");
    for (arguments, expected) in [
        (json!({"command": {"run": "ls"}}), "refused"),
        (json!({"command": 5}), "refused"),
        (json!({"command": true}), "refused"),
        (json!({"command": null}), "ran"),
        (json!({}), "ran"),
        (json!({"command": ""}), "ran"),
        (json!({"command": "ls"}), "ran"),
    ] {
        assert_eq!(ends(any(), commands(), &arguments), expected, "{arguments}");
    }
}

#[test]
fn the_session_names_parameters_of_tools_without_a_manifest() {
    let remote = || tool("mcp__box__go", "", "what", &json!({"type": "string"}));
    let arguments = json!({"what": DENIED});
    assert_eq!(ends(remote(), commands(), &arguments), "ran");
    assert_eq!(ends(remote(), commands().shell_parameter("mcp__box__go", "what"), &arguments), "denied");
    assert_eq!(ends(remote(), commands().shell_parameter("other", "what"), &arguments), "ran");
    // A parameter that does not exist cannot be judged, so that each call asks.
    assert_eq!(ends(remote(), commands().shell_parameter("mcp__box__go", "waht"), &json!({"what": "ls"})), "refused");
}

#[test]
fn parameters_of_run_time_tools_are_recognized() {
    let text = json!({"type": "string"});
    let exec = || tool("exec", "", "command", &text);
    let arguments = json!({"command": DENIED});
    assert_eq!(ends(exec(), commands(), &arguments), "denied");
    assert_eq!(ends(exec(), commands().no_shell_parameter("exec"), &arguments), "ran");
    assert_eq!(ends(exec().shell("command"), commands().no_shell_parameter("exec"), &arguments), "denied", "declared");
    let named = commands().no_shell_parameter("exec").shell_parameter("exec", "command");
    assert_eq!(ends(exec(), named, &arguments), "denied");

    let python = || tool("run_python", "Runs Python.", "code", &text);
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = with_tools([python()], commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!(call(&turn, "run_python", &json!({"code": "print(1)"})), "ran");
    assert_eq!(person.reason().findings[0].rule, "foreign-code");
    assert_eq!((call(&turn, "run_python", &json!({"code": "print(2)"})), person.asked()), ("ran".to_owned(), 0));
    assert_eq!(ends(python(), commands().no_shell_parameter("run_python"), &json!({"code": "x"})), "ran");
}

#[test]
fn a_hook_changes_what_is_judged() {
    struct Rewrite;

    impl Hook for Rewrite {
        fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            Ok(HookAction::Change([("command".to_owned(), DENIED.into())].into_iter().collect()))
        }
    }

    assert_eq!(run(&turn(commands(), |s| s.hook(Arc::new(Rewrite))), ALLOWED), "denied");
}

#[test]
fn a_secret_command_is_judged_but_not_shown() {
    let (person, log) = (Person::new([]), Arc::new(Log::default()));
    let secret = tool("exec", "", "command", &json!({"type": "string"})).shell("command").secret("command");
    let config = commands().log(Arc::clone(&log) as _).store(Arc::new(Store::default()));
    let turn = with_tools([secret], config, |s| s.approver(Arc::clone(&person) as _));
    assert_eq!(call(&turn, "exec", &json!({"command": ASKS})), "ran");
    let reason = person.reason();
    assert_eq!((&*reason.line, reason.offers(CommandAnswer::Always)), ("[secret]", false));
    assert!(log.take()[0].starts_with("[secret]: ask"));
    assert_eq!(call(&turn, "exec", &json!({"command": DENIED})), "denied");
}

#[test]
fn the_variables_of_the_session_are_known() {
    let env = Env::empty().with_var("TARGET", "/etc").with_var("HOME", "/usr");
    let set = |config: CommandApproval| with_tools([terminal("terminal")], config, |s| s.env(env.clone()));
    assert_eq!(run(&set(CommandApproval::new(&RULES)), "rm -rf \"$TARGET\""), "denied");
    assert_eq!(run(&set(CommandApproval::new(&RULES)), "rm -rf ~"), "denied");
    // Elsewhere, the variables and the home folder are others.
    let elsewhere = || CommandApproval::new(&RULES).environment("docker");
    assert_eq!(run(&set(elsewhere()), "rm -rf \"$TARGET\""), "refused");
    assert_eq!(run(&set(elsewhere()), "rm -rf ~"), "refused");
}

#[cfg(feature = "search")]
#[test]
fn the_inner_call_of_tool_search_is_judged() {
    use crate::render::search_tools::ToolSearch;
    let turn = turn(commands(), |s| s.tool_search(ToolSearch::with_threshold(0)));
    for (command, expected) in [(ALLOWED, "ran"), (ASKS, "refused"), (DENIED, "denied")] {
        let inner = json!({"name": "terminal", "arguments": {"command": command}});
        assert_eq!(call(&turn, "tool_call", &inner), expected, "{command}");
    }
}

#[test]
fn an_unknown_shell_parameter_is_an_error_of_the_tool() {
    let error = tool("exec", "", "command", &json!({})).shell("cmd").build().err().unwrap();
    assert_eq!(error.to_string(), "the tool `exec`: the shell parameter `cmd` is not one of its arguments");
}
