//! Where the old text stands: exactly, or by whole lines with blanks or indentation forgiven.
//!
//! Each step is tried only when the one before found nothing, and each insists on a single place unless every
//! place was asked for.

use std::ops::Range;

use super::indent::Shift;

/// What is looked for, and where. All lines end in `\n`: see [`super::endings`].
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
    /// The text would grow beyond what is edited in memory.
    TooMuch,
}

impl Search<'_> {
    pub(super) fn run(&self) -> Result<Found, Miss> {
        let edits = self.exact()?;
        if !edits.is_empty() {
            return Ok(Found { how: How::Exact, edits });
        }
        let text: Vec<Line<'_>> = lines(self.text);
        for how in [How::TrailingBlanks, How::Indentation] {
            let edits = self.by_lines(&text, how)?;
            if !edits.is_empty() {
                return Ok(Found { how, edits });
            }
        }
        Err(Miss::Nowhere)
    }

    fn exact(&self) -> Result<Vec<Edit>, Miss> {
        let old = self.old;
        let Some(first) = self.text.find(old) else { return Ok(Vec::new()) };
        if !self.all {
            // From the next character on, so that two places that overlap count as two.
            let next = first + old.chars().next().map_or(1, char::len_utf8);
            if self.text[next..].contains(old) {
                let places = self.text.match_indices(old).map(|(at, _)| at);
                return Err(Miss::several(places));
            }
        }
        let mut edits = Edits::default();
        for (at, _) in self.text.match_indices(old) {
            edits.push(Edit { place: at..at + old.len(), new: self.new.to_owned() })?;
        }
        Ok(edits.list)
    }

    fn by_lines(&self, text: &[Line<'_>], how: How) -> Result<Vec<Edit>, Miss> {
        /// Comparisons, so that a hostile text ends as "not found" instead of taking hours.
        const MOST_COMPARISONS: usize = 5_000_000;
        let (old, whole) = self.old.strip_suffix('\n').map_or((self.old, false), |old| (old, true));
        let old: Vec<&str> = old.split('\n').collect();
        if old.iter().all(|line| line.trim().is_empty()) {
            return Ok(Vec::new());
        }
        let keys: Vec<&str> = text.iter().map(|line| how.key(line.text)).collect();
        let wanted: Vec<&str> = old.iter().map(|line| how.key(line)).collect();
        let mut budget = MOST_COMPARISONS;
        let mut edits = Edits::default();
        let mut at = 0;
        while let Some(window) = text.get(at..at + old.len()) {
            let same = keys[at..].iter().zip(&wanted).take_while(|(key, wanted)| key == wanted).count();
            at += 1;
            budget = budget.saturating_sub(same + 1);
            if budget == 0 {
                return Ok(Vec::new());
            }
            if same < old.len() {
                continue;
            }
            let Some(new) = how.fit(window, &old, self.new) else { continue };
            edits.push(edit(window, whole, new))?;
            if self.all {
                at += old.len() - 1;
            }
        }
        if edits.list.len() > 1 && !self.all {
            return Err(Miss::several(edits.list.iter().map(|edit| edit.place.start)));
        }
        Ok(edits.list)
    }
}

/// `whole`: the old text ends with the last line's newline.
fn edit(window: &[Line<'_>], whole: bool, mut new: String) -> Edit {
    let (first, last) = (&window[0], &window[window.len() - 1]);
    let end = last.start + last.text.len();
    if whole && last.next == end && new.ends_with('\n') {
        // At the end of a file that does not end in a newline it stays so.
        new.pop();
    }
    Edit { place: first.start..if whole { last.next } else { end }, new }
}

/// Edits, as many as memory can be spared for.
#[derive(Debug, Default)]
struct Edits {
    list: Vec<Edit>,
    bytes: usize,
}

impl Edits {
    fn push(&mut self, edit: Edit) -> Result<(), Miss> {
        /// Of new text, and of what it takes to remember where it goes.
        const MOST_BYTES: usize = 16 * 1024 * 1024;
        self.bytes += size_of::<Edit>() + edit.new.len();
        self.list.push(edit);
        if self.bytes > MOST_BYTES { Err(Miss::TooMuch) } else { Ok(()) }
    }
}

impl How {
    /// What of a line is compared.
    fn key(self, line: &str) -> &str {
        match self {
            How::Exact => line,
            How::TrailingBlanks => line.trim_end(),
            How::Indentation => line.trim(),
        }
    }

    /// The new text adapted to this window, or `None` if that is ambiguous.
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
        // Counting without overlap would find one if two overlap.
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

    fn run(text: &str, old: &str, new: &str, all: bool) -> Result<(How, String), Miss> {
        let found = Search { text, old, new, all }.run()?;
        Ok((found.how, super::super::apply(text, &found.edits)))
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
    fn growth_is_bounded() {
        let (text, new) = ("x".repeat(1 << 20), "y".repeat(1 << 20));
        assert!(matches!(run(&text, "x", &new, true), Err(Miss::TooMuch)));
    }

    #[test]
    fn hostile_repetition_ends() {
        let text = "x\n".repeat(200_000);
        let old = " x\n".repeat(20_000);
        assert!(matches!(run(&text, &old, "y", false), Err(Miss::Nowhere | Miss::Several(..))));
    }
}
