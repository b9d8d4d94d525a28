//! Progress: what a handler tells the host while it works, for a spinner, or for MCP's progress notifications.

use std::sync::Arc;

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// The tool's own name.
    pub tool: &'a str,
    /// The id by which the provider's API knows the call; may be empty.
    pub id: &'a str,
    /// The call's task.
    pub task: &'a str,
    /// What is done, in whatever the handler counts.
    pub done: f64,
    /// All that there is to do, where the handler knows.
    pub total: Option<f64>,
    /// What it is doing, for people. May be empty.
    pub message: &'a str,
}

/// Whoever is told.
pub(crate) type ProgressSink = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;
