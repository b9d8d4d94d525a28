//! Reports of `run.sh`, which are interleaved with the output of a program.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use memchr::memmem;
use toolc_process::Sink;

/// The maximum length of a report, and the number of bytes that are kept of output that is not the program's, such as error messages of the
/// client.
const MAX_ERROR: usize = 4096;

/// The reports of a program. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Reports(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    token: String,
    /// The beginning of a report. Its first character is rare in output, so that little output is delayed.
    marker: String,
    state: Mutex<FrameState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct FrameState {
    start: Option<Start>,
    end: Option<(i32, Instant)>,
    /// Output of the client, or of a shell that reads its settings, before the start of the program.
    early: Vec<u8>,
    /// Whether further output is discarded.
    is_discarded: bool,
}

impl FrameState {
    fn keep(&mut self, bytes: &[u8]) {
        let space = MAX_ERROR.saturating_sub(self.early.len()).min(bytes.len());
        self.early.extend_from_slice(&bytes[..space]);
    }
}

/// The reported result of starting a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// The program runs in the session with this number.
    Started(u32),
    NoDirectory,
    /// A link has taken the place of the directory.
    OtherDirectory,
    NoProgram,
}

impl Reports {
    /// Creates an empty set of reports. Reports are recognised by the token.
    pub(super) fn new(token: String) -> Self {
        let marker = format!("\u{1e}{token}");
        Self(Arc::new(Inner { token, marker, state: Mutex::default(), changed: Condvar::new() }))
    }

    pub(super) fn token(&self) -> &str {
        &self.0.token
    }

    /// Returns a sink that removes the reports from standard output.
    pub(super) fn output(&self, inner: Option<Box<dyn Sink>>) -> StdoutFilter {
        StdoutFilter { reports: self.clone(), inner, held: Vec::new() }
    }

    /// Returns a sink for standard error, which passes on the output after the first marker. Without `inner`, the program does not use
    /// standard error.
    pub(super) fn errors(&self, inner: Option<Box<dyn Sink>>) -> StderrFilter {
        StderrFilter { reports: self.clone(), inner, held: Vec::new(), has_begun: false }
    }

    /// Waits until the start is reported, or until `should_stop` returns true. Returns the report of the start, if any.
    pub(super) fn wait_for_start(&self, should_stop: impl Fn() -> io::Result<bool>) -> io::Result<Option<Start>> {
        const POLL: Duration = Duration::from_millis(10);
        loop {
            let stop = should_stop()?;
            let state = self.state();
            if state.start.is_some() || stop {
                return Ok(state.start);
            }
            drop(self.0.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Returns the report of the start, if any.
    pub(super) fn start(&self) -> Option<Start> {
        self.state().start
    }

    /// Returns the reported exit code of the program, and the time of the report.
    pub(super) fn end(&self) -> Option<(i32, Instant)> {
        self.state().end
    }

    /// Returns the output before the start of the program.
    pub(super) fn early(&self) -> String {
        String::from_utf8_lossy(&self.state().early).trim().to_owned()
    }

    /// Discards all further output.
    pub(super) fn discard(&self) {
        self.state().is_discarded = true;
    }

    fn state(&self) -> MutexGuard<'_, FrameState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps output from before the first report. Returns whether the bytes are consumed, so that they must not be passed on.
    fn consume(&self, bytes: &[u8]) -> bool {
        let mut state = self.state();
        if state.start.is_some() {
            return state.is_discarded;
        }
        state.keep(bytes);
        true
    }

    /// Reads a report: the line after the token.
    fn report(&self, line: &str) {
        let mut state = self.state();
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            // Only the first report of each kind counts, because a program can read the token and forge reports.
            (Some("ends"), Some(code)) if state.end.is_none() => {
                state.end = code.parse().ok().map(|code| (code, Instant::now()));
            }
            _ if state.start.is_some() => {}
            (Some("no-directory"), _) => state.start = Some(Start::NoDirectory),
            (Some("other-directory"), _) => state.start = Some(Start::OtherDirectory),
            (Some("no-program"), _) => state.start = Some(Start::NoProgram),
            (Some("begins"), Some(session)) => state.start = session.parse().ok().map(Start::Started),
            _ => {}
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

/// Removes reports from standard output, and passes on the rest.
#[derive(Debug)]
pub(super) struct StdoutFilter {
    reports: Reports,
    inner: Option<Box<dyn Sink>>,
    /// The last bytes, if they may be the beginning of a report.
    held: Vec<u8>,
}

impl StdoutFilter {
    fn pass(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self.reports.consume(bytes) || self.inner.as_mut().is_none_or(|inner| inner.push(bytes))
    }
}

impl Sink for StdoutFilter {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut rest = &text[..];
        let marker = self.reports.0.marker.clone();
        while let Some(at) = memmem::find(rest, marker.as_bytes()) {
            let after = &rest[at + marker.len()..];
            // A report is short. A longer line was forged by a program that knows the token.
            let Some(end) = memchr::memchr(b'\n', after) else {
                if after.len() < MAX_ERROR {
                    if !self.pass(&rest[..at]) {
                        return false;
                    }
                    self.held = rest[at..].to_vec();
                    return true;
                }
                break;
            };
            if !self.pass(&rest[..at]) {
                return false;
            }
            self.reports.report(&String::from_utf8_lossy(&after[..end]));
            rest = &after[end + 1..];
        }
        let held = beginning(rest, marker.as_bytes());
        self.held = rest[rest.len() - held..].to_vec();
        self.pass(&rest[..rest.len() - held])
    }
}

impl Drop for StdoutFilter {
    /// Passes on the held bytes, which are not a report.
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.pass(&held);
    }
}

/// Returns how many bytes at the end of a text are the beginning of a marker.
fn beginning(text: &[u8], marker: &[u8]) -> usize {
    let max = text.len().min(marker.len().saturating_sub(1));
    (1..=max).rev().find(|length| marker.starts_with(&text[text.len() - length..])).unwrap_or(0)
}

/// Passes on standard error after the marker, which is written when the program starts. The output before the marker is kept as a message.
#[derive(Debug)]
pub(super) struct StderrFilter {
    reports: Reports,
    inner: Option<Box<dyn Sink>>,
    /// The last bytes, if they may be the beginning of the marker.
    held: Vec<u8>,
    has_begun: bool,
}

impl Sink for StderrFilter {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut rest = &text[..];
        let Some(inner) = &mut self.inner else {
            self.reports.state().keep(rest);
            return true;
        };
        if !self.has_begun {
            let marker = format!("{}\n", self.reports.0.marker);
            let Some(at) = memmem::find(rest, marker.as_bytes()) else {
                let held = beginning(rest, marker.as_bytes());
                self.held = rest[rest.len() - held..].to_vec();
                self.reports.state().keep(&rest[..rest.len() - held]);
                return true;
            };
            self.reports.state().keep(&rest[..at]);
            self.has_begun = true;
            rest = &rest[at + marker.len()..];
        }
        let is_discarded = self.reports.state().is_discarded;
        rest.is_empty() || is_discarded || inner.push(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Default)]
    struct Text(Arc<Mutex<Vec<u8>>>);

    impl Sink for Text {
        fn push(&mut self, bytes: &[u8]) -> bool {
            self.0.lock().unwrap().extend(bytes);
            true
        }
    }

    #[test]
    fn reports_are_taken_out_of_output_that_comes_in_any_pieces() {
        let all = b"error of ssh\n\x1eT0KEN begins 17\none \x1eT0KE \x1e\x1eT0KEN ends 3\ntwo \x1eT0K";
        for size in 1..all.len() {
            let (text, reports) = (Text::default(), Reports::new("T0KEN".to_owned()));
            let mut output = reports.output(Some(Box::new(text.clone())));
            for piece in all.chunks(size) {
                assert!(output.push(piece));
            }
            drop(output);
            assert_eq!(
                String::from_utf8_lossy(&text.0.lock().unwrap()),
                "one \u{1e}T0KE \u{1e}two \u{1e}T0K",
                "{size}"
            );
            assert_eq!((reports.start(), reports.end().map(|(code, _)| code)), (Some(Start::Started(17)), Some(3)));
            assert_eq!(reports.early(), "error of ssh");
        }
    }

    #[test]
    fn standard_error_begins_with_the_marker_in_any_pieces() {
        let all = b"warning of ssh\x1e\x1eT0KEN\none \x1eT0KEN\ntwo";
        for size in 1..all.len() {
            let (text, reports) = (Text::default(), Reports::new("T0KEN".to_owned()));
            let mut errors = reports.errors(Some(Box::new(text.clone())));
            assert!(all.chunks(size).all(|piece| errors.push(piece)));
            assert_eq!(*text.0.lock().unwrap(), b"one \x1eT0KEN\ntwo");
            assert_eq!(reports.early(), "warning of ssh\u{1e}");
            reports.discard();
            assert!(errors.push(b"three"));
            assert_eq!(*text.0.lock().unwrap(), b"one \x1eT0KEN\ntwo");
        }
    }

    #[test]
    fn messages_of_the_client_are_kept_apart_and_bounded() {
        let reports = Reports::new("T0KEN".to_owned());
        let (mut output, mut errors) = (reports.output(None), reports.errors(None));
        assert!(output.push(b"\x1eT0KEN begins 17\n") && errors.push(b"closed by the other machine"));
        assert_eq!(reports.early(), "closed by the other machine");
        assert!(errors.push(&[b'x'; 2 * MAX_ERROR]));
        assert_eq!(reports.early().len(), MAX_ERROR);
    }

    #[test]
    fn a_program_that_knows_the_token_cannot_change_what_was_reported() {
        let reports = Reports::new("T0KEN".to_owned());
        let mut output = reports.output(None);
        assert!(output.push(&b"\x1eT0KEN begins 17\n\x1eT0KEN ends 3\n\x1eT0KEN ends 0\n\x1eT0KEN ends x\n\x1eT0KEN begins 1\n\x1eT0KEN\n"[..]));
        assert_eq!((reports.start(), reports.end().map(|(code, _)| code)), (Some(Start::Started(17)), Some(3)));
        assert!(output.push(b"\x1eT0KEN "));
        assert!(output.push(&[b'x'; 2 * MAX_ERROR]));
        assert!(output.held.is_empty(), "it is bounded");
    }
}
