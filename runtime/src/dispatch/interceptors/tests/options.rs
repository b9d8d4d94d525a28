//! Options of a session: the tool that reads stored results, approvers from closures, and hooks that change no arguments.

use super::*;
use crate::call::approval::{ApprovalReason, approver_fn};
use crate::registry::error::SessionErrorKind;

#[test]
fn a_result_is_stored_only_if_the_turn_shows_the_tool_that_reads_it() {
    let memory = Arc::new(MemoryStore(Mutex::default()));
    let limits = ResultLimits { per_call: 2_000, per_turn: 5_000 };
    let result = |set: fn(SessionBuilder) -> SessionBuilder| {
        let store = Arc::clone(&memory) as Arc<dyn SpillStore>;
        let turn = turn(|s| set(s.result_limits(limits).spill_store(store)));
        call(&turn, "echo", &json!({"say": "x".repeat(3_000)}).to_string())
    };
    let is_cut =
        |result: &Value| result.get("file").is_none() && result["hint"].as_str().unwrap().contains("ask for less");
    assert!(is_cut(&result(|s| s)), "no tool reads it");
    assert!(is_cut(&result(|s| s.spill_reader("launch").disable_tools(["launch"]))), "the tool is not shown");
    assert!(take(&memory.0).is_empty());
    let stored = result(|s| s.spill_reader("launch"));
    assert!(stored["hint"].as_str().unwrap().ends_with("with `launch`") && stored["file"].is_string(), "{stored}");
    assert_eq!(take(&memory.0).len(), 1);
}

#[test]
fn an_unknown_spill_reader_is_refused() {
    let error = tools().registry().session().spill_reader("lanuch").build().unwrap_err();
    assert_eq!((error.kind(), error.name()), (SessionErrorKind::UnknownTool, "lanuch"));
    assert!(error.to_string().contains("did you mean `launch`"), "{error}");
}

#[test]
fn an_approver_can_be_a_closure() {
    let decided = |approver: Arc<dyn Approver>| call(&turn(|s| s.approver(approver)), "launch", r#"{"say": "a"}"#);
    let sync = approver_fn(|request| {
        assert_eq!(
            (&*request.tool, &request.arguments, &*request.reasons),
            ("launch", &json!({"say": "a"}), &[ApprovalReason::Declared][..])
        );
        ApprovalDecision::AllowOnce
    });
    assert_eq!(decided(sync), json!({"say": "a"}));
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let later = approver_fn(move |request| {
        let log = Arc::clone(&log);
        async move {
            *log.lock().unwrap() = request.to_string();
            ApprovalDecision::Deny("not now".to_owned())
        }
    });
    assert!(decided(later)["error"].as_str().unwrap().contains("not now"));
    assert_eq!(*seen.lock().unwrap(), r#"run `launch` with {"say":"a"}? (every call of this tool needs approval)"#);
    let failing = approver_fn(|_| -> ApprovalDecision { panic!("no") });
    assert_eq!(decided(failing)["kind"], "denied");
}

/// A hook that changes arguments, although it says that it does not.
struct Liar;

impl Hook for Liar {
    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        Ok(HookAction::Change(json!({"say": "b"}).as_object().unwrap().clone()))
    }
}

#[test]
fn a_hook_that_changes_arguments_without_declaring_it_fails() {
    let response = call(&turn(|s| s.hook(Arc::new(Liar))), "echo", r#"{"say": "a"}"#);
    assert_eq!(response["kind"], "hook_failed");
}
