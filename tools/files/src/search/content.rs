//! Looking for a regular expression in one file.

use std::collections::VecDeque;
use std::fs::File;
use std::io;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use toolc::ToolError;
use toolc_catalog::file::search_files::{Args, OutputMode};

use super::page::Page;
use crate::deadline_reader::DeadlineReader;

/// Characters of a line that are shown.
const LONGEST_LINE: usize = 500;
/// Bytes of a line that are searched. A file with a longer one counts as unreadable.
const LONGEST_SEARCHED: usize = 16 * 1024 * 1024;

/// A compiled search.
pub(super) struct Content {
    matcher: RegexMatcher,
    searcher: Searcher,
    mode: OutputMode,
    context: usize,
}

/// What became of one file.
pub(super) enum Outcome {
    /// Its matching lines: how many, and those on the page.
    Found {
        count: usize,
        lines: Vec<String>,
    },
    Unreadable,
}

impl Content {
    pub(super) fn new(args: &Args) -> Result<Self, ToolError> {
        /// Bytes of a compiled pattern: beyond it, compiling alone takes seconds.
        const LARGEST_PATTERN: usize = 10 * 1024 * 1024;
        let mut builder = RegexMatcherBuilder::new();
        let built = builder.line_terminator(Some(b'\n')).size_limit(LARGEST_PATTERN).build(&args.pattern);
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
            .heap_limit(Some(LONGEST_SEARCHED))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Ok(Self { matcher, searcher, mode: args.output_mode, context })
    }

    /// Searches `file`. Where lines are what is asked for, they are counted on the page.
    pub(super) fn look(&mut self, file: File, page: &mut Page) -> Outcome {
        let mut hits = Hits {
            mode: self.mode,
            context: self.context,
            page: *page,
            count: 0,
            lines: Vec::new(),
            before: VecDeque::new(),
            shown: false,
            binary: false,
        };
        let file = DeadlineReader::new(file, page.deadline());
        let late = match self.searcher.search_reader(&self.matcher, file, &mut hits) {
            Ok(()) => false,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => true,
            Err(_) => return Outcome::Unreadable,
        };
        if hits.binary {
            // Whatever was found before the first NUL is as if it were not.
            hits = Hits { page: *page, count: 0, lines: Vec::new(), ..hits };
        }
        *page = hits.page;
        if late {
            page.cut_short();
        }
        Outcome::Found { count: hits.count, lines: hits.lines }
    }
}

/// Collects what the searcher finds in one file.
struct Hits {
    mode: OutputMode,
    context: usize,
    /// A copy: it takes effect only when the file has turned out to be text.
    page: Page,
    count: usize,
    lines: Vec<String>,
    /// Lines that will be context if the next match is on the page.
    before: VecDeque<String>,
    /// Whether the last match is on the page.
    shown: bool,
    binary: bool,
}

impl Sink for Hits {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        match self.mode {
            OutputMode::FilesOnly => return Ok(false),
            OutputMode::Count => return Ok(true),
            OutputMode::Content => {}
        }
        self.shown = self.page.wants();
        let mut chars = 0;
        if self.shown {
            let line = shown(found.line_number(), ':', found.bytes());
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
        let line = shown(context.line_number(), '-', context.bytes());
        if self.shown && matches!(context.kind(), grep_searcher::SinkContextKind::After) {
            self.lines.push(line);
        } else if self.page.wants() {
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

/// One line of the result: `12:text`, or `12-text` for context.
fn shown(number: Option<u64>, mark: char, bytes: &[u8]) -> String {
    // Four bytes are the most for a character: what is beyond cannot be shown.
    let bytes = &bytes[..bytes.len().min(4 * LONGEST_LINE + 2)];
    let line = String::from_utf8_lossy(bytes);
    let line = line.trim_end_matches(['\n', '\r']);
    let number = number.unwrap_or_default();
    match line.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{number}{mark}{}… [line cut here]", &line[..cut]),
        None => format!("{number}{mark}{line}"),
    }
}
