//! The state of a task that the model needs to know, and that a summary or the end of this program would lose. It is stored with the
//! conversation.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolc::text::beginning;
use toolc::{Call, CompletedCall, ErrorKind, ToolCall};
use toolc_agent::{TodoItem, TodoList};
use toolc_terminal::RunningProcess;

use super::event::AgentEvent;
use super::helpers::RecordedHelper;
use super::{Agent, StoredCall};
use crate::ground::time;
use crate::sources::instructions::Instructions;

/// The maximum number of calls that were not approved. The oldest are dropped.
const MAX_DENIED: usize = 50;
/// The tool that calls tools which the tool search has found.
const TOOL_CALL: &str = "tool_call";
/// The maximum length of a call, a command line or a reason, in characters.
const MAX_CHARS: usize = 300;

/// The state of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TaskState {
    todo: Vec<TodoItem>,
    /// The running background processes.
    processes: Vec<Process>,
    /// The background calls without results.
    calls: Vec<String>,
    /// The calls whose approval question was not answered.
    unanswered: Vec<String>,
    denied: Vec<DeniedCall>,
    /// The background helpers.
    helpers: Vec<RecordedHelper>,
    /// The standing instructions, or `None` if an earlier version has recorded the conversation.
    pub(super) instructions: Option<Instructions>,
    /// The skills with which the conversation began.
    pub(super) skills: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Process {
    session_id: String,
    command: String,
    started: String,
}

/// A call that was not approved or was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeniedCall {
    pub(super) call: String,
    reason: String,
}

impl TaskState {
    /// Returns the text that is added to a summary. It is empty if nothing is unfinished or denied.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let todo = self.todo.iter().filter(|item| item.status.is_unfinished());
        let todo = todo.map(|item| format!("[{}] {}: {}", item.status.word(), item.id, item.content));
        push_list(&mut text, "Unfinished items of the to-do list:", todo);
        push_list(&mut text, "Processes that run in the background:", self.processes.iter().map(ToString::to_string));
        push_list(&mut text, "Calls that run in the background:", self.calls.iter().cloned());
        push_list(&mut text, "Helpers in the background:", self.helpers.iter().map(ToString::to_string));
        push_list(
            &mut text,
            "Calls that did not run, because the question about them was not answered. Ask the user before you repeat one:",
            self.unanswered.iter().cloned(),
        );
        let denied = self.denied.iter().map(|denied| format!("{}: {}", denied.call, denied.reason));
        push_list(&mut text, "Calls that were not approved or were refused. Do not try them again:", denied);
        text
    }

    /// Returns the message for the model when another run of this program continues the conversation.
    fn after_restart(&self) -> String {
        let mut text =
            "toolc was restarted after the last message: variables and the directory of the shell and of scripts are \
                        lost"
                .to_owned();
        if self.todo.iter().any(|item| item.status.is_unfinished()) {
            text += ", the to-do list is kept";
        }
        text += ".\n";
        let processes = self.processes.iter().map(ToString::to_string);
        push_list(
            &mut text,
            "These processes in the background have ended, and their ids are no longer valid:",
            processes,
        );
        push_list(
            &mut text,
            "These calls in the background have ended, and it is unknown what they have done:",
            self.calls.iter().cloned(),
        );
        let (ended, lost): (Vec<_>, Vec<_>) = self.helpers.iter().partition(|helper| helper.has_ended());
        let lost = lost.iter().map(|helper| format!("{}: {}", helper.helper_id, helper.goal));
        push_list(&mut text, "These helpers were ended before they had a result:", lost);
        push_list(&mut text, "The results of these helpers can still be read:", ended.iter().map(ToString::to_string));
        text.trim_end().to_owned()
    }
}

impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: `{}`, since {}", self.session_id, self.command, self.started)
    }
}

fn push_list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        let _ = writeln!(text, "{}{title}", if text.ends_with('\n') { "\n" } else { "" });
        for item in items {
            let _ = writeln!(text, "- {item}");
        }
    }
}

impl Agent {
    /// Returns the state of the task.
    pub(super) fn task_state(&self) -> TaskState {
        let running = RunningProcess::of_task(&self.task);
        let process = |process: RunningProcess| Process {
            session_id: process.session_id,
            command: beginning(&process.command, MAX_CHARS).into_owned(),
            started: time::text(process.started),
        };
        TaskState {
            todo: self.task.state::<TodoList>().map_or_else(Vec::new, |list| list.items()),
            processes: running.into_iter().map(process).collect(),
            calls: self.background.texts().map(|call| beginning(&call, MAX_CHARS).into_owned()).collect(),
            unanswered: self
                .questions
                .unanswered()
                .iter()
                .map(|call| beginning(call, MAX_CHARS).into_owned())
                .collect(),
            denied: self.denied.clone(),
            helpers: self.helpers.recorded(),
            instructions: Some(self.instructions.clone()),
            skills: self.skills.names().to_vec(),
        }
    }

    /// Continues with the state of an earlier run, if there was one, and reports to the model what ended with that run. `unfinished` are the
    /// calls without results.
    pub(super) fn restore(&mut self, state: Option<TaskState>, unfinished: &[StoredCall]) {
        self.end_unfinished(unfinished);
        let Some(state) = state else { return };
        if self.conversation.has_results() {
            self.news.add(self.task.name(), state.after_restart());
        }
        let TaskState { todo, processes: _, calls: _, unanswered, denied, helpers, instructions: _, skills: _ } = state;
        self.helpers.restore(helpers);
        Call::new(ToolCall::new("todo", "{}").with_task(&self.task)).state::<TodoList>().restore(todo);
        self.questions.restore(unanswered);
        self.denied = denied;
    }

    /// Returns the calls that were not approved or were refused.
    pub(super) fn denied_calls(&self, completed: &[CompletedCall<'_>]) -> Vec<DeniedCall> {
        let answered = completed.iter().filter(|completed| !self.questions.is_unanswered(completed.call.id()));
        answered.flat_map(denied_in).collect()
    }

    /// Remembers calls that were not approved or were refused.
    pub(super) fn remember_denied(&mut self, denied: Vec<DeniedCall>) {
        for denied in denied {
            self.denied.retain(|known| known.call != denied.call);
            if self.denied.len() == MAX_DENIED {
                self.denied.remove(0);
            }
            self.denied.push(denied);
        }
    }

    /// Stores the state of the task with the conversation, if it has changed.
    pub(super) fn record_state(&mut self) {
        let state = self.task_state();
        if state == self.recorded_state {
            return;
        }
        if let Err(error) = self.recorder.record_state(&state) {
            self.emit(&AgentEvent::Notice { text: &format!("the state of the conversation is not recorded: {error}") });
        }
        self.recorded_state = state;
    }
}

/// Returns the denied or refused calls in a call. A call of `tool_call` may contain several.
fn denied_in(CompletedCall { call, response }: &CompletedCall<'_>) -> Vec<DeniedCall> {
    let denied = |call: String, result: &Value| DeniedCall {
        call: beginning(&call, MAX_CHARS).into_owned(),
        reason: beginning(result["error"].as_str().unwrap_or_default(), MAX_CHARS).into_owned(),
    };
    let result: Value = serde_json::from_str(&response.json).unwrap_or_default();
    if let Some(calls) = calls_in(call) {
        let parts = result["results"].as_array().into_iter().flatten().enumerate();
        let parts = parts.filter(|(_, part)| is_denied(part["result"]["kind"].as_str()));
        let part = |(at, part): (usize, &Value)| {
            let name = part["name"].as_str().unwrap_or_default();
            denied(format!("{name} {}", calls[at]["arguments"]), &part["result"])
        };
        return parts.map(part).collect();
    }
    if is_denied(response.error.map(ErrorKind::word)) {
        return vec![denied(format!("{} {}", call.name(), call.arguments()), &result)];
    }
    Vec::new()
}

/// Returns the list of calls in a call of `tool_call`, or `None` if there is no list.
fn calls_in(call: &ToolCall<'_>) -> Option<Value> {
    let mut arguments: Value = serde_json::from_str(call.arguments()).ok().filter(|_| call.name() == TOOL_CALL)?;
    let calls = match arguments["calls"].take() {
        // Some models write the list as a text.
        Value::String(text) => serde_json::from_str(&text).ok()?,
        calls => calls,
    };
    calls.as_array().is_some_and(|calls| !calls.is_empty()).then_some(calls)
}

fn is_denied(kind: Option<&str>) -> bool {
    [ErrorKind::Denied, ErrorKind::Refused].iter().any(|denied| Some(denied.word()) == kind)
}

#[cfg(test)]
mod tests {
    use toolc::{CallResponse, ToolError, ToolOutput};
    use toolc_agent::TodoStatus;

    use super::*;

    fn state() -> TaskState {
        let item =
            |id: &str, content: &str, status| TodoItem { id: id.to_owned(), content: content.to_owned(), status };
        let process = Process {
            session_id: "proc_1".to_owned(),
            command: "npm run dev".to_owned(),
            started: "2026-03-01T12:00:00Z".to_owned(),
        };
        let denied = DeniedCall { call: "terminal {}".to_owned(), reason: "the user said no".to_owned() };
        TaskState {
            todo: vec![
                item("1", "plan", TodoStatus::Completed),
                item("2", "build", TodoStatus::InProgress),
                item("3", "test", TodoStatus::Pending),
            ],
            processes: vec![process],
            calls: vec!["fetch {\"site\":\"a.example\"}".to_owned()],
            unanswered: vec!["terminal {\"command\":\"rm -rf build\"}".to_owned()],
            denied: vec![denied],
            helpers: Vec::new(),
            instructions: None,
            skills: Vec::new(),
        }
    }

    #[test]
    fn the_text_lists_unfinished_items_only() {
        insta::assert_snapshot!(state().text(), @r#"
        Unfinished items of the to-do list:
        - [in_progress] 2: build
        - [pending] 3: test

        Processes that run in the background:
        - proc_1: `npm run dev`, since 2026-03-01T12:00:00Z

        Calls that run in the background:
        - fetch {"site":"a.example"}

        Calls that did not run, because the question about them was not answered. Ask the user before you repeat one:
        - terminal {"command":"rm -rf build"}

        Calls that were not approved or were refused. Do not try them again:
        - terminal {}: the user said no
        "#);
        assert_eq!(TaskState::default().text(), "");
    }

    #[test]
    fn the_text_after_a_restart_lists_what_has_ended() {
        insta::assert_snapshot!(state().after_restart(), @r#"
        toolc was restarted after the last message: variables and the directory of the shell and of scripts are lost, the to-do list is kept.

        These processes in the background have ended, and their ids are no longer valid:
        - proc_1: `npm run dev`, since 2026-03-01T12:00:00Z

        These calls in the background have ended, and it is unknown what they have done:
        - fetch {"site":"a.example"}
        "#);
    }

    #[test]
    fn denied_calls_are_found_inside_a_tool_call() {
        let denied = |name: &str, arguments: &str, result: Result<&str, ErrorKind>| -> Vec<String> {
            let response = match result {
                Ok(json) => {
                    let mut response = CallResponse::from(Ok(ToolOutput::text("")));
                    json.clone_into(&mut response.json);
                    response
                }
                Err(kind) => CallResponse::from(Err(ToolError::with_kind(kind, "no"))),
            };
            let completed = CompletedCall { call: ToolCall::new(name, arguments), response };
            denied_in(&completed).into_iter().map(|denied| format!("{}: {}", denied.call, denied.reason)).collect()
        };
        assert_eq!(denied("fetch", "{}", Err(ErrorKind::Denied)), ["fetch {}: no"]);
        assert_eq!(denied("fetch", "{}", Err(ErrorKind::Failed)), [""; 0]);
        let results = r#"{"results":[{"name":"a","result":1},{"name":"b","result":{"error":"no","kind":"denied"}}]}"#;
        let calls = r#"[{"name":"a","arguments":{}},{"name":"b","arguments":{"x":1}}]"#;
        let as_list = format!(r#"{{"calls":{calls}}}"#);
        let as_text = serde_json::json!({ "calls": calls }).to_string();
        for arguments in [&as_list, &as_text] {
            assert_eq!(denied("tool_call", arguments, Ok(results)), [r#"b {"x":1}: no"#]);
        }
        // A call without a list has the result of one tool.
        assert_eq!(denied("tool_call", r#"{"name":"list","calls":[]}"#, Ok(results)), [""; 0]);
        assert_eq!(denied("tool_call", r#"{"name":"b"}"#, Err(ErrorKind::Denied)), [r#"tool_call {"name":"b"}: no"#]);
    }

    #[test]
    fn a_state_survives_a_round_trip_and_ignores_unknown_fields() {
        let json = serde_json::to_string(&state()).expect("it is JSON");
        assert_eq!(serde_json::from_str::<TaskState>(&json).expect("it is a state"), state());
        assert_eq!(serde_json::from_str::<TaskState>(r#"{"later":1}"#).expect("it is a state"), TaskState::default());
    }
}
