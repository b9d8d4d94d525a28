//! Progress reports of handlers, for example for a progress bar or for MCP's notifications.

use std::sync::Arc;

/// A progress report of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The tool's own name.
    pub tool: &'a str,
    /// The id of the call in the vendor's API; may be empty.
    pub id: &'a str,
    /// The name of the call's task.
    pub task: &'a str,
    /// The amount of work done, in any unit.
    pub done: f64,
    /// The total amount of work, if the handler knows it.
    pub total: Option<f64>,
    /// What the handler is doing, for people. May be empty.
    pub message: &'a str,
}

/// The callback for progress reports.
pub(crate) type ProgressSink = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;
