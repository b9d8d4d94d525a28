//! Decides which results are on the requested page, and when a search ends.

use std::time::{Duration, Instant};

/// The maximum number of results that are counted. A pattern with more is too general to be useful.
const MAX_RESULTS: usize = 10_000;
/// The number of characters after which a page is full.
const MAX_CHARS: usize = 60_000;
/// The time limit for filling the page.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the search if the page is full and only the total is missing.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

/// The state of a search with a page of results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    offset: usize,
    limit: usize,
    started: Instant,
    /// The number of results so far.
    total: usize,
    /// The number of results on the page.
    shown: usize,
    /// The number of characters on the page.
    chars: usize,
    /// Whether the search ended early.
    partial: bool,
}

impl Page {
    pub(super) fn new(offset: i64, limit: i64) -> Self {
        Self {
            offset: usize::try_from(offset).unwrap_or(0),
            limit: usize::try_from(limit).unwrap_or(1).clamp(1, 500),
            started: Instant::now(),
            total: 0,
            shown: 0,
            chars: 0,
            partial: false,
        }
    }

    /// Returns whether the next result is on the page.
    pub(super) fn has_next(&self) -> bool {
        self.total >= self.offset && !self.is_full()
    }

    /// Counts the next result. `chars` is its length, which is needed only if it is on the page.
    pub(super) fn count(&mut self, chars: usize) {
        if self.has_next() {
            self.shown += 1;
            self.chars += chars;
        }
        self.total += 1;
    }

    /// Counts the next result, which is a path, and appends it to `results` if it is on the page.
    pub(super) fn add<T>(&mut self, result: T, results: &mut Vec<T>) {
        /// An estimate of the length of a path.
        const PATH_CHARS: usize = 60;
        if self.has_next() {
            results.push(result);
        }
        self.count(PATH_CHARS);
    }

    /// Returns the time at which the search ends.
    pub(super) fn deadline(&self) -> Instant {
        self.started + if self.is_full() { COUNT_TIMEOUT } else { SEARCH_TIMEOUT }
    }

    /// Returns whether the search must end now.
    pub(super) fn is_over(&mut self) -> bool {
        if self.total >= MAX_RESULTS || Instant::now() >= self.deadline() {
            self.partial = true;
        }
        self.partial
    }

    /// Marks the search as ended early.
    pub(super) fn set_partial(&mut self) {
        self.partial = true;
    }

    fn is_full(&self) -> bool {
        self.shown >= self.limit || self.chars >= MAX_CHARS
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn is_partial(&self) -> bool {
        self.partial
    }

    /// Returns whether results follow the page.
    pub(super) fn is_truncated(&self) -> bool {
        self.total > self.offset + self.shown
    }

    /// Returns advice for the next call, or `None` if the page has all results.
    pub(super) fn hint(&self) -> Option<String> {
        let next = self.offset + self.shown;
        let more = if self.partial { "more than " } else { "" };
        if self.total == 0 && !self.partial {
            Some("no results; hidden, ignored and binary files were not searched".to_owned())
        } else if self.shown == 0 && self.offset > 0 {
            Some(format!("offset {} is past the {more}{} results", self.offset, self.total))
        } else if self.is_truncated() {
            let first = self.offset + 1;
            Some(format!("results {first} to {next} of {more}{}; continue with offset {next}", self.total))
        } else if self.partial {
            Some("the search took too long and was stopped; search a smaller directory".to_owned())
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(offset: i64, limit: i64, results: usize) -> (Page, Vec<usize>) {
        let mut page = Page::new(offset, limit);
        let mut shown = Vec::new();
        (0..results).for_each(|i| page.add(i, &mut shown));
        (page, shown)
    }

    #[test]
    fn a_page_has_the_results_from_its_offset_to_its_limit() {
        let (page, shown) = filled(2, 3, 10);
        assert_eq!((shown, page.total(), page.is_truncated()), (vec![2, 3, 4], 10, true));
        assert_eq!(page.hint().unwrap(), "results 3 to 5 of 10; continue with offset 5");
        let (page, shown) = filled(8, 3, 10);
        assert_eq!((shown, page.is_truncated(), page.hint()), (vec![8, 9], false, None));
        assert_eq!(filled(12, 3, 10).0.hint().unwrap(), "offset 12 is past the 10 results");
        assert!(filled(0, 3, 0).0.hint().unwrap().starts_with("no results"));
    }

    #[test]
    fn long_results_fill_a_page_before_its_limit() {
        let mut page = Page::new(0, 500);
        (0..100).for_each(|_| page.count(10_000));
        assert_eq!(page.hint().unwrap(), "results 1 to 6 of 100; continue with offset 6");
    }

    #[test]
    fn a_search_is_over_at_the_maximum_number_of_results() {
        let (mut page, _) = filled(0, 3, MAX_RESULTS);
        assert!(page.is_over() && page.is_partial());
    }
}
