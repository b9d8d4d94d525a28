//! Places of a text as lines and columns, and excerpts in which everything is visible.

use std::ops::Range;

use crate::report::MAX_EXCERPT;

/// The starts of the lines of a text.
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        Self { starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect() }
    }

    /// Returns the line and the column of a byte, both from 1.
    pub(crate) fn position(&self, text: &str, at: usize) -> (usize, usize) {
        let at = text.floor_char_boundary(at.min(text.len()));
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        // A long line is not counted again for each of its findings.
        let from = text.floor_char_boundary(start.max(at.saturating_sub(MAX_COUNTED)));
        (line, from - start + text[from..at].chars().count() + 1)
    }
}

/// The maximum number of bytes of a line that are counted as characters.
const MAX_COUNTED: usize = 4096;

/// Returns a part of a text on one line, with escapes for what is not visible.
pub(crate) fn excerpt(text: &str, range: Range<usize>) -> String {
    let (start, end) = (text.floor_char_boundary(range.start), text.ceil_char_boundary(range.end.min(text.len())));
    visible(text.get(start..end.max(start)).unwrap_or_default())
}

/// Returns a text on one line, with escapes for what is not visible, and at most [`MAX_EXCERPT`] characters.
pub(crate) fn visible(text: &str) -> String {
    let part = &text[..text.floor_char_boundary(MAX_EXCERPT * 4)];
    let hidden: Vec<usize> = toolc_scan::hidden_characters(part).into_iter().map(|(at, _)| at).collect();
    let (mut shown, mut count, mut after_space) = (String::new(), 0, true);
    for (at, letter) in part.char_indices() {
        if count >= MAX_EXCERPT {
            shown.push('…');
            break;
        }
        if letter.is_whitespace() && hidden.binary_search(&at).is_err() {
            if !after_space {
                shown.push(' ');
                count += 1;
            }
            after_space = true;
            continue;
        }
        after_space = false;
        if hidden.binary_search(&at).is_ok() || letter.is_control() {
            let escaped = format!("\\u{{{:x}}}", u32::from(letter));
            count += escaped.len();
            shown.push_str(&escaped);
        } else {
            shown.push(letter);
            count += 1;
        }
    }
    shown.trim_end().to_owned()
}

/// Returns whether a name has Latin letters, and all its others look like Latin ones.
pub(crate) fn looks_latin(name: &str) -> bool {
    // Cyrillic, Greek and Armenian letters, as they look in usual fonts.
    const TWINS: &str = "аеорсухіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅԌοΑΒΕΖΗΙΚΜΝΟΡΤΥΧսօ";
    let is_wide = |letter: char| matches!(letter, '\u{ff21}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}');
    let mut others = name.chars().filter(|letter| !letter.is_ascii()).peekable();
    others.peek().is_some()
        && others.all(|letter| TWINS.contains(letter) || is_wide(letter))
        && name.chars().filter(char::is_ascii_alphabetic).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_what_is_invisible() {
        assert_eq!(visible("a\u{200b}b\n  c"), "a\\u{200b}b c");
        assert!(visible(&"x".repeat(1000)).chars().count() <= MAX_EXCERPT + 1);
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "one\nzwölf x";
        assert_eq!(Lines::new(text).position(text, text.len() - 1), (2, 7));
    }
}
