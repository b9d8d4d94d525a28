//! Watches for texts in the output of a background process.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The number of matches after which watching stops, if they come within [`WINDOW`].
const MAX_MATCHES: usize = 8;
const WINDOW: Duration = Duration::from_secs(10);
/// The number of characters after which a line is looked at in pieces.
const MAX_LINE: usize = 4_000;
/// The number of matching lines that are kept for the next look.
const MAX_KEPT: usize = 20;

/// Finds lines that contain one of several texts.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    patterns: Vec<String>,
    line: String,
    /// The number of characters of the line.
    chars: usize,
    /// The patterns that have been found in the line.
    found: Vec<bool>,
    /// The times of the last matches.
    times: VecDeque<Instant>,
    is_muted: bool,
    kept: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A line contains a text. The line may be incomplete.
    Match { pattern: String, line: String },
    /// There were too many matches.
    Muted,
}

impl Watch {
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        Self { found: vec![false; patterns.len()], patterns, ..Self::default() }
    }

    /// Looks at a piece of the output.
    pub(crate) fn look(&mut self, text: &str, now: Instant) -> Vec<Found> {
        let mut found = Vec::new();
        if self.patterns.is_empty() || self.is_muted {
            return found;
        }
        for c in text.chars() {
            if c == '\n' || self.chars >= MAX_LINE {
                self.check(now, &mut found);
                self.line.clear();
                self.chars = 0;
                self.found.fill(false);
            }
            if c != '\n' {
                self.line.push(c);
                self.chars += 1;
            }
        }
        // A prompt has no newline.
        self.check(now, &mut found);
        found
    }

    fn check(&mut self, now: Instant, found: &mut Vec<Found>) {
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
                found.push(Found::Muted);
                return;
            }
            self.times.push_back(now);
            if self.kept.len() < MAX_KEPT {
                self.kept.push(self.line.clone());
            }
            found.push(Found::Match { pattern: pattern.clone(), line: self.line.clone() });
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

    fn lines(found: &[Found]) -> Vec<&str> {
        let line = |found: &'_ Found| matches!(found, Found::Match { .. });
        found
            .iter()
            .filter(|found| line(found))
            .map(|found| match found {
                Found::Match { line, .. } => &**line,
                Found::Muted => unreachable!("filtered"),
            })
            .collect()
    }

    #[test]
    fn each_text_is_found_once_in_a_line() {
        let mut watch = Watch::new(vec!["ready".to_owned(), "error".to_owned()]);
        let now = Instant::now();
        assert_eq!(lines(&watch.look("rea", now)), [""; 0]);
        assert_eq!(lines(&watch.look("dy, ready", now)), ["ready, ready"], "also without a newline");
        assert_eq!(lines(&watch.look(" and ready\nno\nan error", now)), ["an error"]);
        assert_eq!(lines(&watch.look(" is ready\n", now)), ["an error is ready"]);
        assert_eq!(watch.take(), (vec!["ready, ready".into(), "an error".into(), "an error is ready".into()], false));
        assert_eq!(watch.take(), (Vec::new(), false));
    }

    #[test]
    fn a_burst_mutes_and_slow_matches_do_not() {
        let mut watch = Watch::new(vec!["x".to_owned()]);
        let start = Instant::now();
        for n in 0..50 {
            assert_eq!(watch.look("x\n", start + n * Duration::from_secs(2)).len(), 1, "{n}");
        }
        let mut watch = Watch::new(vec!["x".to_owned()]);
        let found = watch.look(&"x\n".repeat(100), start);
        assert_eq!((found.len(), found.last()), (MAX_MATCHES + 1, Some(&Found::Muted)));
        assert!(watch.look("x\n", start + 10 * WINDOW).is_empty());
        assert!(watch.take().1);
    }

    #[test]
    fn a_line_without_an_end_takes_little_memory() {
        let mut watch = Watch::new(vec!["x".to_owned()]);
        for _ in 0..1_000 {
            watch.look(&"y".repeat(1_000), Instant::now());
        }
        assert!(watch.line.capacity() < 4 * MAX_LINE);
    }
}
