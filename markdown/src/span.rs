//! Styled text, and how it is wrapped.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::look::Look;

/// The style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a style of its own")]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) italic: bool,
    pub(crate) underlined: bool,
    pub(crate) struck: bool,
    pub(crate) colour: Option<Colour>,
}

/// A colour of the terminal's theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Magenta = 35,
    Cyan = 36,
}

impl Style {
    pub(crate) const DIM: Self = Self { dim: true, ..Self::PLAIN };
    pub(crate) const PLAIN: Self =
        Self { bold: false, dim: false, italic: false, underlined: false, struck: false, colour: None };

    fn codes(self) -> String {
        let flags = [(self.bold, 1), (self.dim, 2), (self.italic, 3), (self.underlined, 4), (self.struck, 9)];
        let mut codes: Vec<String> = flags.iter().filter(|(set, _)| *set).map(|(_, code)| code.to_string()).collect();
        codes.extend(self.colour.map(|colour| (colour as u8).to_string()));
        codes.join(";")
    }
}

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Span {
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Returns the number of columns of spans.
pub(crate) fn width(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.width()).sum()
}

/// Returns spans as text for the terminal.
pub(crate) fn paint(spans: &[Span], look: Look) -> String {
    let mut row = String::new();
    for span in spans {
        let codes = if look.styled { span.style.codes() } else { String::new() };
        if codes.is_empty() || span.text.is_empty() {
            row.push_str(&span.text);
        } else {
            row.extend(["\u{1b}[", &codes, "m", &span.text, "\u{1b}[0m"]);
        }
    }
    row
}

/// Wraps spans at line breaks, and into lines of at most `columns` columns: after a blank, or between letters of a script without blanks,
/// else within a word.
pub(crate) fn wrap(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let letters: Vec<(char, Style)> =
        spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.style))).collect();
    let mut lines = Vec::new();
    for line in letters.split(|(c, _)| *c == '\n') {
        let mut rest = line;
        loop {
            let (row, others) = rest.split_at(fitting(rest, columns.max(1)));
            lines.push(joined(row));
            if others.is_empty() {
                break;
            }
            rest = &others[others.iter().take_while(|(c, _)| *c == ' ').count()..];
            if rest.is_empty() {
                break;
            }
        }
    }
    lines
}

/// Returns how many letters the next row has.
fn fitting(letters: &[(char, Style)], columns: usize) -> usize {
    let mut used = 0;
    let fits = |(c, _): &&(char, Style)| {
        used += c.width().unwrap_or_default();
        used <= columns
    };
    let most = letters.iter().take_while(fits).count().max(1);
    if most >= letters.len() || letters[most].0 == ' ' {
        return most.min(letters.len());
    }
    let is_wide = |at: usize| letters[at].0.width() == Some(2);
    let can_end = |at: &usize| letters[at - 1].0 == ' ' || is_wide(*at) && is_wide(at - 1);
    (1..=most).rev().find(can_end).unwrap_or(most)
}

/// Joins letters of one style. Blanks at the end are left out.
fn joined(letters: &[(char, Style)]) -> Vec<Span> {
    let end = letters.iter().rposition(|(c, _)| *c != ' ').map_or(0, |at| at + 1);
    letters[..end]
        .chunk_by(|one, other| one.1 == other.1)
        .map(|run| Span::new(run.iter().map(|(c, _)| c).collect::<String>(), run[0].1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        wrap(&[Span::new(text, Style::PLAIN)], columns)
            .into_iter()
            .map(|line| line.into_iter().map(|span| span.text).collect())
            .collect()
    }

    #[test]
    fn text_is_wrapped_after_blanks_and_within_long_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("one two", 7), ["one two"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本語の文", 4), ["日本", "語の", "文"]);
        assert_eq!(wrapped("日", 1), ["日"]);
        assert_eq!(wrapped("word    ", 5), ["word"]);
    }

    #[test]
    fn a_style_continues_on_the_next_row() {
        let bold = Style { bold: true, ..Style::PLAIN };
        let rows = wrap(&[Span::new("a ", Style::PLAIN), Span::new("bb cc", bold)], 4);
        let painted: Vec<String> = rows.iter().map(|row| paint(row, Look { width: 9, styled: true })).collect();
        assert_eq!(painted, ["a \u{1b}[1mbb\u{1b}[0m", "\u{1b}[1mcc\u{1b}[0m"]);
    }
}
