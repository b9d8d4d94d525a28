//! Where the old text stands: exactly, or by whole lines with blanks or indentation forgiven.
//!
//! Each step is tried only when the one before found nothing, and each insists on a single place unless every
//! place was asked for.

use std::ops::Range;

use super::indent::Shift;

/// What is looked for, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) text: &'a str,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// Every place instead of a single one.
    pub(super) all: bool,
}

/// What is to be changed, in the order of the text.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) how: How,
    pub(super) edits: Vec<Edit>,
}

/// One piece of the text and what comes in its place.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) new: String,
}

/// What was forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Exact,
    TrailingBlanks,
    Indentation,
}

impl How {
    pub(super) const fn word(self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::TrailingBlanks => "trailing blanks ignored",
            How::Indentation => "indentation adjusted",
        }
    }
}

/// Why there is nothing to change.
#[derive(Debug)]
pub(super) enum Miss {
    Nowhere,
    /// So many places, of which the first few begin at these bytes.
    Several(usize, Vec<usize>),
}

impl Search<'_> {
    pub(super) fn run(&self) -> Result<Found, Miss> {
        for old in self.spellings() {
            let edits = self.exact(&old)?;
            if !edits.is_empty() {
                return Ok(Found { how: How::Exact, edits });
            }
        }
        let text: Vec<Line<'_>> = lines(self.text);
        let old = lf(self.old);
        for how in [How::TrailingBlanks, How::Indentation] {
            let edits = self.by_lines(&text, &old, how)?;
            if !edits.is_empty() {
                return Ok(Found { how, edits });
            }
        }
        Err(Miss::Nowhere)
    }

    /// The old text with the line endings that the file may have. A model rarely sees which it has.
    fn spellings(&self) -> Vec<String> {
        let mut all = vec![self.old.to_owned(), lf(self.old)];
        if self.text.contains("\r\n") {
            all.push(lf(self.old).replace('\n', "\r\n"));
        }
        all.dedup();
        all
    }

    fn exact(&self, old: &str) -> Result<Vec<Edit>, Miss> {
        let Some(first) = self.text.find(old) else { return Ok(Vec::new()) };
        if !self.all {
            // From the next character on, so that two places that overlap count as two.
            let next = first + old.chars().next().map_or(1, char::len_utf8);
            if self.text[next..].contains(old) {
                let places = self.text.match_indices(old).map(|(at, _)| at);
                return Err(Miss::several(places));
            }
        }
        let places = self.text.match_indices(old).map(|(at, _)| at..at + old.len());
        Ok(places.map(|place| Edit { new: self.like_neighbours(self.new, &place), place }).collect())
    }

    fn by_lines(&self, text: &[Line<'_>], old: &str, how: How) -> Result<Vec<Edit>, Miss> {
        /// Comparisons, so that a hostile text ends as "not found" instead of taking hours.
        const MOST_COMPARISONS: usize = 5_000_000;
        let (old, whole) = old.strip_suffix('\n').map_or((old, false), |old| (old, true));
        let old: Vec<&str> = old.split('\n').collect();
        if old.iter().all(|line| line.trim().is_empty()) {
            return Ok(Vec::new());
        }
        let mut budget = MOST_COMPARISONS;
        let mut edits: Vec<Edit> = Vec::new();
        let mut at = 0;
        while let Some(window) = text.get(at..at + old.len()) {
            at += 1;
            let same = window.iter().zip(&old).take_while(|(line, old)| how.same(line.text, old)).count();
            budget = budget.saturating_sub(same + 1);
            if budget == 0 {
                return Ok(Vec::new());
            }
            if same < old.len() {
                continue;
            }
            let Some(new) = how.fit(window, &old, &lf(self.new)) else { continue };
            edits.push(self.edit(window, whole, &new));
            if self.all {
                at += old.len() - 1;
            }
        }
        if edits.len() > 1 && !self.all {
            return Err(Miss::several(edits.iter().map(|edit| edit.place.start)));
        }
        Ok(edits)
    }

    /// `whole`: the old text ends with the last line's ending.
    fn edit(&self, window: &[Line<'_>], whole: bool, new: &str) -> Edit {
        let (first, last) = (&window[0], &window[window.len() - 1]);
        let place = first.start..if whole { last.next } else { last.start + last.text.len() };
        // At the end of a file that does not end in a newline it stays so.
        let open_end = whole && last.next == last.start + last.text.len();
        let new = if open_end { new.strip_suffix('\n').unwrap_or(new) } else { new };
        Edit { new: self.like_neighbours(new, &place), place }
    }

    /// `new` with the line endings of the place it goes to, or else of the file.
    fn like_neighbours(&self, new: &str, place: &Range<usize>) -> String {
        match ending(&self.text[place.clone()])
            .or_else(|| ending(&self.text[place.start..]))
            .or_else(|| ending(self.text))
        {
            Some("\r\n") => lf(new).replace('\n', "\r\n"),
            Some(_) => lf(new),
            None => new.to_owned(),
        }
    }
}

impl How {
    fn same(self, line: &str, old: &str) -> bool {
        match self {
            How::Exact => line == old,
            How::TrailingBlanks => line.trim_end() == old.trim_end(),
            How::Indentation => line.trim() == old.trim(),
        }
    }

    /// The new text as it has to be at this window; `None` if it cannot be told.
    fn fit(self, window: &[Line<'_>], old: &[&str], new: &str) -> Option<String> {
        match self {
            How::Exact | How::TrailingBlanks => Some(new.to_owned()),
            How::Indentation => {
                Shift::between(old.iter().copied().zip(window.iter().map(|line| line.text)))?.apply(new)
            }
        }
    }
}

impl Miss {
    fn several(places: impl Iterator<Item = usize>) -> Self {
        const NAMED: usize = 5;
        let mut first = Vec::new();
        let count = places
            .inspect(|&at| {
                if first.len() < NAMED {
                    first.push(at);
                }
            })
            .count();
        // Two that overlap are one to whoever counts them without overlap.
        Self::Several(count.max(2), first)
    }
}

/// One line of the text: where it starts, what it says, where the next one starts.
#[derive(Debug)]
struct Line<'a> {
    start: usize,
    text: &'a str,
    next: usize,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let line = |line: &'_ str| {
        let this = start;
        start += line.len();
        (this, start)
    };
    let spans: Vec<_> = text.split_inclusive('\n').map(line).collect();
    spans
        .into_iter()
        .map(|(start, next)| {
            let line = &text[start..next];
            let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            Line { start, text: line, next }
        })
        .collect()
}

fn lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The first line ending in `text`.
fn ending(text: &str) -> Option<&'static str> {
    let at = text.find('\n')?;
    Some(if text[..at].ends_with('\r') { "\r\n" } else { "\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, old: &str, new: &str, all: bool) -> Result<(How, String), Miss> {
        let found = Search { text, old, new, all }.run()?;
        Ok((found.how, super::super::apply(text, &found)))
    }

    fn one(text: &str, old: &str, new: &str) -> (How, String) {
        run(text, old, new, false).unwrap()
    }

    #[test]
    fn exactly_once() {
        assert_eq!(one("a b c", "b", "x"), (How::Exact, "a x c".into()));
        assert_eq!(one("a\nb\nc\n", "a\nb\n", ""), (How::Exact, "c\n".into()));
        assert!(matches!(run("b b b", "b", "x", false), Err(Miss::Several(3, _))));
        assert!(matches!(run("aaa", "aa", "x", false), Err(Miss::Several(2, _))), "overlapping");
        assert_eq!(run("b b b", "b", "bb", true).unwrap(), (How::Exact, "bb bb bb".into()));
        assert!(matches!(run("a", "b", "x", true), Err(Miss::Nowhere)));
    }

    #[test]
    fn line_endings_are_the_files() {
        assert_eq!(one("a\r\nb\r\nc\r\n", "a\nb", "x\ny"), (How::Exact, "x\r\ny\r\nc\r\n".into()));
        assert_eq!(one("a\r\nb\r\n", "a", "x\ny"), (How::Exact, "x\r\ny\r\nb\r\n".into()));
        assert_eq!(one("a\nb\n", "a\r\nb", "x\r\ny"), (How::Exact, "x\ny\n".into()));
        assert_eq!(one("a\nb\r\nc\r\nd\n", "b\nc", "x\ny"), (How::Exact, "a\nx\r\ny\r\nd\n".into()), "mixed");
        assert_eq!(one("a\r\nb\nc\nd\n", "a\nb\nc", "x"), (How::TrailingBlanks, "x\nd\n".into()), "mixed within");
    }

    #[test]
    fn trailing_blanks_are_forgiven() {
        assert_eq!(one("  a  \n  b\nc\n", "  a\n  b \n", "  x\n"), (How::TrailingBlanks, "  x\nc\n".into()));
        assert_eq!(one("a \nb", "a\nb\n", "x\ny\n"), (How::TrailingBlanks, "x\ny".into()), "no newline at the end");
        assert!(matches!(run("a \nb\na  \nb\n", "a\nb", "x", false), Err(Miss::Several(2, _))));
        assert_eq!(run("a \nb\na  \nb\n", "a\nb", "x", true).unwrap().1, "x\nx\n");
    }

    #[test]
    fn indentation_is_forgiven_and_kept() {
        let text = "fn f() {\n        if x {\n            y();\n        }\n}\n";
        let old = "if x {\n    y();\n}\n";
        let new = "if x {\n    y();\n\n    z();\n}\n";
        let expected = "fn f() {\n        if x {\n            y();\n\n            z();\n        }\n}\n";
        assert_eq!(one(text, old, new), (How::Indentation, expected.into()));
        assert!(matches!(run("  a\nb\n", " a\n  b", "x", false), Err(Miss::Nowhere)), "no one shift fits");
        assert!(matches!(run("  a\n  b\n\n    a\n    b\n", " a\n b", "x", false), Err(Miss::Several(2, _))));
    }

    #[test]
    fn blank_old_text_matches_only_exactly() {
        assert!(matches!(run("a\n\t\nb\n", "\n \n", "x", false), Err(Miss::Nowhere)));
    }

    #[test]
    fn hostile_repetition_ends() {
        let text = "x\n".repeat(200_000);
        let old = " x\n".repeat(20_000);
        assert!(matches!(run(&text, &old, "y", false), Err(Miss::Nowhere | Miss::Several(..))));
    }
}
