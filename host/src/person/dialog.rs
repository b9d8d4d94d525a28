//! A dialog with the person at the terminal. The person types and corrects lines. Escape, an interrupt or a deadline ends the dialog.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use signal_hook::consts::SIGINT;

use super::line::{Line, LineEvent};
use super::open_question::OpenQuestion;
use super::terminal::{RawTerminal, Signals, end_by, open_terminal};
use crate::ground::show::{self, Look};
use crate::ground::terminal;

/// The maximum number of lines of a quoted text that are shown.
const MAX_LINES: usize = 60;

/// Asks the person at the terminal.
pub(crate) struct TerminalAsker {
    /// Whether the host handles Ctrl-C.
    handles_interrupts: bool,
    hooks: OnceLock<QuestionHooks>,
}

/// The hooks of a host around a question.
pub(crate) struct QuestionHooks {
    /// Called when the person presses Ctrl-C. Without a host, Ctrl-C ends the process.
    pub(crate) on_interrupt: Box<dyn Fn() + Send + Sync>,
    /// Hides output that would disturb the question, until the returned value is dropped.
    pub(crate) pause: Box<dyn Fn() -> Box<dyn Send> + Send + Sync>,
}

impl std::fmt::Debug for TerminalAsker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalAsker").finish_non_exhaustive()
    }
}

impl TerminalAsker {
    /// Returns an asker, or `None` if no person can be asked: this process has no terminal, or runs inside a tool that could type the
    /// answers. If the host handles interrupts, SIGINT is left to the host.
    pub(crate) fn if_present(handles_interrupts: bool) -> Option<Arc<Self>> {
        let can_ask = !toolc_process::is_inside_a_tool() && open_terminal().is_ok();
        can_ask.then(|| Arc::new(Self { handles_interrupts, hooks: OnceLock::new() }))
    }

    /// Runs a dialog on its own thread. Returns `None` if the dialog ends without an answer. Dropping the future withdraws the questions.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        ask: impl FnOnce(&mut Dialog<'_>) -> Result<T, Stop> + Send + 'static,
    ) -> Option<T> {
        let _paused = self.hooks.get().map(|hooks| (hooks.pause)());
        let has_hooks = self.hooks.get().is_some();
        let signals = Signals::get(self.handles_interrupts).ok()?;
        let ask = move |is_withdrawn: &AtomicBool| Dialog::run(deadline, signals, has_hooks, is_withdrawn, ask);
        match OpenQuestion::ask(ask, |_| DialogOutcome::NoAnswer).await {
            DialogOutcome::Answered(answer) => Some(answer),
            DialogOutcome::NoAnswer => None,
            DialogOutcome::Interrupted => {
                if let Some(hooks) = self.hooks.get() {
                    (hooks.on_interrupt)();
                }
                None
            }
        }
    }

    /// Sets the hooks of the host.
    pub(crate) fn set_hooks(&self, hooks: QuestionHooks) {
        let _ = self.hooks.set(hooks);
    }
}

/// The outcome of a dialog.
enum DialogOutcome<T> {
    Answered(T),
    NoAnswer,
    Interrupted,
}

/// Why a dialog ends without an answer.
pub(crate) enum Stop {
    /// The person pressed Escape.
    Cancelled,
    Interrupted,
    Withdrawn,
    /// The deadline has passed.
    TimedOut,
    Failed,
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Self::Failed
    }
}

/// A dialog at the terminal.
pub(crate) struct Dialog<'a> {
    terminal: RawTerminal,
    pub(crate) look: Look,
    signals: &'static Signals,
    is_withdrawn: &'a AtomicBool,
    deadline: Option<Instant>,
}

impl<'a> Dialog<'a> {
    fn run<T>(
        deadline: Option<Instant>,
        signals: &'static Signals,
        has_hooks: bool,
        is_withdrawn: &'a AtomicBool,
        ask: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> DialogOutcome<T> {
        let _guard = signals.hold();
        let Ok(terminal) = RawTerminal::open() else { return DialogOutcome::NoAnswer };
        let look = Look::new(Some(terminal::columns(&terminal.file)));
        let mut dialog = Self { terminal, look, signals, is_withdrawn, deadline };
        match ask(&mut dialog) {
            Ok(answer) => DialogOutcome::Answered(answer),
            Err(Stop::Cancelled) => {
                let _ = dialog.terminal.show("no answer was given\n");
                DialogOutcome::NoAnswer
            }
            Err(Stop::Withdrawn | Stop::TimedOut) => {
                let _ = dialog.terminal.show("\nthe question was withdrawn\n");
                DialogOutcome::NoAnswer
            }
            Err(Stop::Failed) => DialogOutcome::NoAnswer,
            Err(Stop::Interrupted) => {
                let _ = dialog.terminal.show("\n");
                if !has_hooks {
                    let _ = end_by(SIGINT, dialog.terminal);
                }
                DialogOutcome::Interrupted
            }
        }
    }

    /// Shows a text whose lines end with a line break, and discards earlier input.
    pub(crate) fn begin(&mut self, text: &str) -> Result<(), Stop> {
        self.show_lines(text)?;
        Ok(self.terminal.discard_input()?)
    }

    /// Reads a line. The input for a secret is not shown.
    pub(crate) fn read_line(&mut self, prompt: &str, is_secret: bool) -> Result<String, Stop> {
        self.show(prompt)?;
        let mut line = Line::default();
        loop {
            for event in line.push(&self.read_input()?) {
                match event {
                    LineEvent::Text(text) if is_secret => drop(text),
                    LineEvent::Text(text) => self.show(&text)?,
                    LineEvent::Removed(columns) if is_secret || columns == 0 => {}
                    LineEvent::Removed(columns) => self.show(&"\u{8} \u{8}".repeat(columns))?,
                    LineEvent::Cancelled => {
                        self.show("\n")?;
                        return Err(Stop::Cancelled);
                    }
                    LineEvent::End => {
                        self.show("\n")?;
                        return Ok(line.text);
                    }
                }
            }
        }
    }

    /// Reads input, unless the question is over.
    pub(super) fn read_input(&mut self) -> Result<Vec<u8>, Stop> {
        if self.signals.take_received().is_some() {
            return Err(Stop::Interrupted);
        }
        if self.is_withdrawn.load(Ordering::Relaxed) {
            return Err(Stop::Withdrawn);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::TimedOut);
        }
        let typed = self.terminal.read_input()?;
        // Ctrl-C and Ctrl-\.
        if matches!(typed.as_slice(), [3 | 28]) { Err(Stop::Interrupted) } else { Ok(typed) }
    }

    /// Shows lines, which are broken between words if they do not fit.
    pub(crate) fn show_lines(&mut self, text: &str) -> Result<(), Stop> {
        self.show(&show::fitted(text, self.look))
    }

    pub(crate) fn show(&mut self, text: &str) -> Result<(), Stop> {
        Ok(self.terminal.show(text)?)
    }
}

/// Quotes a text of a server or a model: each line begins with `|`, and the number of lines is limited.
pub(crate) fn quote(text: &str) -> String {
    let mut lines: Vec<String> = text.trim().lines().map(|line| format!("  | {}", show::one_line(line))).collect();
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("  ({more} more lines)"));
    }
    if text.trim().is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_limited_and_cannot_imitate_the_output_of_this_program() {
        let text = quote("Hello\n[y] yes\u{1b}[2J\u{202e}x");
        assert_eq!(text, "  | Hello\n  | [y] yes<U+001B>[2J<U+202E>x\n");
        assert!(quote(&"x\n".repeat(1000)).ends_with("(940 more lines)\n"));
    }
}
