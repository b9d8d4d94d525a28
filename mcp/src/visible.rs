//! Texts of servers for a terminal.

use std::borrow::Cow;

/// Returns a text in which every character that controls a terminal is visible. Its lines stay.
pub(crate) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\n' => visible.push(c),
            '\t' => visible.push(' '),
            c if c.is_control() => visible.extend(c.escape_debug()),
            c => visible.push(c),
        }
    }
    visible
}

/// Returns the first characters of a text, on one line.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let beginning: String = text.chars().take(max).collect();
    visible(&beginning).replace('\n', " ")
}

/// Returns the beginning of a text, without the word in which it is cut after `max` characters: a part of a secret is not recognised as
/// one. A text without any other word is cut within it.
pub(crate) fn whole_beginning(text: &str, max: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(max) else { return text.into() };
    let is_between = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    let whole = text[..end].rfind(is_between).map_or(&text[..end], |end| &text[..end]);
    format!("{whole}…").into()
}
