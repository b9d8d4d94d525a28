use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::call::{Call, ToolCall};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::fakes::{Fake, renamed, tool, wait};
use crate::provider::HandlerReply;
use crate::result::error::ToolError;
use crate::result::output::{ToolOutput, ToolResult};
use crate::run::task::Task;
use crate::run::values::HostValues;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

/// Returns a tool that scripts can call.
fn marked(tool: Tool) -> Tool {
    tool.with_python("def f(): pass\n")
}

/// Calls the tool in the text of the script's value, and returns its response as text.
async fn run(call: &Call<'_>) -> ToolResult {
    let script = call.value::<String>().expect("the test has a script");
    let response = call.call_script_tool(&script, "{}").await;
    let tools: Vec<&str> = call.script_tools().iter().map(|tool| &*tool.name).collect();
    Ok(ToolOutput::text(format!("{} {}", tools.join(","), response.json)))
}

/// Returns a turn with the tool `script`, which runs scripts, and some others.
fn turn(set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    let tools = [
        tool("script", "home", &[]),
        marked(tool("look", "home", &[])),
        marked(renamed("say_it", tool("say", "home", &[]))),
        marked(tool("nest", "home", &[])),
        marked(tool("hang", "home", &[])),
        tool("secret", "home", &[]),
    ];
    let fake = Fake::new(tools).answer(|call| match call.tool() {
        "script" | "nest" => HandlerReply::Async(Box::pin(run(call))),
        "hang" => HandlerReply::Async(Box::pin(async move {
            call.cancelled().await;
            Err(ToolError::new("stopped"))
        })),
        name => HandlerReply::Ready(Ok(ToolOutput::text(format!("{name} {} {}", call.id(), call.task())))),
    });
    set(fake.registry().session().env(Env::empty())).build().unwrap().turn_blocking(Dialect::OpenAi)
}

/// Runs a script that calls this tool. Returns the tools that it has, and the response.
fn script(turn: &Turn, calls: &str) -> (String, Value) {
    let values = HostValues::default().with(Arc::new(calls.to_owned()));
    let task = Task::new("errand");
    let request = ToolCall::new("script", "{}").with_id("call-1").with_task(&task).with_values(&values);
    let json = wait(turn.call(&request)).json;
    let text: String = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{json}"));
    let (tools, response) = text.split_once(' ').unwrap();
    (tools.to_owned(), serde_json::from_str(response).unwrap())
}

#[test]
fn a_script_calls_the_marked_tools_of_its_turn_by_their_own_names() {
    let turn = turn(|session| session);
    let (tools, response) = script(&turn, "look");
    assert_eq!((&*tools, response), ("hang,look,nest,say", "look call-1 errand".into()));
    assert_eq!(script(&turn, "say").1, "say call-1 errand");
    let error = |calls| script(&turn, calls).1["error"].as_str().unwrap().to_owned();
    assert_eq!(error("secret"), "scripts cannot call `secret`: call it directly");
    assert_eq!(error("script"), "scripts cannot call `script`: call it directly");
    assert!(error("lok").starts_with("unknown tool `lok`: did you mean `look`?"), "{}", error("lok"));
    assert!(error("tool_search").starts_with("unknown tool"), "{}", error("tool_search"));
}

#[test]
fn a_tool_that_the_session_was_not_granted_is_unknown_to_scripts() {
    let turn = turn(|session| session.enable_tools(["script", "say"]));
    let (tools, response) = script(&turn, "look");
    assert_eq!((&*tools, response["kind"].as_str()), ("say", Some("unknown_tool")));
}

#[test]
fn scripts_do_not_nest() {
    let turn = turn(|session| session);
    let response = script(&turn, "nest").1;
    let text = response.as_str().unwrap();
    assert!(text.starts_with(' '), "it has no tools: {text}");
    assert!(text.contains("a tool that a script calls cannot call other tools"), "{text}");
}

/// Records the calls that it sees.
#[derive(Default)]
struct Seen(Mutex<Vec<String>>);

impl Hook for Seen {
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.0.lock().unwrap().push(call.tool().to_owned());
        Ok(if call.tool() == "look" { HookAction::Block("closed".to_owned()) } else { HookAction::Continue })
    }
}

#[test]
fn hooks_decide_about_the_calls_of_scripts() {
    let seen = Arc::new(Seen::default());
    let hook = Arc::clone(&seen);
    let turn = turn(|session| session.hook(hook));
    assert_eq!(script(&turn, "look").1["kind"], "blocked");
    assert_eq!(*seen.0.lock().unwrap(), ["script", "look"]);
}

#[test]
fn a_call_of_a_script_is_cancelled_with_the_call_that_runs_the_script() {
    let turn = turn(|session| session.timeout(Duration::from_millis(100)));
    let values = HostValues::default().with(Arc::new("hang".to_owned()));
    let response = wait(turn.call(&ToolCall::new("script", "{}").with_values(&values)));
    assert!(response.json.contains("timeout"), "{}", response.json);
}

#[test]
fn without_a_session_a_script_has_no_tools() {
    let call = Call::new(ToolCall::new("script", "{}"));
    assert!(call.script_tools().is_empty());
    assert!(wait(call.call_script_tool("look", "{}")).json.contains("has no session"));
}
