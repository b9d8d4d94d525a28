//! The events of the agent loop, for the terminal and for programs.

use std::ops::Not;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::models::Tokens;

/// A function that is called with each event, in order. Any thread may call it, so it must not block.
pub(crate) type Observer = Arc<dyn Fn(&AgentEvent<'_>) + Send + Sync>;

/// An event of the agent loop. With `--json`, each event is printed as one line.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum AgentEvent<'a> {
    /// The conversation begins.
    Session {
        session: &'a str,
        model: &'a str,
        api: &'a str,
        directory: &'a str,
        tools: usize,
        /// The files with standing instructions.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        instructions: &'a [String],
    },
    /// The first turn waits for MCP servers that are still starting.
    Waiting { servers: &'a [String] },
    /// A request is sent to the model.
    Request { number: u32 },
    /// The next part of the model's text.
    Text { text: &'a str },
    /// A request failed and is sent again. Discard the text received since the request.
    Retry { error: &'a str, wait_ms: u64 },
    /// The answer is complete.
    Answer { text: &'a str, calls: usize, tokens: Tokens },
    /// A call begins.
    CallBegins { id: &'a str, tool: &'a str, emoji: &'a str, arguments: &'a Value },
    /// A call reports its progress.
    Progress { id: &'a str, tool: &'a str, done: f64, total: Option<f64>, message: &'a str },
    /// A call has ended.
    CallEnds {
        id: &'a str,
        tool: &'a str,
        milliseconds: u64,
        /// The kind of the error, if the call failed.
        error: Option<&'a str>,
        repairs: usize,
        json: &'a str,
        /// Whether the call needed an approval that it did not get, because no person could be asked, or none has answered.
        #[serde(skip_serializing_if = "Not::not")]
        unanswered: bool,
    },
    /// A helper begins to work.
    HelperBegins { helper: &'a str, goal: &'a str, background: bool },
    /// A helper makes a call.
    HelperCall { helper: &'a str, tool: &'a str, emoji: &'a str, arguments: &'a Value, background: bool },
    /// A helper has ended.
    HelperEnds { helper: &'a str, outcome: &'a str, requests: u32, milliseconds: u64, background: bool },
    /// Something that the user should know.
    Notice { text: &'a str },
    /// The conversation was shortened.
    Compacted { replaced: usize, tokens_before: u64, tokens_after: u64 },
    /// The turn has ended.
    Ends { outcome: &'a str, text: &'a str, requests: u32, tokens: Tokens },
}
