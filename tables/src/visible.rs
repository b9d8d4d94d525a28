//! Makes control characters visible. A file name or a value can contain any character; printed as it is, it could move the cursor of
//! a terminal, or begin a line that a program reads as a command.

use std::borrow::Cow;

/// Returns whether a character must not be printed: a control character, a line separator, or a change of direction.
pub fn is_control(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces each control character, also a line break, by its escape: `\n`, `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_control(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown.into()
}

/// Replaces each control character except line breaks and tabs by a character of the same length in bytes.
pub fn visible_source(text: &str) -> Cow<'_, str> {
    let is_kept = |letter: char| letter == '\n' || letter == '\t' || !is_control(letter);
    if text.chars().all(is_kept) {
        return text.into();
    }
    let replacement = |letter: char| match letter.len_utf8() {
        _ if is_kept(letter) => letter,
        // The renderer has pictures for the control characters of ASCII.
        1 => letter,
        2 => '\u{b7}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(replacement).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left() {
        let all: String = (0..=0x2100).filter_map(char::from_u32).collect();
        assert!(!visible(&all).contains(is_control));
        let source = visible_source(&all);
        assert_eq!(source.len(), all.len());
        assert!(!source.contains(|letter| is_control(letter) && !letter.is_ascii()));
        assert_eq!(visible("a\n\u{1b}[31m\u{9b}b\u{2028}"), "a\\n\\u{1b}[31m\\u{9b}b\\u{2028}");
        assert!(matches!(visible("plain é"), Cow::Borrowed(_)));
    }
}
