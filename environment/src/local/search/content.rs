//! Searches one file for a regular expression.

use std::collections::VecDeque;
use std::fs::File;
use std::io;

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::local::deadline_reader::DeadlineReader;
use crate::search::{ContentSearch, FoundLine, Page, Pattern, Results};

/// The maximum number of bytes of a line that can be searched. A file with a longer line counts as unreadable.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A search with its buffers.
pub(super) struct FileSearch<'a> {
    search: ContentSearch<'a>,
    searcher: Searcher,
}

/// The outcome of searching one file.
pub(super) enum Outcome {
    Searched {
        /// The number of matching lines.
        count: usize,
        /// The matching lines that are kept, with their context.
        lines: Vec<FoundLine>,
    },
    Unreadable,
}

impl<'a> FileSearch<'a> {
    pub(super) fn new(search: ContentSearch<'a>) -> Self {
        let context = if search.results == Results::Lines { search.context } else { 0 };
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(MAX_LINE_BYTES))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Self { search: ContentSearch { context, ..search }, searcher }
    }

    pub(super) fn results(&self) -> Results {
        self.search.results
    }

    /// Searches `file`. If results are lines, each matching line is counted as a result.
    pub(super) fn search(&mut self, file: File, page: &mut Page) -> Outcome {
        let mut matches = FileMatches {
            pattern: self.search.pattern,
            results: self.search.results,
            context: self.search.context,
            page: *page,
            count: 0,
            lines: Vec::new(),
            before: VecDeque::new(),
            is_kept: false,
            is_binary: false,
        };
        let file = DeadlineReader::new(file, page.deadline());
        let timed_out = match self.searcher.search_reader(self.search.pattern.matcher(), file, &mut matches) {
            Ok(()) => false,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => true,
            Err(_) => return Outcome::Unreadable,
        };
        if matches.is_binary {
            // Discard the matches before the first NUL.
            matches = FileMatches { page: *page, count: 0, lines: Vec::new(), ..matches };
        }
        *page = matches.page;
        if timed_out {
            page.set_partial();
        }
        Outcome::Searched { count: matches.count, lines: matches.lines }
    }
}

/// Collects the matches in one file.
struct FileMatches<'a> {
    pattern: &'a Pattern,
    results: Results,
    context: usize,
    /// A copy of the page, which replaces the original unless the file turns out to be binary.
    page: Page,
    count: usize,
    lines: Vec<FoundLine>,
    /// The last lines, which become context if the next match is kept.
    before: VecDeque<FoundLine>,
    /// Whether the last match is kept.
    is_kept: bool,
    is_binary: bool,
}

impl FileMatches<'_> {
    fn line(&self, number: Option<u64>, is_match: bool, bytes: &[u8]) -> FoundLine {
        FoundLine::new(
            number.unwrap_or_default(),
            is_match.then_some(self.pattern),
            bytes,
            self.page.limits().max_line_chars,
        )
    }
}

impl Sink for FileMatches<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        match self.results {
            Results::Files => return Ok(false),
            Results::Counts => return Ok(true),
            Results::Lines => {}
        }
        self.is_kept = self.page.has_next();
        let mut chars = 0;
        if self.is_kept {
            let line = self.line(found.line_number(), true, found.bytes());
            let start = self.lines.len();
            self.lines.extend(self.before.drain(..));
            self.lines.push(line);
            chars = self.lines[start..].iter().map(FoundLine::size).sum();
        }
        self.before.clear();
        self.page.count(chars);
        Ok(!self.page.must_end())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let line = self.line(context.line_number(), false, context.bytes());
        if self.is_kept && matches!(context.kind(), grep_searcher::SinkContextKind::After) {
            self.lines.push(line);
        } else if self.page.has_next() {
            if self.before.len() == self.context {
                self.before.pop_front();
            }
            self.before.push_back(line);
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
