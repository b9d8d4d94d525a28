//! The last line of the output of a running command, for a person who waits for it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use toolc::Call;

use crate::transcript::Transcript;

/// The time between two reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The number of bytes in which the last line is looked for.
const MAX_END: usize = 4096;

/// Whether foreground commands report the last line of their output as progress; part of the state of a task. Off by default, because the
/// line is reported unredacted: the host must remove secrets from it.
#[derive(Debug, Default)]
pub struct LiveOutput(AtomicBool);

impl LiveOutput {
    /// Lets the commands of the task report their output.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns the reports of a call.
    pub(crate) fn reports<'c>(&self, call: &'c Call<'c>, began: Instant) -> Reports<'c> {
        let is_on = self.0.load(Ordering::Relaxed);
        Reports { call: is_on.then_some(call), began, last: RefCell::new((began, String::new())) }
    }
}

/// The reports of a running command.
#[derive(Debug)]
pub(crate) struct Reports<'c> {
    call: Option<&'c Call<'c>>,
    began: Instant,
    /// The time and the text of the last report.
    last: RefCell<(Instant, String)>,
}

impl Reports<'_> {
    /// Reports the last line of the output if it has changed, at most once a second.
    pub(crate) fn report(&self, line: impl FnOnce() -> String) {
        let Some(call) = self.call else { return };
        let (time, before) = &mut *self.last.borrow_mut();
        if time.elapsed() < INTERVAL {
            return;
        }
        *time = Instant::now();
        let line = line();
        if line != *before && !line.is_empty() {
            call.progress(self.began.elapsed().as_secs_f64(), None, &line);
            *before = line;
        }
    }
}

/// The end of an output.
#[derive(Debug, Default, Clone)]
pub(crate) struct OutputEnd(VecDeque<u8>);

impl OutputEnd {
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(MAX_END)..];
        let excess = (self.0.len() + bytes.len()).saturating_sub(MAX_END);
        self.0.drain(..excess);
        self.0.extend(bytes);
    }

    /// Returns the last line that is not empty, as a terminal would show it.
    pub(crate) fn last_line(mut self) -> String {
        let mut transcript = Transcript::default();
        transcript.push_bytes(self.0.make_contiguous());
        let text = transcript.finish().text;
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_an_output_is_what_a_terminal_shows() {
        let mut end = OutputEnd::default();
        assert_eq!(end.clone().last_line(), "");
        end.push_bytes(b"one\n\x1b[1mtwo\x1b[0m\n\n");
        assert_eq!(end.clone().last_line(), "two");
        end.push_bytes(b" 10 %\r 20 %");
        assert_eq!(end.clone().last_line(), "20 %");
        for _ in 0..100 {
            end.push_bytes("\u{e9}".repeat(999).as_bytes());
        }
        end.push_bytes(b"\nend");
        assert_eq!((end.0.len(), end.last_line().as_str()), (MAX_END, "end"));
    }
}
