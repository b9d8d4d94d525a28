//! Watches the output of a background process for texts.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The maximum number of matches within [`WINDOW`]. After more matches, watching stops.
const MAX_MATCHES: usize = 8;
const WINDOW: Duration = Duration::from_secs(10);
/// The number of characters after which a line is split.
const MAX_LINE: usize = 4_000;
/// The maximum number of matching lines that are kept until the next [`Watch::take`].
const MAX_KEPT: usize = 20;

/// Finds lines that contain one of several texts.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    patterns: Vec<String>,
    line: String,
    /// The number of characters of `line`.
    chars: usize,
    /// For each pattern, whether it was found in the current line.
    found: Vec<bool>,
    /// The times of the last matches.
    times: VecDeque<Instant>,
    is_muted: bool,
    kept: Vec<String>,
}

/// An event of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchEvent {
    /// A line contains a text. The line may be incomplete.
    Match { pattern: String, line: String },
    /// Watching has stopped after too many matches.
    Muted,
}

impl Watch {
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        Self { found: vec![false; patterns.len()], patterns, ..Self::default() }
    }

    /// Checks a piece of the output.
    pub(crate) fn push(&mut self, text: &str, now: Instant) -> Vec<WatchEvent> {
        let mut events = Vec::new();
        if self.patterns.is_empty() || self.is_muted {
            return events;
        }
        for c in text.chars() {
            if c == '\n' || self.chars >= MAX_LINE {
                self.check(now, &mut events);
                self.line.clear();
                self.chars = 0;
                self.found.fill(false);
            }
            if c != '\n' {
                self.line.push(c);
                self.chars += 1;
            }
        }
        // Incomplete lines are checked, too, because a prompt has no newline.
        self.check(now, &mut events);
        events
    }

    fn check(&mut self, now: Instant, events: &mut Vec<WatchEvent>) {
        for (pattern, is_found) in self.patterns.iter().zip(&mut self.found) {
            if self.is_muted || *is_found || !self.line.contains(pattern.as_str()) {
                continue;
            }
            *is_found = true;
            while self.times.front().is_some_and(|time| now.duration_since(*time) >= WINDOW) {
                self.times.pop_front();
            }
            if self.times.len() == MAX_MATCHES {
                self.is_muted = true;
                events.push(WatchEvent::Muted);
                return;
            }
            self.times.push_back(now);
            if self.kept.len() < MAX_KEPT {
                self.kept.push(self.line.clone());
            }
            events.push(WatchEvent::Match { pattern: pattern.clone(), line: self.line.clone() });
        }
    }

    /// Returns the matching lines since the last call, and whether watching has stopped.
    pub(crate) fn take(&mut self) -> (Vec<String>, bool) {
        (std::mem::take(&mut self.kept), self.is_muted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(found: &[WatchEvent]) -> Vec<&str> {
        let line = |found: &'_ WatchEvent| matches!(found, WatchEvent::Match { .. });
        found
            .iter()
            .filter(|found| line(found))
            .map(|found| match found {
                WatchEvent::Match { line, .. } => &**line,
                WatchEvent::Muted => unreachable!("filtered"),
            })
            .collect()
    }

    #[test]
    fn each_text_is_found_once_in_a_line() {
        let mut watch = Watch::new(vec!["ready".to_owned(), "error".to_owned()]);
        let now = Instant::now();
        assert_eq!(lines(&watch.push("rea", now)), [""; 0]);
        assert_eq!(lines(&watch.push("dy, ready", now)), ["ready, ready"], "even without a newline");
        assert_eq!(lines(&watch.push(" and ready\nno\nan error", now)), ["an error"]);
        assert_eq!(lines(&watch.push(" is ready\n", now)), ["an error is ready"]);
        assert_eq!(watch.take(), (vec!["ready, ready".into(), "an error".into(), "an error is ready".into()], false));
        assert_eq!(watch.take(), (Vec::new(), false));
    }

    #[test]
    fn a_burst_of_matches_stops_watching_and_slow_matches_do_not() {
        let mut watch = Watch::new(vec!["x".to_owned()]);
        let start = Instant::now();
        for n in 0..50 {
            assert_eq!(watch.push("x\n", start + n * Duration::from_secs(2)).len(), 1, "{n}");
        }
        let mut watch = Watch::new(vec!["x".to_owned()]);
        let events = watch.push(&"x\n".repeat(100), start);
        assert_eq!((events.len(), events.last()), (MAX_MATCHES + 1, Some(&WatchEvent::Muted)));
        assert!(watch.push("x\n", start + 10 * WINDOW).is_empty());
        assert!(watch.take().1);
    }

    #[test]
    fn an_endless_line_takes_little_memory() {
        let mut watch = Watch::new(vec!["x".to_owned()]);
        for _ in 0..1_000 {
            watch.push(&"y".repeat(1_000), Instant::now());
        }
        assert!(watch.line.capacity() < 4 * MAX_LINE);
    }
}
