//! Makes every character of a text visible, so that none controls the terminal.

use std::collections::BTreeMap;
use std::ops::Range;

use toolc_commands::characters::{is_bidi_control, is_invisible, looks_like_ascii};
use unicode_width::UnicodeWidthChar as _;

use super::Mark;

/// The number of consecutive blanks from which a count is shown instead: many blanks can move the rest of the text out of sight.
const MANY_BLANKS: usize = 24;
/// The number of consecutive line breaks from which a count is shown instead.
const MANY_LINES: usize = 4;
/// The text that is shown for a tab.
const TAB: &str = "    ";

/// A character of a text, or several, as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glyph {
    /// The text that is shown. Empty for a line break.
    pub(crate) text: String,
    /// The width in columns.
    pub(crate) width: usize,
    /// Whether a placeholder such as `<U+001B>` is shown instead of the character itself.
    pub(crate) is_placeholder: bool,
    /// The range of bytes in the text.
    pub(crate) bytes: Range<usize>,
}

impl Glyph {
    /// Returns whether this is a line break.
    pub(crate) fn is_line_end(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether a line can be wrapped after this glyph.
    pub(crate) fn is_blank(&self) -> bool {
        !self.is_placeholder && self.text.trim().is_empty()
    }

    fn placeholder(text: String, bytes: Range<usize>) -> Self {
        Self { width: text.len(), text, is_placeholder: true, bytes }
    }
}

/// Splits a text into glyphs.
pub(crate) fn glyphs(text: &str, marks: &[Mark]) -> Vec<Glyph> {
    let disguised = disguised_words(text);
    let is_disguised = |at: usize| {
        disguised.iter().any(|word| word.contains(&at))
            || marks.iter().any(|mark| mark.disguised && mark.bytes.contains(&at))
    };
    let mut glyphs = Vec::new();
    let (mut at, mut previous) = (0, None);
    while let Some(c) = text[at..].chars().next() {
        if let Some((counted, length)) = counted_run(&text[at..]) {
            glyphs.push(Glyph::placeholder(counted, at..at + length));
            if c == '\n' {
                glyphs.push(Glyph {
                    text: String::new(),
                    width: 0,
                    is_placeholder: false,
                    bytes: at + length..at + length,
                });
            }
            at += length;
            previous = Some(' ');
            continue;
        }
        let bytes = at..at + c.len_utf8();
        match c {
            '\n' => glyphs.push(Glyph { text: String::new(), width: 0, is_placeholder: false, bytes: bytes.clone() }),
            '\t' => glyphs.push(Glyph {
                text: TAB.to_owned(),
                width: TAB.len(),
                is_placeholder: false,
                bytes: bytes.clone(),
            }),
            _ if is_hidden(c, previous) => glyphs.push(Glyph::placeholder(code(c), bytes.clone())),
            _ => {
                let width = c.width().unwrap_or_default();
                glyphs.push(Glyph { text: c.to_string(), width, is_placeholder: false, bytes: bytes.clone() });
                if looks_like_ascii(c) && is_disguised(at) {
                    glyphs.push(Glyph::placeholder(code(c), bytes.clone()));
                }
            }
        }
        previous = Some(c);
        at = bytes.end;
    }
    glyphs
}

/// Returns a text on one line, with every character visible.
pub(crate) fn one_line(text: &str) -> String {
    let texts =
        glyphs(text, &[]).into_iter().map(|glyph| if glyph.is_line_end() { "\u{23ce}".to_owned() } else { glyph.text });
    texts.collect()
}

/// Returns the placeholders of the escaped characters of a text, each with its meaning.
pub(crate) fn escaped_characters(text: &str, marks: &[Mark]) -> Vec<(String, &'static str)> {
    let mut found = BTreeMap::new();
    for glyph in glyphs(text, marks).iter().filter(|glyph| glyph.is_placeholder) {
        let mut chars = text[glyph.bytes.clone()].chars();
        let (Some(c), None) = (chars.next(), chars.next()) else { continue };
        found.insert(c, meaning(c));
    }
    found.into_iter().map(|(c, meaning)| (code(c), meaning)).collect()
}

/// Returns whether a character must be escaped.
fn is_hidden(c: char, previous: Option<char>) -> bool {
    let is_noncharacter = u32::from(c) & 0xFFFE == 0xFFFE || ('\u{FDD0}'..='\u{FDEF}').contains(&c);
    is_invisible(c, previous) || is_noncharacter || c.is_whitespace() && c != ' '
}

fn code(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

fn meaning(c: char) -> &'static str {
    match c {
        _ if is_bidi_control(c) => "changes the direction in which text is shown",
        '\u{1b}' => "begins a command for the terminal",
        '\r' => "moves the cursor to the beginning of the line",
        '\u{8}' => "moves the cursor back",
        _ if c.is_control() => "is a control character",
        _ if looks_like_ascii(c) => "looks like another letter",
        _ if c.is_whitespace() => "looks like a space, but does not separate words",
        _ => "is invisible",
    }
}

/// Returns the placeholder and the length of many blanks or line breaks at the beginning of a text.
fn counted_run(text: &str) -> Option<(String, usize)> {
    let length = |is_one: fn(char) -> bool| text.len() - text.trim_start_matches(is_one).len();
    let (blanks, lines) = (length(|c| matches!(c, ' ' | '\t')), length(|c| c == '\n'));
    match (blanks, lines) {
        (MANY_BLANKS.., _) => Some((format!("<{blanks} blanks>"), blanks)),
        (_, MANY_LINES..) => Some((format!("<{lines} line breaks>"), lines)),
        _ => None,
    }
}

/// Returns the words that mix ASCII letters with similar letters of other scripts. Letters with accents, as in `café`, do not count as
/// similar.
fn disguised_words(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut start = 0;
    for part in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let has_ascii = part.contains(|c: char| c.is_ascii_alphabetic());
        let has_accent = |c: char| matches!(c, '\u{C0}'..='\u{FF}' | '\u{1EA0}'..='\u{1EFF}');
        if has_ascii && part.contains(|c: char| looks_like_ascii(c) && !has_accent(c)) {
            words.push(start..start + part.len());
        }
        start += part.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_characters_are_shown_by_their_code() {
        for (text, shown) in [
            ("rm \u{1b}[2K\r\u{8}x", "rm <U+001B>[2K<U+000D><U+0008>x"),
            ("a\u{202e}b\u{2066}", "a<U+202E>b<U+2066>"),
            ("r\u{200b}m\u{feff} \u{ad}", "r<U+200B>m<U+FEFF> <U+00AD>"),
            ("a\u{a0}b\u{2003}c\u{85}\u{2028}", "a<U+00A0>b<U+2003>c<U+0085><U+2028>"),
            ("\u{e0041}\u{fdd0}\u{10ffff}", "<U+E0041><U+FDD0><U+10FFFF>"),
            ("s\u{443}do", "s\u{443}<U+0443>do"),
            ("\u{ff52}m", "\u{ff52}<U+FF52>m"),
            // Text of people in their own script and with accents stays readable.
            (
                "git commit -m 'caf\u{e9} \u{43f}\u{440}\u{43e}\u{431}\u{430} \u{6784}\u{5efa}'",
                "git commit -m 'caf\u{e9} \u{43f}\u{440}\u{43e}\u{431}\u{430} \u{6784}\u{5efa}'",
            ),
            ("\u{2714}\u{fe0f} a\tb\nc", "\u{2714}\u{fe0f} a    b\u{23ce}c"),
        ] {
            assert_eq!(one_line(text), shown, "{text:?}");
        }
    }

    #[test]
    fn no_text_reaches_the_terminal_as_a_control_sequence() {
        let all: String = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
        let shown = one_line(&all);
        assert!(!shown.contains(|c: char| c.is_control() || is_bidi_control(c)));
    }

    #[test]
    fn a_name_that_is_marked_as_disguised_shows_its_codes_without_ascii_letters() {
        let text = "\u{440}\u{441} x";
        let mark = Mark { bytes: 0..4, disguised: true };
        let shown: String = glyphs(text, &[mark]).into_iter().map(|glyph| glyph.text).collect();
        assert_eq!(shown, "\u{440}<U+0440>\u{441}<U+0441> x");
        assert_eq!(one_line(text), text);
    }

    #[test]
    fn many_blanks_and_lines_cannot_move_the_rest_out_of_sight() {
        let text = format!("ls{}; rm -rf x{}end", " ".repeat(500), "\n".repeat(50));
        assert_eq!(one_line(&text), "ls<500 blanks>; rm -rf x<50 line breaks>\u{23ce}end");
    }

    #[test]
    fn each_hidden_character_is_explained_once() {
        let found = escaped_characters("a\u{202e}b\u{202e}\u{200b}\u{1b}", &[]);
        assert_eq!(
            found,
            [
                ("<U+001B>".to_owned(), "begins a command for the terminal"),
                ("<U+200B>".to_owned(), "is invisible"),
                ("<U+202E>".to_owned(), "changes the direction in which text is shown"),
            ]
        );
    }
}
