//! The output of the chat: what the events of the agent loop look like.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};

use super::live::Live;
use super::results;
#[cfg(unix)]
use super::typing::Typing;
use crate::agent::AgentEvent;
use crate::ground::error::Result;
use crate::ground::show::{self, Style};

/// The number of results that `/output` can show.
const RESULTS: usize = 20;

/// The screen.
pub(super) struct Screen {
    live: Live,
    calls: Mutex<Calls>,
    /// Whether the rows of a call are the last that was shown.
    is_after_call: AtomicBool,
}

/// Who makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Caller {
    #[default]
    Model,
    /// The person, by `!COMMAND`.
    Person,
    /// A command of the chat, which shows the output of the call itself.
    Chat,
}

#[derive(Default)]
struct Calls {
    caller: Caller,
    /// The arguments of the running calls, by id.
    running: HashMap<String, Value>,
    /// The calls that have ended, the latest first: what they were, and their results.
    ended: VecDeque<(String, Value)>,
}

impl Screen {
    /// Returns the screen. If it is plain, text is written as it arrives, and nothing is drawn again.
    pub(super) fn new(plain: bool) -> Self {
        Self { live: Live::new(plain), calls: Mutex::default(), is_after_call: AtomicBool::new(false) }
    }

    /// Shows an event of the agent loop.
    pub(super) fn show(&self, event: &AgentEvent<'_>) {
        match event {
            AgentEvent::Session { model, directory, tools, instructions, .. } => {
                let title = self.live.current_look().paint(Style::Strong, "toolc");
                let [model, directory] = [model, directory].map(|text| show::one_line(text));
                let tools = show::counted(*tools, "tool");
                self.print(&format!("{title}  {model}, {tools}, in {directory}\n`/help` lists the commands"));
                for path in *instructions {
                    self.note(&format!("follows {path}"));
                }
            }
            AgentEvent::Waiting { servers } => {
                let servers = show::one_line(&servers.join(", "));
                self.live.begin("", format!("waiting for the MCP server {servers}"));
            }
            AgentEvent::Request { .. } => self.live.begin("", "thinking".to_owned()),
            AgentEvent::Text { text } => {
                if self.is_after_call.swap(false, Ordering::Relaxed) {
                    self.print("");
                }
                self.live.text(text);
            }
            AgentEvent::Retry { error, wait_ms } => {
                let seconds = wait_ms.div_ceil(1000);
                self.note(&format!("{}; trying again in {seconds} s", show::one_line(error)));
            }
            AgentEvent::CallBegins { id, tool, emoji, arguments } => {
                self.calls().running.insert((*id).to_owned(), (*arguments).clone());
                self.live
                    .begin(id, show::call(emoji, tool, arguments, self.live.current_look().width.saturating_sub(20)));
            }
            AgentEvent::Progress { id, done, total, message, .. } => {
                let share = total.filter(|total| *total > 0.0).map(|total| format!("{:.0} %", done / total * 100.0));
                let message = Some(show::one_line(message)).filter(|text| !text.is_empty());
                self.live.progress(id, &share.into_iter().chain(message).collect::<Vec<_>>().join(" "));
            }
            // Lines of background helpers would disturb the user while typing.
            AgentEvent::HelperEnds { helper, outcome, background: false, .. } => {
                self.note(&format!("{helper} has ended: {outcome}"));
            }
            AgentEvent::HelperBegins { .. } | AgentEvent::HelperCall { .. } | AgentEvent::HelperEnds { .. } => {}
            AgentEvent::CallEnds { id, milliseconds, error, json, .. } => {
                self.end_call(id, *milliseconds, *error, json);
            }
            AgentEvent::Notice { text } => self.note(text),
            AgentEvent::Compacted { replaced, tokens_before, tokens_after } => self.note(&format!(
                "a summary replaces the first {}: about {tokens_before} tokens became {tokens_after}",
                show::counted(*replaced, "message")
            )),
            AgentEvent::Answer { .. } => self.end(),
            AgentEvent::Ends { .. } => {
                self.end();
                self.is_after_call.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Sets who makes the calls that follow.
    pub(super) fn set_caller(&self, caller: Caller) {
        self.calls().caller = caller;
    }

    /// Prints lines, which are broken between words if they do not fit the terminal.
    pub(super) fn print(&self, text: &str) {
        let text = if self.live.is_plain() { text.to_owned() } else { show::fitted(text, self.live.current_look()) };
        self.live.print(&text);
    }

    /// Prints names with what each means, in two columns.
    pub(super) fn columns(&self, rows: &[(String, String)]) {
        let indent = rows.iter().map(|(name, _)| show::width(name) + 2).max().unwrap_or_default();
        let look = self.live.current_look();
        let row = |(name, meaning): &(String, String)| {
            let blanks = " ".repeat(indent - show::width(name));
            show::wrapped(&format!("{name}{blanks}{meaning}"), indent, look)
        };
        self.live.print(&rows.iter().map(row).collect::<Vec<_>>().join("\n"));
    }

    /// Prints lines whose layout matters, such as the result of a call.
    pub(super) fn print_as_it_is(&self, text: &str) {
        self.live.print(text);
    }

    /// Prints text in the colours of a language.
    pub(super) fn code(&self, text: &str, language: &str) {
        let look = self.live.current_look();
        let look = toolc_markdown::Look { width: look.width, styled: look.styled };
        self.print_as_it_is(&toolc_markdown::highlighted(text, language, look).join("\n"));
    }

    /// Prints lines, or an error.
    pub(super) fn result(&self, text: Result<String>) {
        match text {
            Ok(text) => self.print(text.trim_end()),
            Err(error) => self.error(&error.to_string()),
        }
    }

    /// Prints a note about the conversation.
    pub(super) fn note(&self, text: &str) {
        let text = format!("({})", show::one_line(text));
        self.print(&text);
    }

    /// Prints a message of a conversation that is continued.
    pub(super) fn message(&self, is_user: bool, text: &str) {
        if is_user {
            self.print(&self.live.current_look().paint(Style::Strong, &show::lines(&format!("> {text}"))));
        } else {
            self.live.text(text);
            self.live.end_text();
        }
    }

    /// Prints a line that a person may skip.
    pub(super) fn aside(&self, text: &str) {
        let look = self.live.current_look();
        self.print(&look.paint(Style::Faint, &show::wrapped(&show::one_line(text), 0, look)));
    }

    pub(super) fn error(&self, text: &str) {
        let label = self.live.current_look().paint(Style::Marked, "error:");
        self.print(&format!("{label} {}", show::one_line(text)));
    }

    /// Ends the text and the spinner of the model request.
    pub(super) fn end(&self) {
        self.live.end_text();
    }

    /// Returns all of the result of a call that has ended, with what the call was. The latest has the number 1.
    pub(super) fn output(&self, number: usize) -> Option<String> {
        let calls = self.calls();
        let (call, result) = calls.ended.get(number.checked_sub(1)?)?;
        Some(format!("{call}\n{}", results::whole(result).trim_end()))
    }

    /// Returns an approver that asks `person`, and draws nothing while a question is open.
    pub(super) fn with_paused_spinner(&self, person: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(PausingApprover { live: self.live.clone(), person })
    }

    /// Reads what the person types, until the returned value is dropped. A plain screen does not show it, so it is left to the terminal.
    #[cfg(unix)]
    pub(super) fn begin_typing(&self, draft: &str) -> Option<Typing> {
        if self.live.is_plain() { None } else { Typing::begin(&self.live, draft) }
    }

    /// Draws nothing until the returned value is dropped.
    pub(super) fn pause_spinner(&self) -> Box<dyn Send> {
        Box::new(self.live.pause())
    }

    fn end_call(&self, id: &str, milliseconds: u64, error: Option<&str>, json: &str) {
        let Some(call) = self.live.end(id) else { return };
        let look = self.live.current_look();
        let result: Value = serde_json::from_str(json).unwrap_or_default();
        let outcome = match error {
            Some(kind) => look.paint(Style::Marked, &show::outcome(kind)),
            None if results::is_over_time(&result) => {
                let seconds = Duration::from_millis(milliseconds).as_secs();
                look.paint(Style::Marked, &format!("ended after {seconds} s (time limit)"))
            }
            None if milliseconds >= 1000 => format!("{:.1} s", Duration::from_millis(milliseconds).as_secs_f64()),
            None => format!("{milliseconds} ms"),
        };
        let mut calls = self.calls();
        let arguments = calls.running.remove(id).unwrap_or_default();
        let mut rows = vec![format!("  {call}  {outcome}")];
        if calls.caller != Caller::Chat || error.is_some() {
            rows.extend(results::rows(&arguments, &result, calls.caller != Caller::Model, look));
        }
        calls.ended.push_front((call, result));
        calls.ended.truncate(RESULTS);
        drop(calls);
        self.print(&rows.join("\n"));
        self.is_after_call.store(true, Ordering::Relaxed);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.live.close();
    }
}

/// Draws nothing while a person decides.
struct PausingApprover {
    live: Live,
    person: Arc<dyn Approver>,
}

impl Approver for PausingApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        Box::pin(async move {
            let _paused = self.live.pause();
            self.person.decide(request).await
        })
    }
}
