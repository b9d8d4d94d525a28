//! Values of the host reach handlers, whatever runs the call.

use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;

use serde_json::{Value, json};
use toolc::search::ToolSearch;
use toolc::wire::mcp::Server;
use toolc::{
    Call, Dialect, DynamicTool, DynamicTools, HostValues, Registry, Session, Task, ToolCall, ToolOutput, ToolResult,
    Turn,
};

/// A service of the host that handlers know by its trait only.
trait Store: Send + Sync {
    fn name(&self) -> &'static str;
}

/// Any type will do, also one that is not known to the handler's crate.
struct Named(&'static str);

impl Store for Named {
    fn name(&self) -> &'static str {
        self.0
    }
}

fn store(name: &'static str) -> Arc<dyn Store> {
    Arc::new(Named(name))
}

/// The number of the user.
struct User(u32);

/// The handler of all tools: returns what it gets from the host.
fn see(call: &Call<'_>) -> ToolResult {
    let store = call.require_value::<dyn Store>()?;
    Ok(ToolOutput::text(format!("{} {:?}", store.name(), call.value::<User>().map(|user| user.0))))
}

/// Tools of each kind of handler: `inline`, `thread` and `future`.
fn registry() -> Registry {
    let schema = || json!({"type": "object", "additionalProperties": false});
    let tools = DynamicTools::new()
        .tool(DynamicTool::sync("inline", "See what the host gives, inline.", schema(), |_, call| see(call)))
        .tool(DynamicTool::blocking("thread", "See what the host gives, on a thread.", schema(), |_, call| see(call)))
        .tool(DynamicTool::future("future", "See what the host gives, in a future.", schema(), |_, call| {
            Box::pin(async { see(call) })
        }));
    let registry = Registry::new();
    registry.add(tools.build().expect("the tools are valid")).expect("the names are free");
    registry
}

const TOOLS: [&str; 3] = ["inline", "thread", "future"];

fn session() -> Session {
    let session = registry().session().value(store("of the session")).value(Arc::new(User(1)));
    session.build().expect("the session is valid")
}

fn text(json: &str) -> String {
    serde_json::from_str(json).expect("the response is a string")
}

#[test]
fn the_value_of_the_call_comes_before_that_of_the_task_and_that_of_the_session() {
    let turn = session().turn_blocking(Dialect::OpenAi);
    let (bare, task) = (Task::new("bare"), Task::new("task"));
    task.set_value(store("of the task"));
    let values = HostValues::new().with(store("of the call"));
    for tool in TOOLS {
        let see = |call: ToolCall<'_>| text(&turn.call_blocking(&call).json);
        let call = ToolCall::new(tool, "{}");
        assert_eq!(see(call), "of the session Some(1)", "{tool}");
        assert_eq!(see(call.with_task(&bare)), "of the session Some(1)", "{tool}");
        assert_eq!(see(call.with_task(&task)), "of the task Some(1)", "{tool}");
        assert_eq!(see(call.with_task(&task).with_values(&values)), "of the call Some(1)", "{tool}");
    }
    task.set_value(Arc::new(User(2)));
    task.set_value(store("of the task, later"));
    assert_eq!(
        text(&turn.call_blocking(&ToolCall::new("thread", "{}").with_task(&task)).json),
        "of the task, later Some(2)"
    );
}

#[test]
fn each_call_of_a_batch_has_its_own_values() {
    let turn = session().turn_blocking(Dialect::OpenAi);
    let values = [2, 3, 4].map(|number| HostValues::new().with(Arc::new(User(number))));
    let calls: Vec<ToolCall<'_>> =
        TOOLS.iter().zip(&values).map(|(tool, values)| ToolCall::new(tool, "{}").with_values(values)).collect();
    let seen: Vec<String> = turn.batch_blocking(&calls).iter().map(|call| text(&call.response.json)).collect();
    assert_eq!(seen, ["of the session Some(2)", "of the session Some(3)", "of the session Some(4)"]);
}

#[test]
fn a_call_within_tool_call_keeps_the_values_of_the_outer_one() {
    let session = registry().session().tool_search(ToolSearch::with_threshold(0)).value(store("of the session"));
    let turn = session.build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
    assert!(turn.definitions().contains("tool_call"));
    assert!(TOOLS.iter().all(|tool| turn.deferred().any(|deferred| deferred == *tool)));
    let values = HostValues::new().with(Arc::new(User(9)));
    for tool in TOOLS {
        let arguments = json!({"calls": [{"name": tool, "arguments": {}}]}).to_string();
        let response = turn.call_blocking(&ToolCall::new("tool_call", &arguments).with_values(&values));
        assert_eq!(text(&response.json), "of the session Some(9)");
    }
}

#[test]
fn calls_of_an_mcp_client_have_the_values_of_the_session_and_those_that_the_host_adds() {
    fn answer(turn: &Turn, tool: &str, values: &HostValues) -> Value {
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}});
        let incoming = Server::new("test", "1").receive(&message.to_string(), turn);
        let reply = incoming
            .reply_with(|request| Some(request.result(turn, &turn.call_blocking(&request.call().with_values(values)))));
        let reply: Value = serde_json::from_str(&reply.expect("a call has a reply")).expect("a reply is JSON");
        reply["result"]["content"][0]["text"].clone()
    }
    let turn = session().turn_blocking(Dialect::Mcp);
    for tool in TOOLS {
        assert_eq!(answer(&turn, tool, &HostValues::new()), "of the session Some(1)");
        assert_eq!(answer(&turn, tool, &HostValues::new().with(Arc::new(User(2)))), "of the session Some(2)");
    }
}

#[test]
fn a_missing_value_is_an_error_that_names_it() {
    let turn = registry().session().build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
    for tool in TOOLS {
        let response = turn.call_blocking(&ToolCall::new(tool, "{}"));
        let error: Value = serde_json::from_str(&response.json).expect("the response is JSON");
        assert_eq!(error["kind"], "failed");
        let message = error["error"].as_str().expect("an error has a message");
        assert!(message.contains("host_values::Store`") && message.contains(&format!("`{tool}` needs")), "{message}");
    }
    let turn = registry().session().value(store("s")).build().expect("valid").turn_blocking(Dialect::OpenAi);
    assert_eq!(text(&turn.call_blocking(&ToolCall::new("thread", "{}")).json), "s None");
}

/// A value that needs its own task when it is dropped.
struct Tidy {
    task: Weak<Task>,
    dropped: Arc<Mutex<Vec<&'static str>>>,
    name: &'static str,
}

impl Drop for Tidy {
    fn drop(&mut self) {
        if let Some(task) = self.task.upgrade() {
            task.set_value(Arc::new(User(0)));
        }
        self.dropped.lock().expect("no thread panicked").push(self.name);
    }
}

#[test]
fn a_replaced_value_may_use_its_task_when_it_is_dropped() {
    let (task, dropped) = (Arc::new(Task::new("task")), Arc::default());
    let tidy = |name| Arc::new(Tidy { task: Arc::downgrade(&task), dropped: Arc::clone(&dropped), name });
    task.set_value(tidy("first"));
    task.set_value(tidy("second"));
    assert_eq!(*dropped.lock().expect("no thread panicked"), ["first"]);
}

/// The state of the tool `stuck`.
#[derive(Default)]
struct Work(Mutex<u32>);

#[test]
fn a_task_ends_with_its_state_and_values_even_if_a_handler_is_stuck() {
    let (started, is_started) = mpsc::channel();
    let (release, is_released) = mpsc::channel::<()>();
    let is_released = Mutex::new(is_released);
    let schema = json!({"type": "object"});
    let stuck = DynamicTool::blocking("stuck", "Never ends by itself.", schema, move |_, call| {
        *call.state::<Work>().0.lock().expect("no thread panicked") += 1;
        started.send(()).expect("the test waits");
        let _ = is_released.lock().expect("no thread panicked").recv();
        Ok(ToolOutput::text("released"))
    });
    let registry = Registry::new();
    registry.add(stuck.build().expect("the tool is valid")).expect("the name is free");
    let session = registry.session().build().expect("the session is valid");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let stuck_call = |task: &Task, call: ToolCall<'_>| {
        let user = Arc::new(User(1));
        let weak = Arc::downgrade(&user);
        task.set_value(user);
        thread::scope(|scope| {
            let running = scope.spawn(|| turn.call_blocking(&call));
            is_started.recv().expect("the handler starts");
            task.cancel();
            assert!(running.join().expect("the call ends").is_error());
        });
        let work = task.state::<Work>().expect("the handler has made it");
        assert_eq!(*work.0.lock().expect("no thread panicked"), 1);
        (weak, Arc::downgrade(&work))
    };
    let call = ToolCall::new("stuck", "{}");

    let task = Task::new("of the host");
    let (value, state) = stuck_call(&task, call.with_task(&task));
    drop(task);
    assert!(value.upgrade().is_none() && state.upgrade().is_none());

    // The turn and the stuck handler keep the session's own task, so that it cannot be dropped.
    let (value, state) = stuck_call(session.task(), call);
    session.task().end();
    assert!(value.upgrade().is_none() && state.upgrade().is_none());
    let response = turn.call_blocking(&call);
    assert!(response.json.contains(r#""kind":"cancelled""#) && is_started.try_recv().is_err(), "{}", response.json);
    drop(release);
}
