//! Searches and their results, which have the same types in every environment.
//!
//! Patterns are in Rust's syntax. They are compiled here, so that every environment refuses the same patterns. [`Page`] decides which
//! results are kept, and when a search ends.

mod page;

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

pub(crate) use page::Page;

/// A search below a folder, or in one file. Hidden files, and folders with kernel interfaces, are skipped. Links are not followed.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The folder or the file, absolute and resolved.
    pub root: &'a Path,
    /// Globs that each file must match.
    pub globs: &'a [NameGlob],
    /// The content that a file must have, or `None` to find files by their names.
    pub content: Option<ContentSearch<'a>>,
    /// The limits of the search.
    pub limits: SearchLimits,
    /// Returns whether a file may be read. Other files count as unreadable.
    pub may_read: Option<&'a dyn Fn(&Path) -> bool>,
}

/// A search for lines in files.
#[derive(Debug, Clone, Copy)]
pub struct ContentSearch<'a> {
    /// The pattern that a line must match.
    pub pattern: &'a Pattern,
    /// The kind of the results.
    pub results: Results,
    /// The number of lines around each matching line that are kept, too, if results are lines.
    pub context: usize,
}

/// The kind of the results of a search in the content of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// A matching line.
    Lines,
    /// A file with a match.
    Files,
    /// A file with a match, and the number of its matching lines.
    Counts,
}

/// Limits of a search. Results are found and counted in the order of their paths, compared component by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// The number of results to skip.
    pub offset: usize,
    /// The maximum number of results to keep.
    pub limit: usize,
    /// The number of characters after which no further result is kept.
    pub max_chars: usize,
    /// The maximum number of characters of a line; the rest is cut off.
    pub max_line_chars: usize,
    /// The maximum number of results to count.
    pub max_results: usize,
    /// The time limit for finding the results to keep.
    pub timeout: Duration,
    /// The time limit if the results to keep have been found, and only the total number is missing.
    pub count_timeout: Duration,
}

/// The results of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The files with results that are kept.
    pub files: Vec<FoundFile>,
    /// The number of all results, including results that are not kept.
    pub total: usize,
    /// The number of results that are kept.
    pub kept: usize,
    /// Whether the search ended early, so that more results may exist.
    pub partial: bool,
    /// The number of files and folders that could not be read.
    pub unreadable: usize,
}

/// A file with results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFile {
    /// The absolute path.
    pub path: PathBuf,
    /// The matching lines with their context, if results are lines.
    pub lines: Vec<FoundLine>,
    /// The number of matching lines, if results are counts.
    pub count: usize,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// The number of the line, counted from 1.
    pub number: u64,
    /// Whether the line matches. Otherwise, the line is context of a matching line.
    pub is_match: bool,
    /// The text, without the line ending. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether the end of the line is missing, because the line is longer than the maximum.
    pub is_cut: bool,
    /// The number of characters of the line before `text`. If a match is far from the beginning of a long line, the text begins shortly
    /// before the match.
    pub skipped: usize,
}

impl FoundLine {
    /// Creates a line from its bytes. `pattern` is the pattern that it matches, or `None` for a line of context.
    pub(crate) fn new(number: u64, pattern: Option<&Pattern>, bytes: &[u8], max_chars: usize) -> Self {
        let is_match = pattern.is_some();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        // A character has at most four bytes.
        let is_long = bytes.len() > max_chars && (bytes.len() > 4 * max_chars || char_count(bytes) > max_chars);
        let skipped_bytes = pattern.filter(|_| is_long).map_or(0, |pattern| start_of_part(pattern, bytes, max_chars));
        let skipped = if skipped_bytes == 0 { 0 } else { char_count(&bytes[..skipped_bytes]) };
        let part = &bytes[skipped_bytes..];
        let text = String::from_utf8_lossy(&part[..part.len().min(4 * max_chars + 4)]);
        match text.char_indices().nth(max_chars) {
            Some((cut, _)) => Self { number, is_match, text: text[..cut].to_owned(), is_cut: true, skipped },
            None => Self { number, is_match, text: text.into_owned(), is_cut: false, skipped },
        }
    }

    /// Returns the number of bytes that the line takes on a page.
    pub(crate) fn size(&self) -> usize {
        /// The bytes of the line number and the separators.
        const OVERHEAD: usize = 6;
        self.text.len() + OVERHEAD
    }
}

fn char_count(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

/// Returns the position at which the shown part of a long line begins, so that it contains the first match.
fn start_of_part(pattern: &Pattern, line: &[u8], max_chars: usize) -> usize {
    let Some(found) = pattern.matcher().find(line).ok().flatten() else { return 0 };
    let (mut start, end) = (found.start(), found.end());
    // If the whole match is in the beginning, the beginning is shown.
    if end <= max_chars || char_count(&line[..end]) <= max_chars {
        return 0;
    }
    if end - start > max_chars {
        start = match pattern.core().and_then(|core| core.find(line).ok().flatten()) {
            Some(found) => found.start(),
            None => last_start(pattern, line, start, end),
        };
    }
    let before = start.saturating_sub(max_chars / 4);
    // A character is not cut.
    let is_inside = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (before..=start).find(|at| !is_inside(at)).unwrap_or(start)
}

/// Returns the last position at which a match begins that ends at `end`. A pattern that begins with `.*` matches from the beginning of a line,
/// and what it is about is at the end.
fn last_start(pattern: &Pattern, line: &[u8], start: usize, end: usize) -> usize {
    /// The length of a line that is not searched again.
    const MAX_LINE: usize = 1 << 20;
    if line.len() > MAX_LINE {
        return start;
    }
    let begins_after = |at: usize| {
        let found = pattern.matcher().find_at(line, at).ok().flatten()?;
        (found.end() == end).then_some(found.start())
    };
    // Every match ends at `end` that is found from a position before the last one.
    let (mut known, mut beyond) = (start, end);
    while known < beyond {
        let middle = known + (beyond - known).div_ceil(2);
        match begins_after(middle) {
            Some(begin) => known = begin.max(middle),
            None => beyond = middle - 1,
        }
    }
    known
}

/// A glob. If it contains a `/`, it must match the path relative to the root, otherwise the file name.
#[derive(Debug, Clone)]
pub struct NameGlob {
    glob: GlobMatcher,
    by_name: bool,
}

impl NameGlob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// Returns an error if the glob is invalid.
    pub fn new(glob: &str) -> Result<Self, InvalidExpression> {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        let built = built.map_err(|error| InvalidExpression {
            kind: ExpressionKind::Glob,
            message: error.kind().to_string(),
            source: Box::new(error),
        })?;
        Ok(Self { glob: built.compile_matcher(), by_name: !glob.contains('/') })
    }

    pub(crate) fn matches(&self, path: &Path, root: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        match path.strip_prefix(root) {
            Ok(inside) if !self.by_name && !inside.as_os_str().is_empty() => self.glob.is_match(inside),
            _ => self.glob.is_match(name),
        }
    }
}

/// A regular expression that a line must match. `$` matches before the line ending, which is `\n` or `\r\n`.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matcher: RegexMatcher,
    /// The expression without what matches anything before and after it, once it is needed.
    core: OnceLock<Option<RegexMatcher>>,
}

impl Pattern {
    /// Compiles a regular expression.
    ///
    /// # Errors
    /// Returns an error if the expression is invalid or too large.
    pub fn new(pattern: &str) -> Result<Self, InvalidExpression> {
        let matcher = Self::build(pattern).map_err(|error| InvalidExpression {
            kind: ExpressionKind::Pattern,
            message: error.to_string(),
            source: Box::new(error),
        })?;
        Ok(Self { text: pattern.to_owned(), matcher, core: OnceLock::new() })
    }

    fn build(pattern: &str) -> Result<RegexMatcher, grep_regex::Error> {
        /// The maximum size of the compiled pattern, in bytes. Compiling a larger one takes seconds.
        const MAX_BYTES: usize = 10 * 1024 * 1024;
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).crlf(true).line_terminator(Some(b'\n')).size_limit(MAX_BYTES).build(pattern)
    }

    /// Returns the expression `needle` for `^.*needle.*$`. `None` if nothing is left out, or the rest is not an expression.
    fn core(&self) -> Option<&RegexMatcher> {
        let build = || {
            let core = core_of(&self.text)?;
            Self::build(&core).ok()
        };
        self.core.get_or_init(build).as_ref()
    }

    /// Returns the text of the expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }
}

/// Returns an expression without anchors and repetitions of any character at its beginning and its end.
fn core_of(pattern: &str) -> Option<String> {
    const ANYTHING: [&str; 6] = [".*?", ".+?", ".*", ".+", "^", "$"];
    // Flags such as `(?i)` stay.
    let flags = pattern.strip_prefix("(?").and_then(|rest| rest.split_once(')')).map_or("", |(flags, _)| flags);
    let is_flags = !flags.is_empty() && flags.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let (flags, all) = if is_flags { pattern.split_at(flags.len() + 3) } else { ("", pattern) };
    let mut core = all;
    while let Some(rest) = ANYTHING.iter().find_map(|part| core.strip_prefix(part)) {
        core = rest;
    }
    let is_escaped = |rest: &str| (rest.len() - rest.trim_end_matches('\\').len()) % 2 == 1;
    while let Some(rest) = ANYTHING.iter().find_map(|part| core.strip_suffix(part)).filter(|rest| !is_escaped(rest)) {
        core = rest;
    }
    (!core.is_empty() && core.len() < all.len()).then(|| format!("{flags}{core}"))
}

/// Why a [`NameGlob`] or a [`Pattern`] cannot be compiled. The message says what is wrong, and what to do.
#[derive(Debug)]
pub struct InvalidExpression {
    kind: ExpressionKind,
    message: String,
    source: Box<dyn Error + Send + Sync>,
}

/// The kinds of expressions of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// A [`NameGlob`].
    Glob,
    /// A [`Pattern`].
    Pattern,
}

impl InvalidExpression {
    /// Returns which expression it is.
    pub fn kind(&self) -> ExpressionKind {
        self.kind
    }
}

impl fmt::Display for InvalidExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.message;
        match self.kind {
            ExpressionKind::Glob => write!(f, "not a glob: {message}; escape special characters by `[` and `]`"),
            ExpressionKind::Pattern => {
                write!(f, "not a regular expression: {message}; escape special characters by `\\`")
            }
        }
    }
}

impl Error for InvalidExpression {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, globs, content, limits, may_read } = self;
        f.debug_struct("Search")
            .field("root", root)
            .field("globs", globs)
            .field("content", content)
            .field("limits", limits)
            .field("may_read", &may_read.is_some())
            .finish()
    }
}

/// Folders with kernel interfaces. Reading their files can be endless, block, or have side effects.
const KERNEL_INTERFACES: &[&str] = &["/dev", "/proc", "/sys"];

/// Returns whether a resolved path is a kernel interface, which is not searched.
pub fn is_kernel_interface(path: &Path) -> bool {
    KERNEL_INTERFACES.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_or_relative_paths() {
        let matches = |glob: &str, path: &str| NameGlob::new(glob).unwrap().matches(Path::new(path), Path::new("/r"));
        assert!(matches("*.rs", "/r/a/b.rs") && !matches("*.rs", "/r/a/b.rst"));
        assert!(matches("*.{ts,tsx}", "/r/b.tsx"));
        assert!(matches("a/*.rs", "/r/a/b.rs") && !matches("a/*.rs", "/r/a/c/b.rs"));
        assert!(matches("./a/**/*.rs", "/r/a/c/d/b.rs") && !matches("a/**", "/r/b/a"));
    }

    #[test]
    fn an_invalid_expression_has_a_kind_a_source_and_advice() {
        let glob = NameGlob::new("a{b").unwrap_err();
        assert_eq!(glob.kind(), ExpressionKind::Glob);
        assert!(glob.to_string().ends_with("; escape special characters by `[` and `]`"), "{glob}");
        assert!(glob.source().is_some_and(<dyn Error>::is::<globset::Error>), "{glob:?}");
        let pattern = Pattern::new("a(b").unwrap_err();
        assert_eq!(pattern.kind(), ExpressionKind::Pattern);
        assert!(pattern.to_string().ends_with("; escape special characters by `\\`"), "{pattern}");
        assert!(pattern.source().is_some_and(<dyn Error>::is::<grep_regex::Error>), "{pattern:?}");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let pattern = Pattern::new("é|caf").unwrap();
        let line = FoundLine::new(1, Some(&pattern), "é".repeat(100).as_bytes(), 7);
        assert_eq!((line.text.as_str(), line.is_cut), ("ééééééé", true));
        let line = FoundLine::new(1, Some(&pattern), b"caf\xe9\r\n", 7);
        assert_eq!((line.text.as_str(), line.is_cut), ("caf\u{fffd}", false));
    }

    #[test]
    fn the_part_of_a_long_line_with_the_match_is_shown() {
        let pattern = Pattern::new("needle$|needle").unwrap();
        for (before, after, skipped, is_cut) in [
            ("x".repeat(10), "y".repeat(10), 0, false),
            ("x".repeat(10), "y".repeat(1_000), 0, true),
            ("x".repeat(34), "y".repeat(1_000), 0, true),
            ("x".repeat(35), "y".repeat(1_000), 25, true),
            ("x".repeat(10_000), "y".repeat(1_000), 9_990, true),
            ("x".repeat(10_000), String::new(), 9_990, false),
            ("é".repeat(10_000), "é".repeat(1_000), 9_995, true),
            ("x".repeat(10_000), "\r\n".to_owned(), 9_990, false),
        ] {
            let line = FoundLine::new(1, Some(&pattern), format!("{before}needle{after}").as_bytes(), 40);
            assert!(line.text.contains("needle") && line.text.chars().count() <= 40, "{line:?}");
            assert_eq!((line.skipped, line.is_cut), (skipped, is_cut), "{line:?}");
        }
        let shown = |pattern: &str, line: &str| {
            let pattern = Pattern::new(pattern).unwrap();
            FoundLine::new(1, Some(&pattern), line.as_bytes(), 40).text
        };
        let (x, e) = ("x".repeat(2_000), "é".repeat(2_000));
        for (pattern, line, part) in [
            // The pattern matches from the beginning of the line, and the word is far from there.
            (".*needle", format!("{x} a needle b"), "a needle"),
            ("^.*needle.*$", format!("{x} a needle"), "needle"),
            (".*(pin|needle)", format!("{e} a needle {e}"), "a needle"),
            ("(?i)^.*?NEEDLE.+$", format!("{x} needle {x}"), " needle "),
            (r".*needle\.*", format!("{x}needle.."), "needle"),
            (r"\w+needle", format!("{x}needle{x}"), "needle"),
            ("import.*needle", format!("import {x} needle"), "import xx"),
            ("(?i)NEEDLE", format!("{e}needle{e}needle"), "éneedleé"),
            ("needle", format!("{x}needle{x}needle"), "xneedlex"),
            ("y$", format!("{e}y"), "éy"),
            ("$", x.clone(), "xxx"),
            ("^", format!("a{x}"), "axx"),
            ("^é+", e.clone(), "ééé"),
            ("日本", format!("{}日本{}", "語".repeat(999), "語".repeat(999)), "語日本語"),
            ("😀", format!("{}😀", "🎉".repeat(999)), "🎉😀"),
        ] {
            let text = shown(pattern, &line);
            assert!(text.contains(part) && text.chars().count() <= 40, "{pattern}: {text}");
        }
        let context = FoundLine::new(1, None, format!("{}needle", "x".repeat(100)).as_bytes(), 40);
        assert_eq!((context.skipped, context.is_cut, context.text.len()), (0, true, 40));
    }

    #[test]
    fn the_end_of_a_line_is_before_its_ending() {
        for (pattern, line, matches) in [
            ("0;$", "return 0;\r\n", true),
            ("0;$", "return 0;\n", true),
            ("0;$", "return 0;", true),
            ("^$", "\r\n", true),
            ("^$", "\n", true),
            ("0;.$", "return 0;\r\n", false),
            ("[^;]$", "return 0;\r\n", false),
            ("^.{9}$", "return 0;\r\n", true),
            ("(0|;)$", "return 0;\r\n", true),
            (r"0;\s*$", "return 0;\r\n", true),
            (r";\b$", "return 0;\r\n", false),
            (r"(?m)0;$", "return 0;\r\n", true),
        ] {
            let pattern_of = Pattern::new(pattern).unwrap();
            let mut found = false;
            let sink = grep_searcher::sinks::Bytes(|_, _| {
                found = true;
                Ok(true)
            });
            grep_searcher::Searcher::new().search_slice(pattern_of.matcher(), line.as_bytes(), sink).unwrap();
            assert_eq!(found, matches, "{pattern} {line:?}");
        }
    }
}
