//! What a host has to say about the calls of the golden project, from its manifests to what the model gets.

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
    set(registry.session()).build().expect("nothing is named that is not there").turn(Dialect::OpenAi)
}

fn call(turn: &Turn, tool: &str, arguments: &Value) -> Value {
    let CallResponse { json, error, .. } = pollster::block_on(turn.call(&ToolCall::new(tool, &arguments.to_string())));
    let value: Value = serde_json::from_str(&json).expect("an answer is JSON");
    assert_eq!(error.is_some(), value.get("kind").is_some(), "{value}");
    value
}

/// Answers what it is asked by what it was made with, and keeps the question.
struct Person {
    decision: ApprovalDecision,
    asked: Mutex<Vec<String>>,
}

impl Person {
    fn who(decision: ApprovalDecision) -> Arc<Self> {
        Arc::new(Self { decision, asked: Mutex::default() })
    }
}

impl Approver for Person {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        Box::pin(async {
            self.asked.lock().expect("nobody panics").push(request.to_string());
            self.decision.clone()
        })
    }
}

/// A hook that asks about, changes or blocks commands, repeats results a thousand times, and records what it saw.
#[derive(Default)]
struct House {
    seen: Mutex<Vec<String>>,
}

impl House {
    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().expect("nobody panics"))
    }
}

impl Hook for House {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.seen.lock().expect("nobody panics").push(format!("{} {}", call.tool(), call.arguments()));
        Ok(match call.arguments()["command"].as_str() {
            Some("rm") => HookAction::Block("keep your files".to_owned()),
            Some("login") => HookAction::Change([("command".to_owned(), "whoami".into())].into_iter().collect()),
            Some("sudo") => HookAction::Ask("it wants to be root".to_owned()),
            _ => HookAction::Continue,
        })
    }

    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let Ok(output) = result else { return Ok(None) };
        let says_much = ["crunch", "delegate"].contains(&call.tool());
        let line = format!("{}\n", output.as_json());
        Ok(says_much.then(|| Ok(ToolOutput::text(line.repeat(2_500)))))
    }

    fn after_call(&self, call: &CallInfo<'_>, answer: &CallResponse) -> Result<(), ToolError> {
        self.seen.lock().expect("nobody panics").push(format!("{} got {}", call.tool(), answer.json));
        Ok(())
    }
}

#[test]
fn a_tool_that_needs_approval_runs_once_it_is_approved() {
    let person = Person::who(ApprovalDecision::AllowOnce);
    let allowed = turn(|s| s.approver(Arc::clone(&person) as Arc<dyn Approver>));
    assert_eq!(call(&allowed, "erase", &json!({})), json!("Args"));
    assert_eq!(
        *person.asked.lock().expect("nobody panics"),
        ["run `erase` with {}? (every call of this tool has to be approved)"]
    );
    let denied = turn(|s| s.approver(Person::who(ApprovalDecision::Deny("not today".to_owned()))));
    assert_eq!(call(&denied, "erase", &json!({}))["kind"], "denied");
    assert_eq!(call(&turn(|s| s), "erase", &json!({}))["kind"], "refused");
}

#[test]
fn hooks_and_approvers_see_arguments_with_secrets_redacted() {
    let (house, person) = (Arc::new(House::default()), Person::who(ApprovalDecision::AllowOnce));
    let turn = turn(|s| s.hook(Arc::clone(&house) as _).approver(Arc::clone(&person) as _));
    let sent = json!({ "account": { "pin": "1234" }, "command": "sudo", "password": "hunter2" });
    let told = call(&turn, "shell", &sent);
    assert!(told.as_str().is_some_and(|text| text.contains("command: \"sudo\"")), "{told}");
    let shown = r#"{"account":{"pin":"[secret]"},"command":"sudo","password":"[secret]"}"#;
    assert_eq!(
        *person.asked.lock().expect("nobody panics"),
        [format!("run `shell` with {shown}? (it wants to be root)")]
    );
    assert_eq!(house.seen()[0], format!("shell {shown}"));

    let told = call(&turn, "shell", &json!({ "command": "login", "password": "hunter2" }));
    assert!(told.as_str().is_some_and(|text| text.contains("command: \"whoami\"")), "{told}");
    assert_eq!(call(&turn, "shell", &json!({ "command": "rm" }))["kind"], "blocked");
    assert!(!house.seen().concat().contains("hunter2"));
}

#[test]
fn an_oversized_result_is_written_whole_to_a_file() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let spill = SpillFolder::new(folder.path()).expect("failed to open the folder");
    let house = Arc::new(House::default());
    let turn = turn(|s| s.hook(Arc::clone(&house) as _).spill(Arc::new(spill)));
    let told = call(&turn, "crunch", &json!({}));
    let whole = std::fs::read_to_string(told["file"].as_str().expect("it names a file")).expect("failed to read it");
    assert_eq!(whole.lines().count(), 2_500);
    assert_eq!((told["chars"].as_u64(), told["bytes"].as_u64()), (Some(whole.len() as u64), Some(whole.len() as u64)));
    let preview = told["preview"].as_str().expect("it has a preview");
    assert!(whole.starts_with(preview) && preview.ends_with('\n') && preview.len() <= 1_500, "{preview}");
    let seen = house.seen();
    let got: Value = serde_json::from_str(seen[1].strip_prefix("crunch got ").expect("it saw the end")).expect("JSON");
    assert_eq!(got, told);
}

#[test]
fn hooks_see_the_calls_of_agent_run_tools() {
    let house = Arc::new(House::default());
    let turn = turn(|s| s.hook(Arc::clone(&house) as _));
    let request = ToolCall::new("delegate", r#"{"task": "t"}"#);
    let Some(Ok(AgentTask { call: AgentCall::Delegate(_), pending })) =
        pollster::block_on(turn.agent_call::<AgentCall>(&request))
    else {
        panic!("a call of `delegate` arrives typed")
    };
    // 2,500 lines are too long for nobody here.
    let answer = pending.finish(Ok(ToolOutput::text("done")));
    assert_eq!(answer.json.matches("done").count(), 2_500);
    let seen = house.seen();
    assert_eq!(seen[0], r#"delegate {"task":"t"}"#);
    assert!(seen[1].starts_with("delegate got ") && seen.len() == 2, "{seen:?}");

    let Some(Err(answer)) = pollster::block_on(turn.agent_call::<AgentCall>(&ToolCall::new("delegate", "{}"))) else {
        panic!("wrong arguments are answered")
    };
    assert_eq!(house.seen(), [format!("delegate got {}", answer.json)]);
}
