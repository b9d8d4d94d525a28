//! The output of the chat: the streamed text of the model, the calls, and a spinner while the model or a call runs.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};
use unicode_width::UnicodeWidthChar as _;

use crate::agent::AgentEvent;
use crate::ground::show::{self, Look, Style};
use crate::ground::terminal;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_TIME: Duration = Duration::from_millis(100);
/// Clears the line of the cursor.
const CLEAR_LINE: &str = "\r\u{1b}[2K";

/// The screen. A thread draws the spinner while the model or a call runs.
pub(super) struct Screen(Arc<Shared>);

struct Shared {
    state: Mutex<ScreenState>,
    changed: Condvar,
    look: Look,
}

#[derive(Default)]
struct ScreenState {
    /// The running model requests and calls, the latest last.
    running: Vec<Activity>,
    /// Whether the spinner is on the line of the cursor.
    is_drawn: bool,
    /// The number of open questions. While a question is open, the spinner is hidden.
    questions: usize,
    /// Whether the cursor is in the middle of a line of text.
    in_line: bool,
    frame: usize,
    has_ended: bool,
}

impl ScreenState {
    /// Removes the spinner from the screen.
    fn erase(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let mut out = io::stdout().lock();
            let _ = write!(out, "{CLEAR_LINE}").and_then(|()| out.flush());
        }
    }
}

impl ScreenState {
    /// Returns the line of the spinner, or `None` if nothing runs. It has at most `columns` columns, because a wrapped line cannot be cleared.
    fn line(&self, columns: usize) -> Option<String> {
        let Activity { text, progress, began, .. } = self.running.last()?;
        let others = match self.running.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let seconds = began.elapsed().as_secs();
        let progress = if progress.is_empty() { String::new() } else { format!(" {progress}") };
        let line = format!("{} {text}{progress}{others} {seconds} s", FRAMES[self.frame]);
        let mut used = 0;
        let fits = |letter: &char| {
            used += letter.width().unwrap_or_default();
            used <= columns
        };
        Some(line.chars().take_while(fits).collect())
    }
}

struct Activity {
    id: String,
    text: String,
    progress: String,
    began: Instant,
}

impl Screen {
    pub(super) fn new() -> Self {
        let look = Look::new(Some(terminal::columns(io::stdout())));
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), look });
        let spinning = Arc::clone(&shared);
        // If the thread cannot be started, only the spinner is missing.
        let _ = thread::Builder::new().name("spinner".to_owned()).spawn(move || spinning.spin());
        Self(shared)
    }

    /// Shows an event of the agent loop.
    pub(super) fn show(&self, event: &AgentEvent<'_>) {
        let look = self.0.look;
        match event {
            AgentEvent::Session { model, directory, tools, .. } => {
                let title = look.paint(Style::Strong, "toolc");
                let [model, directory] = [model, directory].map(|text| show::one_line(text));
                let tools = show::counted(*tools, "tool");
                self.print(&format!("{title}  {model}, {tools}, in {directory}\n`/help` lists the commands"));
            }
            AgentEvent::Request { .. } => self.begin("", "thinking".to_owned()),
            AgentEvent::Text { text } => self.print_text(text),
            AgentEvent::Retry { error, wait_ms } => {
                let seconds = wait_ms.div_ceil(1000);
                self.note(&format!("{}; trying again in {seconds} s", show::one_line(error)));
            }
            AgentEvent::Answer { .. } => self.end(),
            AgentEvent::CallBegins { id, tool, emoji, arguments } => {
                self.begin(id, show::call(emoji, tool, arguments, look.width.saturating_sub(20)));
            }
            AgentEvent::Progress { id, done, total, message, .. } => {
                let share = total.filter(|total| *total > 0.0).map(|total| format!("{:.0} %", done / total * 100.0));
                let message = Some(show::one_line(message)).filter(|text| !text.is_empty());
                self.progress(id, &share.into_iter().chain(message).collect::<Vec<_>>().join(" "));
            }
            // Lines of background helpers would disturb the user while typing.
            AgentEvent::HelperEnds { helper, outcome, background: false, .. } => {
                self.note(&format!("{helper} has ended: {outcome}"));
            }
            AgentEvent::HelperBegins { .. } | AgentEvent::HelperCall { .. } | AgentEvent::HelperEnds { .. } => {}
            AgentEvent::CallEnds { id, milliseconds, error, .. } => self.end_call(id, *milliseconds, *error),
            AgentEvent::Notice { text } => self.note(text),
            AgentEvent::Compacted { replaced, tokens_before, tokens_after } => self.note(&format!(
                "a summary replaces the first {}: about {tokens_before} tokens became {tokens_after}",
                show::counted(*replaced, "message")
            )),
            AgentEvent::Ends { tokens, .. } => {
                self.end();
                if tokens.input > 0 {
                    self.note(&tokens.to_string());
                }
            }
        }
    }

    /// Prints lines.
    pub(super) fn print(&self, text: &str) {
        self.print_above(|out| writeln!(out, "{text}"));
    }

    /// Prints a note about the conversation.
    pub(super) fn note(&self, text: &str) {
        let text = format!("({})", show::one_line(text));
        self.print(&text);
    }

    pub(super) fn error(&self, text: &str) {
        let label = self.0.look.paint(Style::Marked, "error:");
        self.print(&format!("{label} {}", show::one_line(text)));
    }

    /// Ends the line of text and the spinner of the model request.
    pub(super) fn end(&self) {
        let mut state = self.0.state();
        state.running.retain(|running| !running.id.is_empty());
        state.erase();
        if std::mem::take(&mut state.in_line) {
            let _ = writeln!(io::stdout());
        }
    }

    /// Returns an approver that asks `person`, and hides the spinner while a question is open.
    pub(super) fn with_paused_spinner(&self, person: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(PausingApprover { shared: Arc::clone(&self.0), person })
    }

    /// Hides the spinner until the returned value is dropped.
    pub(super) fn pause_spinner(&self) -> Box<dyn Send> {
        Box::new(OpenQuestion::new(&self.0))
    }

    fn print_text(&self, text: &str) {
        let mut state = self.0.state();
        state.running.retain(|running| !running.id.is_empty());
        state.erase();
        let mut out = io::stdout().lock();
        let _ = out.write_all(show::lines(text).as_bytes()).and_then(|()| out.flush());
        state.in_line = !text.ends_with('\n');
    }

    fn begin(&self, id: &str, text: String) {
        let mut state = self.0.state();
        state.running.push(Activity { id: id.to_owned(), text, progress: String::new(), began: Instant::now() });
        self.0.changed.notify_all();
    }

    fn progress(&self, id: &str, text: &str) {
        let mut state = self.0.state();
        if let Some(running) = state.running.iter_mut().find(|running| running.id == id) {
            text.clone_into(&mut running.progress);
        }
    }

    fn end_call(&self, id: &str, milliseconds: u64, error: Option<&str>) {
        let mut state = self.0.state();
        let Some(index) = state.running.iter().position(|running| running.id == id) else { return };
        let running = state.running.remove(index);
        drop(state);
        let result = match error {
            Some(kind) => self.0.look.paint(Style::Marked, &show::outcome(kind)),
            None if milliseconds >= 1000 => format!("{:.1} s", Duration::from_millis(milliseconds).as_secs_f64()),
            None => format!("{milliseconds} ms"),
        };
        self.print(&format!("  {}  {result}", running.text));
    }

    /// Erases the spinner, and prints in its place.
    fn print_above(&self, print: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) {
        let mut state = self.0.state();
        state.erase();
        let mut out = io::stdout().lock();
        if std::mem::take(&mut state.in_line) {
            let _ = writeln!(out);
        }
        let _ = print(&mut out).and_then(|()| out.flush());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.erase();
        state.has_ended = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws the spinner until the screen is dropped.
    fn spin(&self) {
        let mut state = self.state();
        while !state.has_ended {
            let is_idle = state.running.is_empty() || state.questions > 0 || state.in_line || !self.look.styled;
            if is_idle {
                state = self
                    .changed
                    .wait_timeout(state, Duration::from_secs(1))
                    .map_or_else(|error| error.into_inner().0, |(state, _)| state);
                if state.running.is_empty() || state.questions > 0 || state.in_line || !self.look.styled {
                    continue;
                }
            }
            self.draw(&mut state);
            drop(state);
            thread::sleep(FRAME_TIME);
            state = self.state();
        }
    }

    fn draw(&self, state: &mut ScreenState) {
        state.frame = (state.frame + 1) % FRAMES.len();
        let Some(line) = state.line(self.look.width.saturating_sub(2)) else { return };
        let mut out = io::stdout().lock();
        let _ = write!(out, "{CLEAR_LINE}{line}").and_then(|()| out.flush());
        state.is_drawn = true;
    }
}

/// Hides the spinner while a person decides.
struct PausingApprover {
    shared: Arc<Shared>,
    person: Arc<dyn Approver>,
}

/// Hides the spinner while it exists.
struct OpenQuestion(Arc<Shared>);

impl OpenQuestion {
    fn new(shared: &Arc<Shared>) -> Self {
        let mut state = shared.state();
        state.questions += 1;
        state.erase();
        drop(state);
        Self(Arc::clone(shared))
    }
}

impl Approver for PausingApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        Box::pin(async move {
            let _open = OpenQuestion::new(&self.shared);
            self.person.decide(request).await
        })
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.state().questions -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn the_spinner_line_shows_the_latest_call_and_fits_the_columns() {
        let mut state = ScreenState::default();
        assert_eq!(state.line(80), None);
        let running = |text: &str, progress: &str| Activity {
            id: text.to_owned(),
            text: text.to_owned(),
            progress: progress.to_owned(),
            began: Instant::now(),
        };
        state.running.push(running("💻 terminal make", ""));
        assert_eq!(state.line(80).as_deref(), Some("⠋ 💻 terminal make 0 s"));
        state.running.push(running("🔎 search_files 日本", "40 % reading"));
        assert_eq!(state.line(80).as_deref(), Some("⠋ 🔎 search_files 日本 40 % reading (and 1 more) 0 s"));
        for columns in 0..40 {
            let line = state.line(columns).expect("two calls run");
            assert!(line.width() <= columns && line.width() + 2 > columns.min(38), "{columns}: {line}");
        }
    }
}
