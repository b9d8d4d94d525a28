//! A dialog with the person at the terminal: lines are typed and corrected, and end with Escape, an interrupt or a deadline.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use signal_hook::consts::SIGINT;

use super::open_question::OpenQuestion;
use super::terminal::{RawTerminal, Signals, end_by, open_terminal};
use crate::ground::show::{self, Look};
use crate::ground::terminal;

/// The maximum number of characters of a typed answer.
const MAX_TYPED: usize = 10_000;
/// The maximum number of lines of a text of a server.
const MAX_LINES: usize = 60;

/// Asks the person at the terminal.
pub(crate) struct TerminalAsker {
    /// Whether the host handles Ctrl-C, or will.
    handles_interrupts: bool,
    host: OnceLock<Host>,
}

/// What a host with a screen does around a question.
pub(crate) struct Host {
    /// Is called when the person presses Ctrl-C, which otherwise ends the process.
    pub(crate) on_interrupt: Box<dyn Fn() + Send + Sync>,
    /// Hides what would disturb the question, until the result is dropped.
    pub(crate) pause: Box<dyn Fn() -> Box<dyn Send> + Send + Sync>,
}

impl std::fmt::Debug for TerminalAsker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalAsker").finish_non_exhaustive()
    }
}

impl TerminalAsker {
    /// Returns an asker, or `None` if there is no person to ask: this process has no terminal, or a tool runs it and could type the
    /// answers. If the host handles interrupts, SIGINT is left to it.
    pub(crate) fn if_present(handles_interrupts: bool) -> Option<Arc<Self>> {
        let can_ask = !toolc_process::is_inside_a_tool() && open_terminal().is_ok();
        can_ask.then(|| Arc::new(Self { handles_interrupts, host: OnceLock::new() }))
    }

    /// Holds a dialog on a thread of its own. Returns `None` if it ends without an answer. Dropping the future withdraws it.
    pub(crate) async fn hold<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        ask: impl FnOnce(&mut Dialog<'_>) -> Result<T, Stop> + Send + 'static,
    ) -> Option<T> {
        let _paused = self.host.get().map(|host| (host.pause)());
        let has_host = self.host.get().is_some();
        let signals = Signals::get(self.handles_interrupts).ok()?;
        let ask = move |is_withdrawn: &AtomicBool| Dialog::hold(deadline, signals, has_host, is_withdrawn, ask);
        match OpenQuestion::ask(ask, |_| Ended::Without).await {
            Ended::Answered(answer) => Some(answer),
            Ended::Without => None,
            Ended::Interrupted => {
                if let Some(host) = self.host.get() {
                    (host.on_interrupt)();
                }
                None
            }
        }
    }

    /// Sets what the host does around a question.
    pub(crate) fn set_host(&self, host: Host) {
        let _ = self.host.set(host);
    }
}

/// How a dialog ended.
enum Ended<T> {
    Answered(T),
    /// Without an answer.
    Without,
    Interrupted,
}

/// Why a dialog ends before its answer.
pub(crate) enum Stop {
    /// The person leaves the question.
    Left,
    Interrupted,
    Withdrawn,
    /// The time is over.
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
    fn hold<T>(
        deadline: Option<Instant>,
        signals: &'static Signals,
        has_host: bool,
        is_withdrawn: &'a AtomicBool,
        ask: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Ended<T> {
        let _guard = signals.hold();
        let Ok(terminal) = RawTerminal::open() else { return Ended::Without };
        let look = Look::new(Some(terminal::columns(&terminal.file)));
        let mut dialog = Self { terminal, look, signals, is_withdrawn, deadline };
        match ask(&mut dialog) {
            Ok(answer) => Ended::Answered(answer),
            Err(Stop::Left) => {
                let _ = dialog.terminal.show("no answer is given\n");
                Ended::Without
            }
            Err(Stop::Withdrawn | Stop::TimedOut) => {
                let _ = dialog.terminal.show("\nthe question is over\n");
                Ended::Without
            }
            Err(Stop::Failed) => Ended::Without,
            Err(Stop::Interrupted) => {
                let _ = dialog.terminal.show("\n");
                if !has_host {
                    let _ = end_by(SIGINT, dialog.terminal);
                }
                Ended::Interrupted
            }
        }
    }

    /// Shows a text. What was typed before is discarded.
    pub(crate) fn begin(&mut self, text: &str) -> Result<(), Stop> {
        self.show(text)?;
        Ok(self.terminal.discard_input()?)
    }

    /// Reads a line. What is typed for a secret is not shown.
    pub(crate) fn line(&mut self, prompt: &str, is_secret: bool) -> Result<String, Stop> {
        self.show(prompt)?;
        let mut line = Line::default();
        loop {
            for event in line.push(&self.typed()?) {
                match event {
                    Typed::Text(text) if is_secret => drop(text),
                    Typed::Text(text) => self.show(&text)?,
                    Typed::Removed(columns) if is_secret || columns == 0 => {}
                    Typed::Removed(columns) => self.show(&"\u{8} \u{8}".repeat(columns))?,
                    Typed::Left => {
                        self.show("\n")?;
                        return Err(Stop::Left);
                    }
                    Typed::End => {
                        self.show("\n")?;
                        return Ok(line.text);
                    }
                }
            }
        }
    }

    /// Returns what was typed, unless the question is over.
    pub(super) fn typed(&mut self) -> Result<Vec<u8>, Stop> {
        if self.signals.received().is_some() {
            return Err(Stop::Interrupted);
        }
        if self.is_withdrawn.load(Ordering::Relaxed) {
            return Err(Stop::Withdrawn);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::TimedOut);
        }
        let typed = self.terminal.typed()?;
        // Ctrl-C and Ctrl-\.
        if matches!(typed.as_slice(), [3 | 28]) { Err(Stop::Interrupted) } else { Ok(typed) }
    }

    pub(crate) fn show(&mut self, text: &str) -> Result<(), Stop> {
        Ok(self.terminal.show(text)?)
    }
}

/// A line that is being typed.
#[derive(Default)]
struct Line {
    text: String,
    /// The beginning of a character.
    pending: Vec<u8>,
}

/// What typing does to a line.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    /// This is shown.
    Text(String),
    /// So many columns are removed.
    Removed(usize),
    End,
    Left,
}

impl Line {
    fn push(&mut self, typed: &[u8]) -> Vec<Typed> {
        let mut events = Vec::new();
        match typed {
            [27 | 4] => return vec![Typed::Left],
            // An arrow key, or another one with a meaning that a line does not have.
            [27, ..] => return events,
            _ => {}
        }
        for byte in typed {
            match byte {
                b'\r' | b'\n' => {
                    events.push(Typed::End);
                    break;
                }
                8 | 127 => {
                    let removed = self.text.pop().map_or(0, |letter| columns(&show::one_line(&letter.to_string())));
                    events.push(Typed::Removed(removed));
                }
                // Ctrl-U.
                21 => {
                    let all = std::mem::take(&mut self.text);
                    events.push(Typed::Removed(
                        all.chars().map(|letter| columns(&show::one_line(&letter.to_string()))).sum(),
                    ));
                }
                _ => {
                    self.pending.push(*byte);
                    match std::str::from_utf8(&self.pending) {
                        Ok(letter) => {
                            if self.text.len() < MAX_TYPED {
                                events.push(Typed::Text(show::one_line(letter)));
                                self.text.push_str(letter);
                            }
                            self.pending.clear();
                        }
                        Err(error) if error.error_len().is_some() => self.pending.clear(),
                        Err(_) => {}
                    }
                }
            }
        }
        events
    }
}

fn columns(text: &str) -> usize {
    text.chars().filter_map(unicode_width::UnicodeWidthChar::width).sum()
}

/// Returns a text of a server: its lines apart from those of this program, bounded in number.
pub(crate) fn quoted(text: &str) -> String {
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
    fn a_line_is_typed_and_corrected() {
        let mut line = Line::default();
        assert_eq!(line.push("hé".as_bytes()), [Typed::Text("h".to_owned()), Typed::Text("é".to_owned())]);
        assert_eq!(line.push(&[127]), [Typed::Removed(1)]);
        assert_eq!(line.push(b"\x1b[A"), [], "an arrow key");
        assert_eq!(line.push(&[0xc3]), [], "half a character");
        assert_eq!(line.push(&[0xa9, b'\r']), [Typed::Text("é".to_owned()), Typed::End]);
        assert_eq!(line.text, "hé");
        assert_eq!(line.push(&[21]), [Typed::Removed(2)]);
        assert_eq!((line.push(&[27]), line.text.as_str()), (vec![Typed::Left], ""));
        assert_eq!(Line::default().push(&[127]), [Typed::Removed(0)]);
        assert!(Line::default().push("x".repeat(100).as_bytes()).len() == 100);
    }

    #[test]
    fn a_long_text_of_a_server_is_cut_and_cannot_pass_for_that_of_this_program() {
        let text = quoted("Hello\n[y] yes\u{1b}[2J\u{202e}x");
        assert_eq!(text, "  | Hello\n  | [y] yes<U+001B>[2J<U+202E>x\n");
        assert!(quoted(&"x\n".repeat(1000)).ends_with("(940 more lines)\n"));
    }
}
