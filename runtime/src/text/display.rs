//! Escaping and truncating untrusted text for display.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use crate::text::invisible::is_invisible;

/// The maximum length of a displayed tool name, in characters. A model may have made the name up, so it can have any length.
const MAX_NAME_CHARS: usize = 64;

/// Returns at most the first `max` characters of a text. If it has more, `…` follows.
///
/// ```
/// assert_eq!(toolc::text::beginning("größer", 4), "größ…");
/// assert_eq!(toolc::text::beginning("groß", 4), "groß");
/// ```
pub fn beginning(text: &str, max: usize) -> Cow<'_, str> {
    text.char_indices().nth(max).map_or(Cow::Borrowed(text), |(end, _)| format!("{}…", &text[..end]).into())
}

/// Returns a text without its middle if it has more than `max` characters: a line says how many are left out.
///
/// ```
/// assert_eq!(toolc::text::without_middle("größer", 4), "gr\n[2 characters are left out]\ner");
/// assert_eq!(toolc::text::without_middle("groß", 4), "groß");
/// ```
pub fn without_middle(text: &str, max: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= max {
        return text.into();
    }
    let half = max / 2;
    let place = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..place(half)], &text[place(count - half)..]);
    format!("{head}\n[{} characters are left out]\n{tail}", count - 2 * half).into()
}

/// Returns a name, truncated to 64 characters.
pub(crate) fn short_name(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

/// A text on one line, without hidden content: characters that control a terminal, are invisible, or change the
/// direction of text are escaped.
pub(crate) struct EscapedText<'a>(pub(crate) &'a str);

impl fmt::Display for EscapedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| write_escaped(f, letter))
    }
}

/// A text, truncated to a number of characters, and [escaped](EscapedText).
pub(crate) struct Truncated<'a>(pub(crate) &'a str, pub(crate) usize);

impl fmt::Display for Truncated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.0.chars();
        letters.by_ref().take(self.1).try_for_each(|letter| write_escaped(f, letter))?;
        if letters.next().is_some() { f.write_char('…') } else { Ok(()) }
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, letter: char) -> fmt::Result {
    let ends_a_line = matches!(letter, '\u{2028}' | '\u{2029}');
    if letter.is_control() || ends_a_line || is_invisible(letter) {
        write!(f, "{}", letter.escape_default())
    } else {
        f.write_char(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        let text = "rm \u{1b}[2K\u{9b}1A\u{7f}\r\n \u{202e}fdp\u{200b}\u{2028} größe";
        let shown = r"rm \u{1b}[2K\u{9b}1A\u{7f}\r\n \u{202e}fdp\u{200b}\u{2028} größe";
        assert_eq!(EscapedText(text).to_string(), shown);
    }

    #[test]
    fn truncated_text_ends_with_an_ellipsis() {
        assert_eq!(Truncated("größer", 4).to_string(), "größ…");
        assert_eq!(Truncated("groß", 4).to_string(), "groß");
        assert_eq!(Truncated("", 0).to_string(), "");
    }
}
