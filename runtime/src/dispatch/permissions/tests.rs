use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::call::ToolCall;
use crate::call::approval::approver_fn;
use crate::data::behaviour::Approval;
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::provider::dynamic::DynamicTool;
use crate::registry::Registry;
use crate::session::SessionBuilder;

/// What a test's permissions do with a call.
type Decide = fn(&PermissionCall<'_>) -> PermissionDecision;

/// Permissions of a test, which keep the offers that a person accepts.
struct Scripted {
    decide: Decide,
    may_wait: bool,
    kept: Mutex<Vec<(String, KeptUntil)>>,
}

impl Permissions for Scripted {
    fn concerns(&self, tool: &Tool) -> bool {
        assert_ne!(tool.name, "broken", "concerns panics");
        tool.name != "free"
    }

    fn may_wait(&self, _: &Tool) -> bool {
        self.may_wait
    }

    fn decide(&self, call: &PermissionCall<'_>) -> PermissionDecision {
        let kept = self.kept.lock().expect("no test panics with it");
        let shown = call.arguments.to_string();
        if kept.iter().any(|(text, _)| *text == shown) {
            return PermissionDecision::allow();
        }
        drop(kept);
        (self.decide)(call)
    }

    fn keep(&self, offer: &PermissionOffer, until: KeptUntil) -> Result<(), String> {
        self.kept.lock().expect("no test panics with it").push((offer.text.clone(), until));
        Ok(())
    }
}

fn scripted(decide: Decide) -> Arc<Scripted> {
    Arc::new(Scripted { decide, may_wait: false, kept: Mutex::default() })
}

fn tool(name: &'static str, approval: Approval) -> DynamicTool {
    let schema = json!({ "type": "object", "properties": { "say": { "type": "string" } } });
    DynamicTool::sync(name, "Says it.", schema, |arguments, _| ToolOutput::json(&arguments)).approval(approval)
}

fn turn(with: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    let registry = Registry::new();
    for (name, approval) in
        [("echo", Approval::NONE), ("launch", Approval::ALWAYS), ("free", Approval::NONE), ("broken", Approval::NONE)]
    {
        registry.add(tool(name, approval).build().expect("a correct tool")).expect("a new name");
    }
    with(registry.session()).build().expect("everything is registered").turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, tool: &str) -> Value {
    let json = turn.call_blocking(&ToolCall::new(tool, r#"{"say": "hi"}"#)).json;
    serde_json::from_str(&json).expect("every answer is JSON")
}

fn asks(call: &PermissionCall<'_>) -> PermissionDecision {
    PermissionDecision::ask([PermissionReason::new("loud", "Says it aloud.")])
        .with_offer(PermissionOffer::new(call.arguments.to_string(), Arc::new(())).permanent())
}

#[test]
fn a_rule_denies_a_call_without_a_question() {
    let permissions = scripted(|call| {
        assert_eq!((&*call.tool.name, call.arguments, call.call.tool()), ("echo", &json!({"say": "hi"}), "echo"));
        PermissionDecision::deny(PermissionReason::new("quiet", "No noise at night."))
    });
    let turn = turn(|session| session.permissions(permissions).approver(approver_fn(|_| ApprovalDecision::AllowOnce)));
    let response = call(&turn, "echo");
    assert_eq!(response["kind"], "denied");
    let text = response["error"].as_str().expect("a message");
    assert!(text.contains("the rule `quiet` denies it: No noise at night."), "{text}");
    assert_eq!(call(&turn, "free"), json!({"say": "hi"}), "no rule concerns it");
}

#[test]
fn a_person_decides_about_a_call_that_a_rule_asks_about() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    for (decision, runs) in [(ApprovalDecision::AllowOnce, true), (ApprovalDecision::Deny("no".to_owned()), false)] {
        let seen = Arc::clone(&seen);
        let approver = approver_fn(move |request| {
            let offer = request.offer.as_ref().expect("the rule makes an offer");
            seen.lock().expect("no test panics with it").push(format!("{request} {}", offer.text));
            decision.clone()
        });
        let turn = turn(|session| session.permissions(scripted(asks)).approver(approver));
        assert_eq!(call(&turn, "echo") == json!({"say": "hi"}), runs);
    }
    let asked = r#"run `echo` with {"say":"hi"}? (Says it aloud (rule `loud`)) {"say":"hi"}"#;
    assert_eq!(*seen.lock().expect("no test panics with it"), [asked, asked]);
    let turn = turn(|session| session.permissions(scripted(asks)));
    assert_eq!(call(&turn, "echo")["kind"], "refused", "no one can be asked");
}

#[test]
fn a_kept_answer_covers_what_the_permissions_have_offered() {
    for (decision, until) in [
        (ApprovalDecision::AllowForSession, KeptUntil::SessionEnd),
        (ApprovalDecision::AllowAlways, KeptUntil::Revoked),
    ] {
        let (permissions, count) = (scripted(asks), Arc::new(Mutex::new(0)));
        let (kept, counted) = (Arc::clone(&permissions), Arc::clone(&count));
        let approver = approver_fn(move |_| {
            *counted.lock().expect("no test panics with it") += 1;
            decision.clone()
        });
        let turn = turn(|session| session.permissions(permissions).approver(approver));
        for _ in 0..3 {
            assert_eq!(call(&turn, "launch"), json!({"say": "hi"}));
        }
        assert_eq!(*count.lock().expect("no test panics with it"), 1);
        assert_eq!(*kept.kept.lock().expect("no test panics with it"), [(r#"{"say":"hi"}"#.to_owned(), until)]);
    }
}

#[test]
fn an_allowed_call_needs_no_approval_that_its_tool_requires() {
    let allowed = turn(|session| session.permissions(scripted(|_| PermissionDecision::allow())));
    assert_eq!(call(&allowed, "launch"), json!({"say": "hi"}));
    let undecided = turn(|session| session.permissions(scripted(|_| PermissionDecision::default())));
    assert_eq!(call(&undecided, "launch")["kind"], "refused");
}

#[test]
fn a_decision_that_waits_is_made_on_another_thread_within_the_time_limit() {
    thread_local!(static IS_CALLER: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
    IS_CALLER.set(true);
    let waits = |decide| Arc::new(Scripted { decide, may_wait: true, kept: Mutex::default() });
    let elsewhere = waits(|_| {
        let reason = PermissionReason::new("elsewhere", "D.");
        if IS_CALLER.get() { PermissionDecision::default() } else { PermissionDecision::deny(reason) }
    });
    assert_eq!(call(&turn(|session| session.permissions(elsewhere)), "echo")["kind"], "denied");
    let slow = waits(|_| {
        std::thread::sleep(Duration::from_millis(500));
        PermissionDecision::default()
    });
    let turn = turn(|session| session.permissions(slow).timeout(Duration::from_millis(5)));
    assert_eq!(call(&turn, "echo")["kind"], "timeout");
}

#[test]
fn a_call_whose_permissions_panic_does_not_run() {
    for may_wait in [false, true] {
        let panics = Arc::new(Scripted { decide: |_| panic!("cannot read hunter2"), may_wait, kept: Mutex::default() });
        let turn = turn(|session| session.permissions(panics));
        for tool in ["echo", "broken"] {
            let response = call(&turn, tool);
            assert_eq!(response["kind"], "hook_failed", "{response}");
            assert!(!response.to_string().contains("hunter2"), "{response}");
        }
    }
}

#[cfg(feature = "approval")]
#[test]
fn the_mode_of_approval_holds_for_permissions() {
    use crate::call::approval::policy::{CommandApproval, CommandMode};
    use toolc_commands::ProgramTable;
    use toolc_commands::rules::RuleSet;
    let rules: &'static RuleSet<'static> = Box::leak(Box::new(RuleSet::new(&[], &[], ProgramTable::EMPTY)));
    let in_mode = |mode, decide| {
        let commands = CommandApproval::new(rules).mode(mode);
        call(&turn(|session| session.permissions(scripted(decide)).commands(commands)), "echo")
    };
    let denies: Decide = |_| PermissionDecision::deny(PermissionReason::new("never", "D."));
    assert_eq!(in_mode(CommandMode::Off, asks), json!({"say": "hi"}));
    assert_eq!(in_mode(CommandMode::Deny, asks)["kind"], "denied");
    assert_eq!(in_mode(CommandMode::Ask, asks)["kind"], "refused");
    assert_eq!(in_mode(CommandMode::Off, denies)["kind"], "denied");
}
