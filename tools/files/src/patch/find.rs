//! Finds the old text: first exactly, then by whole lines that differ only in trailing blanks, and then only in indentation.
//!
//! A less exact comparison is tried only if the previous one finds nothing. The old text must be unique, unless all occurrences are
//! requested.

use std::ops::Range;

use super::indent::{IndentRule, IndentUnit};

/// A search for the old text. All lines end in `\n`: see [`super::endings`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) text: &'a str,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// Whether to replace every occurrence. Otherwise there must be exactly one.
    pub(super) all: bool,
}

/// The edits of a successful search, in the order of the text.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) comparison: Comparison,
    pub(super) edits: Vec<Edit>,
}

/// The replacement of one range of the text.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) new: String,
}

/// The comparison by which the old text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Comparison {
    Exact,
    TrailingBlanks,
    Indentation,
}

impl Comparison {
    /// Returns the description for the result of the tool.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Comparison::Exact => "exact",
            Comparison::TrailingBlanks => "trailing blanks ignored",
            Comparison::Indentation => "indentation adjusted",
        }
    }
}

/// The reason why a search failed.
#[derive(Debug)]
pub(super) enum Failure {
    NotFound,
    /// The old text is not unique.
    NotUnique {
        count: usize,
        /// The byte positions of the first occurrences.
        first: Vec<usize>,
    },
    /// The edits exceed the memory limit.
    TooLarge,
}

impl Search<'_> {
    pub(super) fn run(&self) -> Result<Matches, Failure> {
        let edits = self.exact()?;
        if !edits.is_empty() {
            return Ok(Matches { comparison: Comparison::Exact, edits });
        }
        let text: Vec<Line<'_>> = lines(self.text);
        for comparison in [Comparison::TrailingBlanks, Comparison::Indentation] {
            let edits = self.by_lines(&text, comparison)?;
            if !edits.is_empty() {
                return Ok(Matches { comparison, edits });
            }
        }
        Err(Failure::NotFound)
    }

    /// Finds exact occurrences.
    fn exact(&self) -> Result<Vec<Edit>, Failure> {
        let old = self.old;
        let Some(first) = self.text.find(old) else { return Ok(Vec::new()) };
        if !self.all {
            // Search from the next character on, so that overlapping occurrences count as two.
            let next = first + old.chars().next().map_or(1, char::len_utf8);
            if self.text[next..].contains(old) {
                return Err(Failure::not_unique(self.text.match_indices(old).map(|(at, _)| at)));
            }
        }
        let mut edits = Edits::default();
        for (at, _) in self.text.match_indices(old) {
            edits.push(Edit { range: at..at + old.len(), new: self.new.to_owned() })?;
        }
        Ok(edits.list)
    }

    /// Finds occurrences as whole lines. Returns no edits if this takes too many comparisons.
    fn by_lines(&self, text: &[Line<'_>], comparison: Comparison) -> Result<Vec<Edit>, Failure> {
        /// The limit bounds the time for repetitive texts, for which the search is quadratic.
        const MAX_COMPARISONS: usize = 5_000_000;
        let ends_with_newline = self.old.ends_with('\n');
        let old: Vec<&str> = self.old.strip_suffix('\n').unwrap_or(self.old).split('\n').collect();
        if old.iter().all(|line| line.trim().is_empty()) {
            return Ok(Vec::new());
        }
        let unit = IndentUnit::of_file(self.text);
        let mut edits = Edits::default();
        let mut next = 0;
        let mut budget = MAX_COMPARISONS;
        let keys = comparison.keys(text);
        let old_keys: Vec<_> = old.iter().map(|line| comparison.key(line)).collect();
        for at in occurrences(&keys, &old_keys, &mut budget).unwrap_or_default() {
            let window = &text[at..at + old.len()];
            // All occurrences are replaced, so they must not overlap.
            if self.all && at < next {
                continue;
            }
            let Some(new) = comparison.adapt(window, &old, self.new, unit) else { continue };
            edits.push(edit(window, ends_with_newline, new))?;
            next = at + old.len();
        }
        if edits.list.len() > 1 && !self.all {
            return Err(Failure::not_unique(edits.list.iter().map(|edit| edit.range.start)));
        }
        Ok(edits.list)
    }
}

/// Returns the indexes in `keys` at which the sequence `old_keys` occurs. Occurrences may overlap. Keys are the parts of lines that are
/// compared. Returns `None` if the search takes more comparisons than `budget`.
pub(super) fn occurrences(keys: &[&str], old_keys: &[&str], budget: &mut usize) -> Option<Vec<usize>> {
    let mut occurrences = Vec::new();
    for (at, window) in keys.windows(old_keys.len().max(1)).enumerate() {
        let equal = window.iter().zip(old_keys).take_while(|(key, old)| key == old).count();
        *budget = budget.checked_sub(equal + 1)?;
        if equal == old_keys.len() {
            occurrences.push(at);
        }
    }
    Some(occurrences)
}

/// Returns the edit that replaces the lines of `window`. If `with_newline`, the newline of the last line is replaced, too.
fn edit(window: &[Line<'_>], with_newline: bool, mut new: String) -> Edit {
    let (first, last) = (&window[0], &window[window.len() - 1]);
    let end = last.start + last.text.len();
    if with_newline && last.next == end && new.ends_with('\n') {
        // The file does not end with a newline, and should not after the edit.
        new.pop();
    }
    Edit { range: first.start..if with_newline { last.next } else { end }, new }
}

/// A list of edits with a limit on its memory.
#[derive(Debug, Default)]
struct Edits {
    list: Vec<Edit>,
    bytes: usize,
}

impl Edits {
    fn push(&mut self, edit: Edit) -> Result<(), Failure> {
        /// For the new text and the list itself.
        const MAX_BYTES: usize = 16 * 1024 * 1024;
        self.bytes += size_of::<Edit>() + edit.new.len();
        self.list.push(edit);
        if self.bytes > MAX_BYTES { Err(Failure::TooLarge) } else { Ok(()) }
    }
}

impl Comparison {
    /// Returns the parts of the lines that are compared.
    pub(super) fn keys<'a>(self, text: &[Line<'a>]) -> Vec<&'a str> {
        text.iter().map(|line| self.key(line.text)).collect()
    }

    /// Returns the part of a line that is compared.
    pub(super) fn key(self, line: &str) -> &str {
        match self {
            Comparison::Exact => line,
            Comparison::TrailingBlanks => line.trim_end(),
            Comparison::Indentation => line.trim(),
        }
    }

    /// Returns the new text with the indentation of `window`, or `None` if no single rule fits the indentation of its lines. `unit` is the
    /// indentation unit of the file.
    pub(super) fn adapt(
        self,
        window: &[Line<'_>],
        old: &[&str],
        new: &str,
        unit: Option<IndentUnit>,
    ) -> Option<String> {
        match self {
            Comparison::Exact | Comparison::TrailingBlanks => Some(new.to_owned()),
            Comparison::Indentation => {
                IndentRule::adapt(old.iter().copied().zip(window.iter().map(|line| line.text)), new, unit)
            }
        }
    }
}

impl Failure {
    fn not_unique(positions: impl Iterator<Item = usize>) -> Self {
        const MAX_POSITIONS: usize = 5;
        let mut first = Vec::new();
        let mut count = 0;
        for at in positions {
            count += 1;
            if first.len() < MAX_POSITIONS {
                first.push(at);
            }
        }
        // `match_indices` counts overlapping occurrences as one, so the count is at least 2.
        Self::NotUnique { count: count.max(2), first }
    }
}

/// One line of the text.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) start: usize,
    /// The line without its newline.
    pub(super) text: &'a str,
    /// The start of the next line.
    next: usize,
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut next = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let start = next;
            next += line.len();
            Line { start, text: line.strip_suffix('\n').unwrap_or(line), next }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, old: &str, new: &str, all: bool) -> Result<(Comparison, String), Failure> {
        let found = Search { text, old, new, all }.run()?;
        Ok((found.comparison, super::super::apply(text, &found.edits)))
    }

    fn replace(text: &str, old: &str, new: &str) -> (Comparison, String) {
        run(text, old, new, false).unwrap()
    }

    #[test]
    fn an_exact_occurrence_must_be_unique() {
        assert_eq!(replace("a b c", "b", "x"), (Comparison::Exact, "a x c".into()));
        assert_eq!(replace("a\nb\nc\n", "a\nb\n", ""), (Comparison::Exact, "c\n".into()));
        assert!(matches!(run("b b b", "b", "x", false), Err(Failure::NotUnique { count: 3, .. })));
        assert!(matches!(run("aaa", "aa", "x", false), Err(Failure::NotUnique { count: 2, .. })), "overlapping");
        assert_eq!(run("b b b", "b", "bb", true).unwrap(), (Comparison::Exact, "bb bb bb".into()));
        assert!(matches!(run("a", "b", "x", true), Err(Failure::NotFound)));
    }

    #[test]
    fn trailing_blanks_are_ignored() {
        assert_eq!(replace("  a  \n  b\nc\n", "  a\n  b \n", "  x\n"), (Comparison::TrailingBlanks, "  x\nc\n".into()));
        assert_eq!(
            replace("a \nb", "a\nb\n", "x\ny\n"),
            (Comparison::TrailingBlanks, "x\ny".into()),
            "no newline at the end"
        );
        assert!(matches!(run("a \nb\na  \nb\n", "a\nb", "x", false), Err(Failure::NotUnique { count: 2, .. })));
        assert_eq!(run("a \nb\na  \nb\n", "a\nb", "x", true).unwrap().1, "x\nx\n");
    }

    #[test]
    fn indentation_is_ignored_in_the_search_and_kept_in_the_result() {
        let text = "fn f() {\n        if x {\n            y();\n        }\n}\n";
        let old = "if x {\n    y();\n}\n";
        let new = "if x {\n    y();\n\n    z();\n}\n";
        let expected = "fn f() {\n        if x {\n            y();\n\n            z();\n        }\n}\n";
        assert_eq!(replace(text, old, new), (Comparison::Indentation, expected.into()));
        assert!(
            matches!(run("  a\nb\n", " a\n  b", "x", false), Err(Failure::NotFound)),
            "no single rule for both lines"
        );
        assert!(matches!(
            run("  a\n  b\n\n    a\n    b\n", " a\n b", "x", false),
            Err(Failure::NotUnique { count: 2, .. })
        ));
    }

    #[test]
    fn a_blank_text_is_found_only_exactly() {
        assert!(matches!(run("a\n\t\nb\n", "\n \n", "x", false), Err(Failure::NotFound)));
    }

    #[test]
    fn edits_beyond_the_memory_limit_are_refused() {
        let (text, new) = ("x".repeat(1 << 20), "y".repeat(1 << 20));
        assert!(matches!(run(&text, "x", &new, true), Err(Failure::TooLarge)));
    }

    #[test]
    fn a_search_in_a_repetitive_text_ends() {
        let text = "x\n".repeat(200_000);
        let old = " x\n".repeat(20_000);
        assert!(matches!(run(&text, &old, "y", false), Err(Failure::NotFound | Failure::NotUnique { .. })));
    }
}
