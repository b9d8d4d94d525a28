//! Takes back the changes of files that the calls of the last turn have made.

use toolc::text::beginning;
use toolc::{Call, CompletedCall, ErrorKind, Task, ToolCall};
use toolc_files::{ChangeLog, UndoOutcome, Undone};
use toolc_terminal::LiveOutput;

use super::Agent;

/// The tools whose changes can be undone.
const FILE_TOOLS: [&str; 2] = ["write_file", "patch"];
/// The tools that change nothing but what the conversation remembers.
const UNSEEN: [&str; 2] = ["todo", "clarify"];
/// The maximum length of a call in a report, in characters.
const MAX_CALL: usize = 100;

/// What was undone.
pub(crate) struct UndoReport {
    /// The files that the turn has changed.
    pub(crate) files: Vec<Undone>,
    /// The calls whose effects stay: of all tools that can change something, except the tools for files.
    pub(crate) others: Vec<String>,
}

/// Lets the calls of a task keep what can be undone, and report their output while they run.
pub(super) fn enable_undo_and_live_output(task: &Task) {
    let call = Call::new(ToolCall::new("chat", "{}").with_task(task));
    call.state::<ChangeLog>().begin();
    call.state::<LiveOutput>().begin();
}

impl Agent {
    /// Takes back the changes of files of the last turn. The next message says so to the model.
    pub(crate) async fn undo(&mut self) -> UndoReport {
        let others = std::mem::take(&mut self.last.others);
        let log = self.task.state::<ChangeLog>();
        let files = match log {
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
    pub(super) fn begin_changes(&mut self) {
        self.last.others.clear();
        if let Some(log) = self.task.state::<ChangeLog>() {
            log.begin();
        }
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
