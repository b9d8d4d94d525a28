//! Captures the beginning and the end of the output of scripts, up to a limit. An interpreter writes a mark at the end of the output of
//! a script, so that the output of each script is separate, even though other threads read the streams.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc_environment::Sink;

/// An output stream of an interpreter.
#[derive(Debug, Clone, Default)]
pub(crate) struct CapturedStream(Arc<(Mutex<CaptureState>, Condvar)>);

#[derive(Debug, Default)]
struct CaptureState {
    limit: usize,
    mark: Vec<u8>,
    /// The last bytes, which may be the beginning of the mark.
    held: Vec<u8>,
    /// The output of the running script.
    current: HeadAndTail,
    /// Whether the mark has been read.
    is_complete: bool,
    /// The output after the mark, which belongs to the next script.
    next: HeadAndTail,
}

/// The beginning and the end of a text.
#[derive(Debug, Default)]
struct HeadAndTail {
    start: Vec<u8>,
    end: VecDeque<u8>,
    total: usize,
}

impl CapturedStream {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new((Mutex::new(CaptureState { limit, ..CaptureState::default() }), Condvar::new())))
    }

    /// Begins the output of a script, which ends with `mark`. Returns whether processes of earlier scripts have already written output.
    pub(crate) fn begin(&self, mark: &str) -> bool {
        let mut state = self.state();
        state.mark = mark.as_bytes().to_vec();
        state.is_complete = false;
        state.current = mem::take(&mut state.next);
        state.current.total > 0
    }

    /// Waits for the mark for at most `limit`, and returns the output of the script.
    pub(crate) fn end(&self, limit: Duration) -> String {
        let deadline = Instant::now() + limit;
        let mut state = self.state();
        while !state.is_complete {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                break;
            };
            state = self.0.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.is_complete {
            let (held, limit) = (mem::take(&mut state.held), state.limit);
            state.current.push(&held, limit);
        }
        state.mark.clear();
        mem::take(&mut state.current).into_text()
    }

    fn state(&self) -> MutexGuard<'_, CaptureState> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for CapturedStream {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.state().push(bytes);
        self.0.1.notify_all();
        true
    }
}

impl CaptureState {
    fn push(&mut self, bytes: &[u8]) {
        let limit = self.limit;
        if self.mark.is_empty() || self.is_complete {
            self.next.push(bytes, limit);
            return;
        }
        let mut text = mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mark = self.mark.len();
        if let Some(index) = text.windows(mark).position(|part| part == self.mark) {
            self.current.push(&text[..index], limit);
            self.next.push(&text[index + mark..], limit);
            self.is_complete = true;
            return;
        }
        let kept = (1..mark).rev().find(|&length| text.ends_with(&self.mark[..length])).unwrap_or_default();
        self.held = text.split_off(text.len() - kept);
        self.current.push(&text, limit);
    }
}

impl HeadAndTail {
    /// Adds bytes. If the total exceeds `limit`, the middle is left out, and 40 % of the limit is used for the beginning.
    fn push(&mut self, bytes: &[u8], limit: usize) {
        self.total += bytes.len();
        let max_start = limit * 2 / 5;
        let (start, rest) = bytes.split_at(bytes.len().min(max_start - self.start.len().min(max_start)));
        self.start.extend_from_slice(start);
        let max_end = limit - max_start;
        let rest = &rest[rest.len().saturating_sub(max_end)..];
        let excess = (self.end.len() + rest.len()).saturating_sub(max_end);
        self.end.drain(..excess);
        self.end.extend(rest);
    }

    fn into_text(self) -> String {
        let left_out = self.total - self.start.len() - self.end.len();
        let (mut bytes, end) = (self.start, Vec::from(self.end));
        if left_out == 0 {
            bytes.extend(end);
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        // The end must not begin within a character.
        let is_within = |byte: &u8| (0x80..0xc0).contains(byte);
        let from = end.iter().take(3).take_while(|byte| is_within(byte)).count();
        let start = String::from_utf8_lossy(&bytes);
        let end = String::from_utf8_lossy(&end[from..]);
        format!("{}\n... {left_out} bytes left out ...\n{end}", start.trim_end_matches('\u{fffd}'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn the_output_of_a_script_ends_at_its_mark_in_pieces_of_any_size() {
        for size in 1..20 {
            let mut captured = CapturedStream::new(1000);
            for (mark, all, expected) in [("<end-1>", "one <end<end-1>two", "one <end"), ("<end-2>", "<end-2>", "two")]
            {
                assert_eq!(captured.begin(mark), expected == "two");
                all.as_bytes().chunks(size).for_each(|chunk| assert!(captured.push(chunk)));
                assert_eq!(captured.end(NOW), expected, "in pieces of {size}");
            }
        }
    }

    #[test]
    fn without_a_mark_all_output_is_returned() {
        let mut captured = CapturedStream::new(1000);
        captured.begin("<end>");
        captured.push(b"text <en");
        assert_eq!(captured.end(NOW), "text <en");
        captured.push(b"later");
        captured.begin("<end>");
        assert_eq!(captured.end(NOW), "later");
    }

    #[test]
    fn the_middle_of_long_output_is_left_out() {
        let mut captured = CapturedStream::new(10);
        captured.begin("<end>");
        for _ in 0..1000 {
            captured.push(b"0123456789");
        }
        captured.push("é<end>".as_bytes());
        assert_eq!(captured.end(NOW), "0123\n... 9992 bytes left out ...\n6789é");
        captured.begin("<end>");
        captured.push("aaaéaaa ééé<end>".as_bytes());
        assert_eq!(captured.end(NOW), "aaa\n... 5 bytes left out ...\nééé");
        captured.begin("<end>");
        captured.push(b"0123456789<end>");
        assert_eq!(captured.end(NOW), "0123456789");
    }
}
