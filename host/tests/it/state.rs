//! The shipped tools keep their state per task: the session's task, or one that the host passes.

use toolc::testing::{Harness, assert_reply, json};
use toolc::{Dialect, Registry, Session, Task, ToolCall, Value};

const WRITE: &str = r#"{"todos": [{"id": "a", "content": "mine", "status": "pending"}]}"#;

/// Runs a call in a new turn, and returns the items of the to-do list.
fn todos(session: &Session, call: &ToolCall<'_>) -> Value {
    let response = session.turn_blocking(Dialect::OpenAi).call_blocking(call);
    assert!(!response.is_error(), "{}", response.json);
    let mut response: Value = serde_json::from_str(&response.json).expect("the response is JSON");
    response["todos"].take()
}

#[test]
fn sessions_of_one_registry_do_not_share_a_list() {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).expect("the names are unique");
    let [first, second] = [(); 2].map(|()| registry.session().build().expect("the session is valid"));
    let read = ToolCall::new("todo", "{}");
    let written = todos(&first, &ToolCall::new("todo", WRITE));
    assert_eq!(written[0]["content"], "mine");
    assert_eq!((todos(&first, &read), todos(&second, &read)), (written, json!([])));
    drop(first);
    let next = registry.session().build().expect("the session is valid");
    assert_eq!(todos(&next, &read), json!([]), "a list ends with its session");
}

#[test]
fn tasks_with_equal_names_do_not_share_a_list() {
    let harness = Harness::new(toolc_host::shipped_tools());
    // `default` is also the name of a session's own task.
    let (first, second) = (Task::new("default"), Task::new("default"));
    let written = harness.send(&ToolCall::new("todo", WRITE).with_task(&first));
    assert_reply!(
        &written,
        {
            "todos": [{"id": "a", "content": "mine", "status": "pending"}],
            "counts": {"total": 1, "pending": 1, "in_progress": 0, "completed": 0, "cancelled": 0},
        }
    );
    let read = ToolCall::new("todo", "{}");
    assert_reply!(harness.send(&read.with_task(&first)), written.value());
    for response in [harness.send(&read.with_task(&second)), harness.call("todo", "{}")] {
        assert_eq!(response.value()["todos"], json!([]));
    }
}
