//! Words as text, with placeholders for what is not certain.

use std::borrow::Cow;

use crate::characters::UNKNOWN;
use crate::span::Span;
use crate::syntax::{Origin, Part, Word};

/// Returns whether a part of a word stands for the home folder.
pub(super) fn is_home(part: &Part) -> bool {
    match part {
        Part::Tilde { user } => user.is_empty(),
        Part::Variable { name, operation: None, .. } => name == "HOME",
        _ => false,
    }
}

/// Returns the text of a word, with `~` for the home folder, and with [`UNKNOWN`] for other expansions.
pub(super) fn with_placeholders(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal { text: literal, .. } => text.push_str(literal),
            part if is_home(part) => text.push('~'),
            _ => text.push(UNKNOWN),
        }
    }
    text
}

/// Returns the text of a word, if it is certain, with `~` for the home folder.
pub(super) fn text_below_home(word: &Word) -> Option<Cow<'_, str>> {
    if !word.parts.iter().any(is_home) {
        return word.text();
    }
    let text = with_placeholders(word);
    (!text.contains(UNKNOWN)).then_some(Cow::Owned(text))
}

/// Returns a word for a text in which [`UNKNOWN`] stands for unknown parts.
pub(crate) fn with_unknown(text: &str, span: Span) -> Word {
    let mut parts = Vec::new();
    for (index, piece) in text.split(UNKNOWN).enumerate() {
        if index > 0 {
            parts.push(Part::Unknown { splits: false });
        }
        if !piece.is_empty() {
            parts.push(Part::Literal { text: piece.to_owned(), origin: Origin::Quoted });
        }
    }
    Word { parts, span }
}
