//! What happens in a loop, for the terminal and for programs.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::models::Tokens;

/// Is called with each event, in order. It may be called on any thread, so it must not wait.
pub(crate) type Observer = Arc<dyn Fn(&AgentEvent<'_>) + Send + Sync>;

/// Something that happens in a loop. With `--json`, each is one line.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum AgentEvent<'a> {
    /// The conversation begins.
    Session { session: &'a str, model: &'a str, api: &'a str, directory: &'a str, tools: usize },
    /// A request is sent to the model.
    Request { number: u32 },
    /// The next part of the model's text.
    Text { text: &'a str },
    /// A request failed and is sent again. The text since the request does not belong to the answer.
    Retry { error: &'a str, wait_ms: u64 },
    /// The answer is complete.
    Answer { text: &'a str, calls: usize, tokens: Tokens },
    /// A call begins.
    CallBegins { id: &'a str, tool: &'a str, emoji: &'a str, arguments: &'a Value },
    /// A call reports how far it is.
    Progress { id: &'a str, tool: &'a str, done: f64, total: Option<f64>, message: &'a str },
    /// A call has ended.
    CallEnds {
        id: &'a str,
        tool: &'a str,
        milliseconds: u64,
        /// The kind of the error, if it failed.
        error: Option<&'a str>,
        repairs: usize,
        json: &'a str,
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
