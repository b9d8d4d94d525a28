//! Which results belong to the page that was asked for, and when a search has done enough.

use std::time::{Duration, Instant};

/// The most results that are counted. A pattern with more is useless.
const MOST_RESULTS: usize = 10_000;
/// Characters on one page.
const MOST_CHARS: usize = 60_000;
/// For filling the page.
const SEARCH_TIME: Duration = Duration::from_secs(30);
/// For the whole search, once the page is full and only the total is of interest.
const COUNT_TIME: Duration = Duration::from_secs(5);

/// A page being filled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    offset: usize,
    limit: usize,
    started: Instant,
    total: usize,
    taken: usize,
    chars: usize,
    partial: bool,
}

impl Page {
    pub(super) fn new(offset: i64, limit: i64) -> Self {
        Self {
            offset: usize::try_from(offset).unwrap_or(0),
            limit: usize::try_from(limit).unwrap_or(1).clamp(1, 500),
            started: Instant::now(),
            total: 0,
            taken: 0,
            chars: 0,
            partial: false,
        }
    }

    /// Whether the next result goes on the page.
    pub(super) fn wants(&self) -> bool {
        self.total >= self.offset && !self.is_full()
    }

    /// Counts the next result. Those on the page tell how long they are.
    pub(super) fn count(&mut self, chars: usize) {
        if self.wants() {
            self.taken += 1;
            self.chars += chars;
        }
        self.total += 1;
    }

    /// Counts the next result, and keeps it if it goes on the page.
    pub(super) fn offer<T>(&mut self, result: T, kept: &mut Vec<T>) {
        /// Paths are short: all that matters is that very many of them are not free.
        const ABOUT: usize = 60;
        if self.wants() {
            kept.push(result);
        }
        self.count(ABOUT);
    }

    /// When the search has to end.
    pub(super) fn deadline(&self) -> Instant {
        self.started + if self.is_full() { COUNT_TIME } else { SEARCH_TIME }
    }

    /// Whether the search has to end now.
    pub(super) fn is_over(&mut self) -> bool {
        if self.total >= MOST_RESULTS || Instant::now() >= self.deadline() {
            self.partial = true;
        }
        self.partial
    }

    /// The search was cut short.
    pub(super) fn cut_short(&mut self) {
        self.partial = true;
    }

    fn is_full(&self) -> bool {
        self.taken >= self.limit || self.chars >= MOST_CHARS
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn is_partial(&self) -> bool {
        self.partial
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.total > self.offset + self.taken
    }

    /// What to do next, where that is not plain.
    pub(super) fn hint(&self) -> Option<String> {
        let next = self.offset + self.taken;
        let more = if self.partial { "more than " } else { "" };
        if self.total == 0 && !self.partial {
            Some("nothing found; hidden, ignored and binary files were not looked at".to_owned())
        } else if self.taken == 0 && self.offset > 0 {
            Some(format!("offset {} is past the {more}{} results", self.offset, self.total))
        } else if self.is_truncated() {
            let first = self.offset + 1;
            Some(format!("results {first} to {next} of {more}{}; go on with offset {next}", self.total))
        } else if self.partial {
            Some("the search took too long and was ended; search a smaller directory".to_owned())
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(offset: i64, limit: i64, results: usize) -> (Page, Vec<usize>) {
        let (mut page, mut kept) = (Page::new(offset, limit), Vec::new());
        (0..results).for_each(|i| page.offer(i, &mut kept));
        (page, kept)
    }

    #[test]
    fn a_page_is_a_window_on_the_results() {
        let (page, kept) = filled(2, 3, 10);
        assert_eq!((kept, page.total(), page.is_truncated()), (vec![2, 3, 4], 10, true));
        assert_eq!(page.hint().unwrap(), "results 3 to 5 of 10; go on with offset 5");
        let (page, kept) = filled(8, 3, 10);
        assert_eq!((kept, page.is_truncated(), page.hint()), (vec![8, 9], false, None));
        assert_eq!(filled(12, 3, 10).0.hint().unwrap(), "offset 12 is past the 10 results");
        assert!(filled(0, 3, 0).0.hint().unwrap().starts_with("nothing found"));
    }

    #[test]
    fn long_results_close_the_page_early() {
        let mut page = Page::new(0, 500);
        (0..100).for_each(|_| page.count(10_000));
        assert_eq!(page.hint().unwrap(), "results 1 to 6 of 100; go on with offset 6");
    }

    #[test]
    fn counting_ends() {
        let (mut page, _) = filled(0, 3, MOST_RESULTS);
        assert!(page.is_over() && page.is_partial());
    }
}
