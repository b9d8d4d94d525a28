//! Takes back the changes of files that the calls of a turn have made, including those of helpers. The last turn with changes is the first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolc::text::beginning;
use toolc::{Call, CompletedCall, ErrorKind, Task, ToolCall};
use toolc_files::{ChangeLog, UndoOutcome, Undone};
use toolc_terminal::LiveOutput;

use super::Agent;

/// The tools whose changes can be undone.
const FILE_TOOLS: [&str; 2] = ["write_file", "patch"];
/// The tools that change nothing but what the conversation remembers. What helpers change is listed by itself.
const UNSEEN: [&str; 3] = ["todo", "clarify", "delegate_task"];
/// The maximum length of a call in a report, in characters.
const MAX_CALL: usize = 100;

/// The maximum length of the beginning of a message in a report, in characters.
const MAX_MESSAGE: usize = 60;
/// The maximum number of turns that are remembered.
const MAX_TURNS: usize = 200;

/// What was undone.
pub(crate) struct UndoReport {
    /// The beginning of the message of the turn whose changes were undone. `None` if no turn has changes that are not undone.
    pub(crate) turn: Option<String>,
    /// The files that the turn has changed.
    pub(crate) files: Vec<Undone>,
    /// The calls whose effects stay: of all tools that can change something, except the tools for files.
    pub(crate) others: Vec<String>,
}

/// What the calls of a turn have changed. The helpers of an agent share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TurnChanges {
    /// The changes of files, if they can be undone.
    files: Option<Arc<ChangeLog>>,
    /// The turns, the latest last.
    turns: Arc<Mutex<VecDeque<TurnRecord>>>,
}

/// What is known about a turn.
#[derive(Debug)]
struct TurnRecord {
    number: u64,
    /// The beginning of its message.
    message: String,
    /// The calls whose effects cannot be undone.
    others: Vec<String>,
}

impl TurnChanges {
    /// Lets the calls of a task keep what can be undone, and report their output while they run.
    pub(super) fn of_chat(task: &Task) -> Self {
        let call = Call::new(ToolCall::new("chat", "{}").with_task(task));
        let files = call.state::<ChangeLog>();
        files.begin();
        call.state::<LiveOutput>().begin();
        Self { files: Some(files), turns: Arc::default() }
    }

    /// Lets the calls of the task of a helper keep what can be undone here, next to the changes of its parent.
    pub(super) fn join(&self, task: &Task) {
        if let Some(files) = &self.files {
            let call = Call::new(ToolCall::new("helper", "{}").with_task(task));
            call.state::<ChangeLog>().join(Arc::clone(files));
        }
    }

    /// Begins a turn with this message.
    fn begin(&self, message: &str) {
        let Some(files) = &self.files else { return };
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = beginning(&message, MAX_MESSAGE).into_owned();
        let mut turns = self.turns();
        if turns.len() == MAX_TURNS {
            turns.pop_front();
        }
        turns.push_back(TurnRecord { number: files.begin(), message, others: Vec::new() });
    }

    /// Adds calls whose effects cannot be undone. Without a person who could undo anything, nothing is kept.
    pub(super) fn add_others(&self, others: Vec<String>) {
        if let Some(turn) = self.turns().back_mut() {
            turn.others.extend(others);
        }
    }

    fn turns(&self) -> MutexGuard<'_, VecDeque<TurnRecord>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// Takes back the changes of files of the last turn that has any which are not undone. The next message says so to the model.
    pub(crate) async fn undo(&mut self) -> UndoReport {
        let undone = match self.changes.files.clone() {
            // An environment can wait for a server.
            Some(log) => tokio::task::spawn_blocking(move || log.undo()).await.unwrap_or_default(),
            None => None,
        };
        let mut turns = self.changes.turns();
        let Some((number, files)) = undone else {
            let others = turns.back_mut().map(|turn| std::mem::take(&mut turn.others)).unwrap_or_default();
            return UndoReport { turn: None, files: Vec::new(), others };
        };
        let record = turns.iter_mut().find(|turn| turn.number == number);
        let (turn, others) =
            record.map(|turn| (turn.message.clone(), std::mem::take(&mut turn.others))).unwrap_or_default();
        drop(turns);
        let changed: Vec<&str> = files
            .iter()
            .filter(|file| !matches!(file.outcome, UndoOutcome::Kept(_)))
            .map(|file| file.path.as_str())
            .collect();
        if !changed.is_empty() {
            let changed = changed.join(", ");
            let text = format!(
                "The user has undone your changes to these files in the turn that began with \"{turn}\": {changed}"
            );
            self.news.add(self.task.name(), text);
        }
        UndoReport { turn: Some(turn), files, others }
    }

    /// Begins a turn with this message, whose changes can be undone.
    pub(super) fn begin_changes(&self, message: &str) {
        self.changes.begin(message);
    }

    /// Returns the calls whose effects cannot be undone.
    pub(super) fn others_of(&self, completed: &[CompletedCall<'_>]) -> Vec<String> {
        let is_other = |CompletedCall { call, response }: &&CompletedCall<'_>| {
            let name = call.name();
            let is_read_only =
                || self.helpers.registry().tool(name).is_some_and(|tool| tool.behaviour.annotations.read_only);
            has_run(response.error) && !FILE_TOOLS.contains(&name) && !UNSEEN.contains(&name) && !is_read_only()
        };
        let text = |CompletedCall { call, .. }: &CompletedCall<'_>| {
            let text = format!("{} {}", call.name(), call.arguments());
            beginning(&self.redactor.text(&text), MAX_CALL).into_owned()
        };
        completed.iter().filter(is_other).map(text).collect()
    }
}

/// Returns whether a call with this error can have done something.
fn has_run(error: Option<ErrorKind>) -> bool {
    !matches!(
        error,
        Some(
            ErrorKind::Denied
                | ErrorKind::Refused
                | ErrorKind::Blocked
                | ErrorKind::UnknownTool
                | ErrorKind::InvalidArguments
                | ErrorKind::MalformedArguments
        )
    )
}
