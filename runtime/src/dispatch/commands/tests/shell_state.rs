//! Commands are judged in the state of the shell that earlier calls of the task have left.

use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::call::approval::shell::ShellState;
use crate::run::task::Task;

/// A tool with a shell that keeps its state: `cd PATH` and `NAME=VALUE` change it. Returns the directory and the variables with
/// which a command runs.
fn stateful(name: &'static str) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    let run = |arguments: &Value, call: &crate::Call<'_>| {
        let state = call.shell_state();
        let mut next = ShellState::clone(&state);
        let command = arguments["command"].as_str().unwrap_or_default();
        if let Some(path) = command.strip_prefix("cd ") {
            next.directory = Some(path.into());
        } else if let Some((name, value)) = command.split_once('=') {
            next.variables.push((name.to_owned(), Some(value.to_owned())));
        }
        call.set_shell_state(next);
        Ok(ToolOutput::text(format!("{:?}", state.directory)))
    };
    DynamicTool::sync(name, "", schema, move |arguments, call| run(&arguments, call)).shell("command")
}

fn kind(turn: &Turn, task: &Task, tool: &str, command: &str) -> String {
    let arguments = json!({"command": command}).to_string();
    let response = wait(turn.call(&ToolCall::new(tool, &arguments).with_task(task)));
    match serde_json::from_str(&response.json).unwrap() {
        Value::String(text) => text,
        error => error["kind"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn a_command_is_judged_in_the_directory_of_earlier_ones() {
    let turn = with_tools([stateful("terminal"), stateful("other")], commands(), |s| s);
    let [task, separate] = [Task::new("a"), Task::new("b")];
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf ."), "refused");
    assert_eq!(kind(&turn, &task, "terminal", "cd /etc"), "None");
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf ."), "denied");
    assert_eq!(kind(&turn, &task, "other", "rm -rf ."), "refused", "each tool has its own shell");
    assert_eq!(kind(&turn, &separate, "terminal", "rm -rf ."), "refused", "each task has its own shell");
    assert_eq!(kind(&turn, &task, "terminal", "ls"), "Some(\"/etc\")");
}

#[test]
fn a_command_is_judged_with_the_variables_of_earlier_ones() {
    let turn = with_tools([stateful("terminal")], commands(), |s| s);
    let task = Task::new("a");
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf $OUT/x"), "refused", "`OUT` is a variable of the session");
    assert_eq!(kind(&turn, &task, "terminal", "OUT=/etc"), "None");
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf $OUT"), "denied");
}

#[test]
fn a_task_can_begin_in_another_directory() {
    let turn = with_tools([stateful("terminal")], commands(), |s| s);
    let task = Task::new("a");
    task.set_directory("/usr");
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf ."), "denied");
    assert_eq!(kind(&turn, &task, "terminal", "ls"), "Some(\"/usr\")");
    kind(&turn, &task, "terminal", "cd /srv");
    assert_eq!(kind(&turn, &task, "terminal", "rm -rf ."), "refused");
    let call = crate::Call::new(ToolCall::new("terminal", "{}").with_task(&task));
    assert_eq!(call.directory().as_deref(), Some(std::path::Path::new("/usr")));
    assert_eq!(crate::Call::new(ToolCall::new("terminal", "{}")).directory(), None);
}

#[test]
fn approvals_in_one_environment_do_not_count_in_another() {
    let store = Arc::new(Store::default());
    let person = Person::new([ApprovalDecision::AllowForSession, ApprovalDecision::AllowAlways]);
    let config = commands().store(store as _);
    let turn = with_tools([stateful("terminal")], config, |s| s.approver(Arc::clone(&person) as _));
    let [here, elsewhere] = [Task::new("a"), Task::new("b")];
    elsewhere.set_environment("sandbox");
    for task in [&here, &elsewhere] {
        assert_eq!((kind(&turn, task, "terminal", "rm -rf build"), person.asked()), ("None".to_owned(), 1));
        assert_eq!((kind(&turn, task, "terminal", "rm -rf build"), person.asked()), ("None".to_owned(), 0));
    }
    assert_eq!(kind(&turn, &elsewhere, "terminal", "rm -rf other"), "None");
    assert_eq!(person.reason().environment, "sandbox");
    let same = Task::new("c");
    same.set_environment("local");
    assert_eq!((kind(&turn, &same, "terminal", "rm -rf build"), person.asked()), ("None".to_owned(), 0));
    let call = crate::Call::new(ToolCall::new("terminal", "{}").with_task(&elsewhere));
    assert_eq!(call.environment().as_deref(), Some("sandbox"));
}

/// A person who reports each question and waits for the test.
struct Slow(mpsc::SyncSender<()>, Mutex<mpsc::Receiver<()>>);

impl Approver for Slow {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        self.0.send(()).unwrap();
        self.1.lock().unwrap().recv_timeout(Duration::from_mins(1)).unwrap();
        Box::pin(async { ApprovalDecision::AllowOnce })
    }
}

#[test]
fn a_command_runs_in_the_directory_in_which_it_was_judged() {
    let ((ask, asked), (answer, answers)) = (mpsc::sync_channel(1), mpsc::channel());
    let slow = Arc::new(Slow(ask, Mutex::new(answers)));
    let turn = with_tools([stateful("terminal")], commands(), |s| s.approver(slow));
    let task = Task::new("a");
    kind(&turn, &task, "terminal", "cd /srv");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| kind(&turn, &task, "terminal", "rm -rf ."));
        asked.recv_timeout(Duration::from_mins(1)).unwrap();
        kind(&turn, &task, "terminal", "cd /etc");
        answer.send(()).unwrap();
        assert_eq!(asking.join().unwrap(), "Some(\"/srv\")");
    });
}
