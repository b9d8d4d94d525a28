//! Searches one file for a regular expression.

use std::collections::VecDeque;
use std::fs::File;
use std::io;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use toolc::ToolError;
use toolc_catalog::file::search_files::{Args, OutputMode};

use super::page::Page;
use crate::deadline_reader::DeadlineReader;

/// The maximum number of characters of a line in the result; the rest is cut off.
const MAX_LINE_CHARS: usize = 500;
/// The maximum number of bytes of a line that can be searched. A file with a longer line counts as unreadable.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A compiled search.
pub(super) struct ContentSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    mode: OutputMode,
    context: usize,
}

/// The outcome of searching one file.
pub(super) enum Outcome {
    Searched {
        /// The number of matching lines.
        count: usize,
        /// The matching lines on the page, with their context.
        lines: Vec<String>,
    },
    Unreadable,
}

impl ContentSearch {
    pub(super) fn new(args: &Args) -> Result<Self, ToolError> {
        /// The maximum size of the compiled pattern, in bytes. Compiling a larger one takes seconds.
        const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;
        let mut builder = RegexMatcherBuilder::new();
        let built = builder.line_terminator(Some(b'\n')).size_limit(MAX_PATTERN_BYTES).build(&args.pattern);
        let matcher = built.map_err(|error| {
            ToolError::new(format!(
                "the pattern is not a regular expression: {error}; escape special characters by `\\`"
            ))
        })?;
        let lines = args.output_mode == OutputMode::Content;
        let context = if lines { usize::try_from(args.context).unwrap_or(0).min(20) } else { 0 };
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(MAX_LINE_BYTES))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Ok(Self { matcher, searcher, mode: args.output_mode, context })
    }

    /// Searches `file`. In the mode `Content`, each matching line is counted as a result of the page.
    pub(super) fn search(&mut self, file: File, page: &mut Page) -> Outcome {
        let mut matches = FileMatches {
            mode: self.mode,
            context: self.context,
            page: *page,
            count: 0,
            lines: Vec::new(),
            before: VecDeque::new(),
            is_on_page: false,
            binary: false,
        };
        let file = DeadlineReader::new(file, page.deadline());
        let timed_out = match self.searcher.search_reader(&self.matcher, file, &mut matches) {
            Ok(()) => false,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => true,
            Err(_) => return Outcome::Unreadable,
        };
        if matches.binary {
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
struct FileMatches {
    mode: OutputMode,
    context: usize,
    /// A copy of the page, which replaces the original unless the file turns out to be binary.
    page: Page,
    count: usize,
    lines: Vec<String>,
    /// The last lines, which become context if the next match is on the page.
    before: VecDeque<String>,
    /// Whether the last match is on the page.
    is_on_page: bool,
    binary: bool,
}

impl Sink for FileMatches {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        match self.mode {
            OutputMode::FilesOnly => return Ok(false),
            OutputMode::Count => return Ok(true),
            OutputMode::Content => {}
        }
        self.is_on_page = self.page.has_next();
        let mut chars = 0;
        if self.is_on_page {
            let line = result_line(found.line_number(), ':', found.bytes());
            let from = self.lines.len();
            self.lines.extend(self.before.drain(..));
            self.lines.push(line);
            chars = self.lines[from..].iter().map(String::len).sum();
        }
        self.before.clear();
        self.page.count(chars);
        Ok(!self.page.is_over())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let line = result_line(context.line_number(), '-', context.bytes());
        if self.is_on_page && matches!(context.kind(), grep_searcher::SinkContextKind::After) {
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
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Returns a line of the result: `12:text`, or `12-text` for context.
fn result_line(number: Option<u64>, mark: char, bytes: &[u8]) -> String {
    // A character has at most four bytes.
    let bytes = &bytes[..bytes.len().min(4 * MAX_LINE_CHARS + 2)];
    let line = String::from_utf8_lossy(bytes);
    let line = line.trim_end_matches(['\n', '\r']);
    let number = number.unwrap_or_default();
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((cut, _)) => format!("{number}{mark}{}… [line cut here]", &line[..cut]),
        None => format!("{number}{mark}{line}"),
    }
}
