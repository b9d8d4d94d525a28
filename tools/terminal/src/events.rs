//! The events of background processes that the host receives.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An event of a background process, for the model: see [`TerminalHandlers::on_event`](crate::TerminalHandlers::on_event).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessEvent {
    /// The name of the task that has started the process.
    pub task: String,
    /// The id of the process in its task.
    pub session_id: String,
    /// The command line.
    pub command: String,
    /// What has happened.
    pub kind: ProcessEventKind,
}

/// What has happened to a background process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessEventKind {
    /// The process has ended. Reported if the call has `notify_on_complete`.
    Ended {
        /// The exit code, or `None` if a signal has ended it.
        exit_code: Option<i32>,
        /// The name of the signal.
        signal: Option<String>,
    },
    /// A line of the output contains a text of `watch_patterns`. The line may be incomplete.
    Matched {
        /// The text.
        pattern: String,
        /// The line.
        line: String,
    },
    /// Matching lines are no longer reported, because there were too many in a short time.
    Muted,
}

impl fmt::Display for ProcessEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session_id, command, kind, .. } = self;
        write!(f, "process {session_id} (`{command}`) ")?;
        match kind {
            ProcessEventKind::Ended { exit_code: Some(code), .. } => write!(f, "has ended with exit code {code}"),
            ProcessEventKind::Ended { signal, .. } => {
                write!(f, "was ended by {}", signal.as_deref().unwrap_or("a signal"))
            }
            ProcessEventKind::Matched { pattern, line } => write!(f, "has printed a line with `{pattern}`: {line}"),
            ProcessEventKind::Muted => f.write_str("prints too many watched lines: they are no longer reported"),
        }
    }
}

/// The function of the host that receives events.
#[derive(Clone)]
pub(crate) struct EventSink(pub(crate) Arc<dyn Fn(&ProcessEvent) + Send + Sync>);

impl EventSink {
    /// Sends an event to the host. A panic in the function of the host is ignored, because it must not stop the reading of output.
    pub(crate) fn send(&self, event: &ProcessEvent) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.0)(event)));
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSink")
    }
}
