//! What the shipped tools keep from one call to the next belongs to a task: a session's own, or one that the host names.

use toolc::testing::{Harness, assert_reply, json};
use toolc::{Dialect, Registry, Session, Task, ToolCall, Value};

const WRITE: &str = r#"{"todos": [{"id": "a", "content": "mine", "status": "pending"}]}"#;

fn todos(session: &Session, call: &ToolCall<'_>) -> Value {
    let answer = session.turn_blocking(Dialect::OpenAi).call_blocking(call);
    assert!(!answer.is_error(), "{}", answer.json);
    let mut answer: Value = serde_json::from_str(&answer.json).expect("an answer is JSON");
    answer["todos"].take()
}

#[test]
fn sessions_of_one_registry_do_not_share_a_list() {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).expect("the names are unique");
    let [one, other] = [(); 2].map(|()| registry.session().build().expect("nothing is asked for"));
    let read = ToolCall::new("todo", "{}");
    let written = todos(&one, &ToolCall::new("todo", WRITE));
    assert_eq!(written[0]["content"], "mine");
    assert_eq!((todos(&one, &read), todos(&other, &read)), (written, json!([])));
    drop(one);
    let next = registry.session().build().expect("nothing is asked for");
    assert_eq!(todos(&next, &read), json!([]), "a list ends with its session");
}

#[test]
fn tasks_of_one_name_do_not_share_a_list() {
    let harness = Harness::new(toolc_host::shipped_tools());
    // As a session's own task is called.
    let (one, other) = (Task::new("default"), Task::new("default"));
    let written = harness.send(&ToolCall::new("todo", WRITE).with_task(&one));
    assert_reply!(
        &written,
        {
            "todos": [{"id": "a", "content": "mine", "status": "pending"}],
            "counts": {"total": 1, "pending": 1, "in_progress": 0, "completed": 0, "cancelled": 0},
        }
    );
    let read = ToolCall::new("todo", "{}");
    assert_reply!(harness.send(&read.with_task(&one)), written.value());
    for others in [harness.send(&read.with_task(&other)), harness.call("todo", "{}")] {
        assert_eq!(others.value()["todos"], json!([]));
    }
}
