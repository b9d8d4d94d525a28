//! Decides which results of a search are kept, and when it ends.

use std::time::Instant;

use super::{FoundFile, SearchLimits};

/// The progress of a search, and which of its results are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    limits: SearchLimits,
    started: Instant,
    /// The number of results so far.
    total: usize,
    /// The number of results that are kept.
    kept: usize,
    /// The number of characters of these results.
    chars: usize,
    /// Whether the search ended early.
    partial: bool,
}

impl Page {
    pub(crate) fn new(limits: SearchLimits) -> Self {
        Self { limits, started: Instant::now(), total: 0, kept: 0, chars: 0, partial: false }
    }

    /// Returns whether the next result is kept.
    pub(crate) fn has_next(&self) -> bool {
        self.total >= self.limits.offset && !self.is_full()
    }

    /// Counts the next result. `chars` is its length, which is ignored if the result is not kept.
    pub(crate) fn count(&mut self, chars: usize) {
        if self.has_next() {
            self.kept += 1;
            self.chars += chars;
        }
        self.total += 1;
    }

    /// Counts the next result, which is a file, and appends it to `files` if it is kept.
    pub(crate) fn add(&mut self, file: FoundFile, files: &mut Vec<FoundFile>) {
        /// An estimate of the length of a path.
        const PATH_CHARS: usize = 60;
        if self.has_next() {
            files.push(file);
        }
        self.count(PATH_CHARS);
    }

    /// Returns the time at which the search ends.
    pub(crate) fn deadline(&self) -> Instant {
        self.started + if self.is_full() { self.limits.count_timeout } else { self.limits.timeout }
    }

    /// Returns whether the search must end now.
    pub(crate) fn must_end(&mut self) -> bool {
        if self.total >= self.limits.max_results || Instant::now() >= self.deadline() {
            self.partial = true;
        }
        self.partial
    }

    /// Marks the search as ended early.
    pub(crate) fn set_partial(&mut self) {
        self.partial = true;
    }

    pub(crate) fn limits(&self) -> &SearchLimits {
        &self.limits
    }

    fn is_full(&self) -> bool {
        self.kept >= self.limits.limit || self.chars >= self.limits.max_chars
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limits(offset: usize, limit: usize) -> SearchLimits {
        SearchLimits {
            offset,
            limit,
            max_chars: 60_000,
            max_line_chars: 500,
            max_results: 100,
            timeout: Duration::from_mins(1),
            count_timeout: Duration::from_mins(1),
        }
    }

    fn filled(offset: usize, limit: usize, results: usize) -> (Page, Vec<usize>) {
        let mut page = Page::new(limits(offset, limit));
        let mut files = Vec::new();
        (0..results).for_each(|count| page.add(FoundFile { count, ..FoundFile::default() }, &mut files));
        (page, files.into_iter().map(|file| file.count).collect())
    }

    #[test]
    fn results_from_the_offset_to_the_limit_are_kept() {
        let (page, kept) = filled(2, 3, 10);
        assert_eq!((kept, page.total(), page.kept()), (vec![2, 3, 4], 10, 3));
        assert_eq!(filled(8, 3, 10).1, [8, 9]);
        assert_eq!(filled(12, 3, 10).1, [0; 0]);
    }

    #[test]
    fn long_results_fill_a_page_before_its_limit() {
        let mut page = Page::new(limits(0, 50));
        (0..100).for_each(|_| page.count(10_000));
        assert_eq!((page.kept(), page.total()), (6, 100));
    }

    #[test]
    fn a_search_is_over_at_the_maximum_number_of_results() {
        let (mut page, _) = filled(0, 3, 100);
        assert!(page.must_end() && page.is_partial());
    }
}
