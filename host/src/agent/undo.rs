//! Takes back the changes of files that the calls of the last turn have made, including those of helpers.

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

/// What was undone.
pub(crate) struct UndoReport {
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
    /// The calls whose effects cannot be undone.
    others: Arc<Mutex<Vec<String>>>,
}

impl TurnChanges {
    /// Lets the calls of a task keep what can be undone, and report their output while they run.
    pub(super) fn of_chat(task: &Task) -> Self {
        let call = Call::new(ToolCall::new("chat", "{}").with_task(task));
        let files = call.state::<ChangeLog>();
        files.begin();
        call.state::<LiveOutput>().begin();
        Self { files: Some(files), others: Arc::default() }
    }

    /// Lets the calls of the task of a helper keep what can be undone here, next to the changes of its parent.
    pub(super) fn join(&self, task: &Task) {
        if let Some(files) = &self.files {
            let call = Call::new(ToolCall::new("helper", "{}").with_task(task));
            call.state::<ChangeLog>().join(Arc::clone(files));
        }
    }

    /// Forgets all changes, and keeps those that follow.
    fn begin(&self) {
        self.others().clear();
        if let Some(files) = &self.files {
            files.begin();
        }
    }

    /// Adds calls whose effects cannot be undone. Without a person who could undo anything, nothing is kept.
    pub(super) fn add_others(&self, others: Vec<String>) {
        if self.files.is_some() {
            self.others().extend(others);
        }
    }

    fn others(&self) -> MutexGuard<'_, Vec<String>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// Takes back the changes of files of the last turn. The next message says so to the model.
    pub(crate) async fn undo(&mut self) -> UndoReport {
        let others = std::mem::take(&mut *self.changes.others());
        let files = match self.changes.files.clone() {
            // An environment can wait for a server.
            Some(log) => tokio::task::spawn_blocking(move || log.undo()).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let changed: Vec<&str> = files
            .iter()
            .filter(|file| !matches!(file.outcome, UndoOutcome::Kept(_)))
            .map(|file| file.path.as_str())
            .collect();
        if !changed.is_empty() {
            let text = format!("The user has undone your last changes to these files: {}", changed.join(", "));
            self.news.add(self.task.name(), text);
        }
        UndoReport { files, others }
    }

    /// Begins a turn, whose changes can be undone instead of those of the turn before.
    pub(super) fn begin_changes(&self) {
        self.changes.begin();
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
