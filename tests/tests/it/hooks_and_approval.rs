//! Hooks, approval and spilled results in calls of the golden project.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolc::agent::AgentTask;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};
use toolc::hooks::{CallInfo, Hook, HookAction};
use toolc::limits::SpillFolder;
use toolc::{CallResponse, Dialect, Registry, SessionBuilder, ToolCall, ToolError, ToolOutput, ToolResult, Turn};
use toolc_tests::echo::Echo;
use toolc_tests::golden::{self, AgentCall};

fn turn(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    set(registry.session()).build().expect("every name is known").turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, tool: &str, arguments: &Value) -> Value {
    let CallResponse { json, error, .. } = pollster::block_on(turn.call(&ToolCall::new(tool, &arguments.to_string())));
    let value: Value = serde_json::from_str(&json).expect("the response is JSON");
    assert_eq!(error.is_some(), value.get("kind").is_some(), "{value}");
    value
}

/// An approver with a fixed decision, which records the requests.
struct ScriptedApprover {
    decision: ApprovalDecision,
    asked: Mutex<Vec<String>>,
}

impl ScriptedApprover {
    fn new(decision: ApprovalDecision) -> Arc<Self> {
        Arc::new(Self { decision, asked: Mutex::default() })
    }
}

impl Approver for ScriptedApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        Box::pin(async {
            self.asked.lock().expect("no thread panicked").push(request.to_string());
            self.decision.clone()
        })
    }
}

/// A hook that requests approval of, changes or blocks commands, makes some results long, and records calls and responses.
#[derive(Default)]
struct RecordingHook {
    seen: Mutex<Vec<String>>,
}

impl RecordingHook {
    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().expect("no thread panicked"))
    }
}

impl Hook for RecordingHook {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.seen.lock().expect("no thread panicked").push(format!("{} {}", call.tool(), call.arguments()));
        Ok(match call.arguments()["command"].as_str() {
            Some("rm") => HookAction::Block("files are kept".to_owned()),
            Some("login") => HookAction::Change([("command".to_owned(), "whoami".into())].into_iter().collect()),
            Some("sudo") => HookAction::Ask("it needs root".to_owned()),
            _ => HookAction::Continue,
        })
    }

    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let Ok(output) = result else { return Ok(None) };
        let is_repeated = ["crunch", "delegate"].contains(&call.tool());
        let line = format!("{}\n", output.as_json());
        Ok(is_repeated.then(|| Ok(ToolOutput::text(line.repeat(2_500)))))
    }

    fn after_call(&self, call: &CallInfo<'_>, answer: &CallResponse) -> Result<(), ToolError> {
        self.seen.lock().expect("no thread panicked").push(format!("{} got {}", call.tool(), answer.json));
        Ok(())
    }
}

#[test]
fn a_tool_that_needs_approval_runs_only_if_approved() {
    let approver = ScriptedApprover::new(ApprovalDecision::AllowOnce);
    let allowed = turn(|s| s.approver(Arc::clone(&approver) as Arc<dyn Approver>));
    assert_eq!(call(&allowed, "erase", &json!({})), json!("Args"));
    assert_eq!(
        *approver.asked.lock().expect("no thread panicked"),
        ["run `erase` with {}? (every call of this tool needs approval)"]
    );
    let denied = turn(|s| s.approver(ScriptedApprover::new(ApprovalDecision::Deny("not today".to_owned()))));
    assert_eq!(call(&denied, "erase", &json!({}))["kind"], "denied");
    assert_eq!(call(&turn(|s| s), "erase", &json!({}))["kind"], "refused");
}

#[test]
fn hooks_and_approvers_see_arguments_with_secrets_redacted() {
    let (hook, approver) = (Arc::new(RecordingHook::default()), ScriptedApprover::new(ApprovalDecision::AllowOnce));
    let turn = turn(|s| s.hook(Arc::clone(&hook) as _).approver(Arc::clone(&approver) as _));
    let sent = json!({ "account": { "pin": "1234" }, "command": "sudo", "password": "hunter2" });
    let result = call(&turn, "shell", &sent);
    assert!(result.as_str().is_some_and(|text| text.contains("command: \"sudo\"")), "{result}");
    let shown = r#"{"account":{"pin":"[secret]"},"command":"sudo","password":"[secret]"}"#;
    assert_eq!(
        *approver.asked.lock().expect("no thread panicked"),
        [format!("run `shell` with {shown}? (it needs root)")]
    );
    assert_eq!(hook.seen()[0], format!("shell {shown}"));

    let result = call(&turn, "shell", &json!({ "command": "login", "password": "hunter2" }));
    assert!(result.as_str().is_some_and(|text| text.contains("command: \"whoami\"")), "{result}");
    assert_eq!(call(&turn, "shell", &json!({ "command": "rm" }))["kind"], "blocked");
    assert!(!hook.seen().concat().contains("hunter2"));
}

#[test]
fn an_oversized_result_is_stored_completely() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let spill = SpillFolder::new(folder.path()).expect("failed to open the folder");
    let hook = Arc::new(RecordingHook::default());
    let turn = turn(|s| s.hook(Arc::clone(&hook) as _).spill_store(Arc::new(spill)).spill_reader("run_now"));
    let result = call(&turn, "crunch", &json!({}));
    let whole =
        std::fs::read_to_string(result["file"].as_str().expect("the result names a file")).expect("failed to read it");
    assert_eq!(whole.lines().count(), 2_500);
    assert_eq!(
        (result["chars"].as_u64(), result["bytes"].as_u64()),
        (Some(whole.len() as u64), Some(whole.len() as u64))
    );
    let preview = result["preview"].as_str().expect("the result has a preview");
    assert!(whole.starts_with(preview) && preview.ends_with('\n') && preview.len() <= 1_500, "{preview}");
    let seen = hook.seen();
    let got: Value =
        serde_json::from_str(seen[1].strip_prefix("crunch got ").expect("the hook saw the response")).expect("JSON");
    assert_eq!(got, result);
}

#[test]
fn hooks_see_the_calls_of_agent_run_tools() {
    let hook = Arc::new(RecordingHook::default());
    let turn = turn(|s| s.hook(Arc::clone(&hook) as _));
    let request = ToolCall::new("delegate", r#"{"task": "t"}"#);
    let Some(Ok(AgentTask { call: AgentCall::Delegate(_), pending })) =
        pollster::block_on(turn.agent_call::<AgentCall>(&request))
    else {
        panic!("a call of `delegate` arrives typed")
    };
    // No result limit applies: all 2,500 lines arrive.
    let answer = pending.finish(Ok(ToolOutput::text("done")));
    assert_eq!(answer.json.matches("done").count(), 2_500);
    let seen = hook.seen();
    assert_eq!(seen[0], r#"delegate {"task":"t"}"#);
    assert!(seen[1].starts_with("delegate got ") && seen.len() == 2, "{seen:?}");

    let Some(Err(answer)) = pollster::block_on(turn.agent_call::<AgentCall>(&ToolCall::new("delegate", "{}"))) else {
        panic!("invalid arguments did not end in a response")
    };
    assert_eq!(hook.seen(), [format!("delegate got {}", answer.json)]);
}
