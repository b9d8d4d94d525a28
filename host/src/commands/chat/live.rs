//! The end of the output: what is still being written, and a spinner. It is drawn again and again below the text that is final.
//!
//! Nothing but this writes to the terminal during a turn, except questions to the person, which [`Live::pause`] makes room for.

use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc_markdown::Stream;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::typed::{PROMPT, Typed};
use crate::ground::show::{self, Look};
use crate::ground::terminal;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// The time between two drawings.
const FRAME_TIME: Duration = Duration::from_millis(50);
/// The time for which a frame of the spinner is shown.
const SPINNER_TIME: u128 = 100;
/// These let the terminal show a drawing at once. Terminals that do not know them ignore them.
const BEGIN_DRAWING: &str = "\u{1b}[?2026h";
const END_DRAWING: &str = "\u{1b}[?2026l";

/// The output of a chat. Clones share it.
#[derive(Clone)]
pub(super) struct Live(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether text is written as it arrives, and nothing is drawn again.
    plain: bool,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct State {
    /// The running model requests and calls, the latest last.
    running: Vec<Activity>,
    /// The text of the model.
    text: Stream,
    /// Whether there is something since the last drawing.
    has_news: bool,
    /// The widths of the rows that are drawn, in columns.
    drawn: Vec<usize>,
    /// The number of reasons not to draw, such as open questions.
    pauses: usize,
    /// What the person has typed during the turn.
    typed: Typed,
    /// Whether a thread reads what the person types.
    is_reading: bool,
    /// Whether the cursor is in the middle of a line of plain text.
    in_line: bool,
    has_ended: bool,
}

impl State {
    /// Returns whether the person has typed anything during the turn.
    fn has_typed(&self) -> bool {
        !self.typed.line.is_empty() || !self.typed.queued.is_empty()
    }

    /// Removes what is drawn, and writes text in its place.
    fn write(&mut self, text: &str) {
        let erased = erasure(&std::mem::take(&mut self.drawn), terminal::columns(io::stdout()).into());
        if erased.is_empty() && text.is_empty() {
            return;
        }
        let mut out = io::stdout().lock();
        // The chat goes on without a terminal: its end is noticed when the next message is read.
        let _ = write!(out, "{erased}{text}").and_then(|()| out.flush());
    }
}

/// A running request of the model, or a running call.
struct Activity {
    id: String,
    text: String,
    progress: String,
    began: Instant,
}

impl Live {
    pub(super) fn new(plain: bool) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), plain });
        if !plain {
            let drawing = Arc::clone(&shared);
            // If the thread cannot be started, text appears when it is final.
            let _ = thread::Builder::new().name("screen".to_owned()).spawn(move || drawing.draw_until_the_end());
        }
        Self(shared)
    }

    /// Returns the width and styles of the terminal now.
    pub(super) fn current_look(&self) -> Look {
        let look = Look::new(Some(terminal::columns(io::stdout())));
        Look { styled: look.styled && !self.0.plain, ..look }
    }

    /// Prints lines above what is drawn.
    pub(super) fn print(&self, text: &str) {
        let mut state = self.0.state();
        self.0.finish_text(&mut state);
        state.write(&format!("{text}\n"));
        state.has_news = state.has_typed();
        self.0.changed.notify_all();
    }

    /// Adds text of the model.
    pub(super) fn text(&self, text: &str) {
        let mut state = self.0.state();
        state.running.retain(|running| !running.id.is_empty());
        if self.0.plain {
            state.in_line = !text.ends_with('\n');
            state.write(&show::lines(text));
            return;
        }
        let rows = state.text.push(&show::visible(text), self.0.markdown_look());
        state.has_news = true;
        if !rows.is_empty() {
            state.write(&lines(&rows));
        }
        self.0.changed.notify_all();
    }

    /// Ends the text of the model, and its request.
    pub(super) fn end_text(&self) {
        let mut state = self.0.state();
        state.running.retain(|running| !running.id.is_empty());
        self.0.finish_text(&mut state);
    }

    /// Shows that a request or a call runs. The id of a request is empty.
    pub(super) fn begin(&self, id: &str, text: String) {
        let mut state = self.0.state();
        state.running.push(Activity { id: id.to_owned(), text, progress: String::new(), began: Instant::now() });
        self.0.changed.notify_all();
    }

    pub(super) fn progress(&self, id: &str, text: &str) {
        let mut state = self.0.state();
        if let Some(running) = state.running.iter_mut().find(|running| running.id == id) {
            text.clone_into(&mut running.progress);
        }
    }

    /// Ends a call, and returns its text.
    pub(super) fn end(&self, id: &str) -> Option<String> {
        let mut state = self.0.state();
        let index = state.running.iter().position(|running| running.id == id)?;
        Some(state.running.remove(index).text)
    }

    /// Draws nothing until the returned value is dropped. Until then, the keys that are typed belong to who has called this.
    pub(super) fn pause(&self) -> Pause {
        let mut state = self.0.state();
        state.pauses += 1;
        state.write("");
        // The reading thread notices this within a tenth of a second.
        while state.is_reading {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        Pause(self.clone())
    }

    /// Waits until the terminal can be read, but not for long. Until the returned value is dropped, no question reads it.
    #[cfg(unix)]
    pub(super) fn begin_reading(&self) -> Option<Reading> {
        let state = self.0.state();
        let (mut state, _) = self
            .0
            .changed
            .wait_timeout_while(state, FRAME_TIME, |state| state.pauses > 0)
            .unwrap_or_else(PoisonError::into_inner);
        state.is_reading = state.pauses == 0;
        state.is_reading.then(|| Reading(self.clone()))
    }

    /// Sets the beginning of the line that the person types.
    #[cfg(unix)]
    pub(super) fn begin_typed(&self, draft: &str) {
        self.0.state().typed = Typed::new(draft);
    }

    /// Takes bytes that the person has typed during a turn.
    #[cfg(unix)]
    pub(super) fn typed(&self, bytes: &[u8]) {
        let mut state = self.0.state();
        if state.typed.push(bytes) {
            state.has_news = true;
            self.0.changed.notify_all();
        }
    }

    /// Removes and returns what the person has typed.
    #[cfg(unix)]
    pub(super) fn take_typed(&self) -> Typed {
        let mut state = self.0.state();
        let typed = std::mem::take(&mut state.typed);
        state.write("");
        typed
    }

    /// Turns bracketed paste on or off.
    #[cfg(unix)]
    pub(super) fn set_bracketed_paste(&self, is_marked: bool) {
        self.0.state().write(if is_marked { "\u{1b}[?2004h" } else { "\u{1b}[?2004l" });
    }

    /// Returns whether text is written as it arrives, and nothing is drawn again.
    pub(super) fn is_plain(&self) -> bool {
        self.0.plain
    }

    /// Prints the rest of the text, and draws nothing any more.
    pub(super) fn close(&self) {
        let mut state = self.0.state();
        self.0.finish_text(&mut state);
        state.write("");
        state.has_ended = true;
        self.0.changed.notify_all();
    }
}

/// While this exists, nothing is drawn.
pub(super) struct Pause(Live);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.0.state().pauses -= 1;
        self.0.0.changed.notify_all();
    }
}

/// While this exists, the terminal is being read.
#[cfg(unix)]
pub(super) struct Reading(Live);

#[cfg(unix)]
impl Drop for Reading {
    fn drop(&mut self) {
        self.0.0.state().is_reading = false;
        self.0.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn markdown_look(&self) -> toolc_markdown::Look {
        let columns = terminal::columns(io::stdout());
        let styled = Look::new(Some(columns)).styled && !self.plain;
        toolc_markdown::Look { width: columns.into(), styled }
    }

    /// Prints the rest of the model's text.
    fn finish_text(&self, state: &mut State) {
        let rows = state.text.finish(self.markdown_look());
        state.has_news = state.has_typed();
        if !rows.is_empty() {
            state.write(&lines(&rows));
        }
        if std::mem::take(&mut state.in_line) {
            state.write("\n");
        }
    }

    /// Draws until the chat ends. Waits while there is nothing to draw.
    fn draw_until_the_end(&self) {
        let mut state = self.state();
        while !state.has_ended {
            let is_idle = state.pauses > 0 || state.running.is_empty() && !state.has_news;
            if is_idle {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            self.draw(&mut state);
            drop(state);
            thread::sleep(FRAME_TIME);
            state = self.state();
        }
    }

    fn draw(&self, state: &mut State) {
        let (columns, rows) = terminal::size(io::stdout());
        let (columns, most) = (usize::from(columns), usize::from(rows).saturating_sub(2).max(1));
        state.has_news = false;
        let mut shown = state.text.preview(self.markdown_look());
        shown.extend(spinner(&state.running, columns.saturating_sub(2)));
        shown.extend(typed_rows(&state.typed, columns.saturating_sub(2)));
        shown.drain(..shown.len().saturating_sub(most));
        let erased = erasure(&state.drawn, columns);
        state.drawn = shown.iter().map(|row| show::width(row)).collect();
        let mut out = io::stdout().lock();
        let _ = write!(out, "{BEGIN_DRAWING}{erased}{}{END_DRAWING}", shown.join("\n")).and_then(|()| out.flush());
    }
}

/// Returns rows as lines.
fn lines(rows: &[String]) -> String {
    rows.iter().flat_map(|row| [row.as_str(), "\n"]).collect()
}

/// Returns what clears drawn rows, and moves the cursor to the beginning of the first. Rows that have become wider than the terminal take
/// several of its lines.
fn erasure(drawn: &[usize], columns: usize) -> String {
    let lines: usize = drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum();
    match lines {
        0 => String::new(),
        1 => "\r\u{1b}[J".to_owned(),
        lines => format!("\r\u{1b}[{}A\u{1b}[J", lines - 1),
    }
}

/// Returns the line of the spinner, or `None` if nothing runs. It has at most `columns` columns.
fn spinner(running: &[Activity], columns: usize) -> Option<String> {
    let Activity { text, progress, began, .. } = running.last()?;
    let others = match running.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let elapsed = began.elapsed();
    let frame = FRAMES[usize::try_from(elapsed.as_millis() / SPINNER_TIME).unwrap_or_default() % FRAMES.len()];
    let end = format!("{others} {} s", elapsed.as_secs());
    let room = columns.saturating_sub("⠋ ".width() + end.width());
    // The call gives way to its progress, but keeps half of the line.
    let for_progress = if progress.is_empty() { 0 } else { progress.width() + 1 };
    let text = fitting(text, room.saturating_sub(for_progress).max(room / 2));
    let progress = if progress.is_empty() { String::new() } else { format!(" {progress}") };
    let progress = fitting(&progress, room.saturating_sub(text.width()));
    Some(fitting(&format!("{frame} {text}{progress}{end}"), columns).to_owned())
}

/// Returns the beginning of a text that fits into columns.
fn fitting(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += letter.width().unwrap_or_default();
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// The number of queued lines that are shown.
const SHOWN_QUEUED: usize = 3;

/// Returns the rows of what the person has typed. Each has at most `columns` columns.
fn typed_rows(typed: &Typed, columns: usize) -> Vec<String> {
    let fits = |text: &str| fitting(text, columns).to_owned();
    let hidden = typed.queued.len().saturating_sub(SHOWN_QUEUED);
    let mut rows: Vec<String> =
        typed.queued.iter().skip(hidden).map(|line| fits(&format!("queued: {}", show::one_line(line)))).collect();
    if hidden > 0 {
        rows.insert(0, fits(&format!("queued: {hidden} more")));
    }
    if !typed.line.is_empty() {
        // The end of the line is where the person types.
        let line = show::one_line(&typed.line);
        let (mut used, mut start) = (PROMPT.len(), line.len());
        for (at, letter) in line.char_indices().rev() {
            used += letter.width().unwrap_or_default();
            if used > columns {
                break;
            }
            start = at;
        }
        rows.push(format!("{PROMPT}{}", &line[start..]));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spinner_line_shows_the_latest_call_and_fits_the_columns() {
        assert_eq!(spinner(&[], 80), None);
        let running = |text: &str, progress: &str| Activity {
            id: text.to_owned(),
            text: text.to_owned(),
            progress: progress.to_owned(),
            began: Instant::now(),
        };
        let mut all = vec![running("💻 terminal make", "")];
        assert_eq!(spinner(&all, 80).as_deref(), Some("⠋ 💻 terminal make 0 s"));
        all.push(running("🔎 search_files 日本", "40 % reading"));
        assert_eq!(spinner(&all, 80).as_deref(), Some("⠋ 🔎 search_files 日本 40 % reading (and 1 more) 0 s"));
        let long = [running(&"x".repeat(100), "step 4 of 9")];
        let shown = format!("⠋ {} step 4 of 9 0 s", "x".repeat(22));
        assert_eq!(spinner(&long, 40).as_deref(), Some(&*shown));
        for columns in 0..40 {
            let line = spinner(&all, columns).expect("two calls run");
            assert!(line.width() <= columns && line.width() + 3 > columns.min(38), "{columns}: {line}");
        }
    }

    #[test]
    fn typed_rows_show_what_is_queued_and_the_end_of_the_line() {
        let mut typed = Typed::default();
        assert_eq!(typed_rows(&typed, 40), [""; 0]);
        typed.push(b"one\\\rtwo\rx\ry\rz\rlast \x1b[31m");
        assert_eq!(typed_rows(&typed, 40), ["queued: 1 more", "queued: x", "queued: y", "queued: z", "> last "]);
        typed.push("a日b".as_bytes());
        assert_eq!(typed_rows(&typed, 9).last().map(String::as_str), Some("> st a日b"));
        assert_eq!(typed_rows(&typed, 6).last().map(String::as_str), Some("> a日b"));
        for columns in 0..20 {
            assert!(typed_rows(&typed, columns).iter().all(|row| row.width() <= columns.max(2)), "{columns}");
        }
    }

    #[test]
    fn drawn_rows_are_erased_even_if_the_terminal_has_become_narrower() {
        assert_eq!(erasure(&[], 80), "");
        assert_eq!(erasure(&[0], 80), "\r\u{1b}[J");
        assert_eq!(erasure(&[10, 0, 79], 80), "\r\u{1b}[2A\u{1b}[J");
        assert_eq!(erasure(&[10, 0, 79], 40), "\r\u{1b}[3A\u{1b}[J");
        assert_eq!(show::width("\u{1b}[1;31ma日\u{1b}[0mb"), 4);
    }
}
