//! The builder of words.

use super::cursor::is_name;
use crate::characters::UNKNOWN;
use crate::span::Span;
use crate::syntax::word::{Glob, Origin, Part, Word};

/// Collects the parts of a word.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) parts: Vec<Part>,
    pub(super) text: String,
    pub(super) origin: Origin,
    /// The indexes of the parts that are a `{`, `,` or `}` of a brace expansion.
    pub(super) braces: Vec<usize>,
    /// The index of the part that is the `[` of a pattern.
    pub(super) bracket: Option<usize>,
    /// Whether there are quotes, so that the word exists even if it is empty.
    quoted: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            text: String::new(),
            origin: Origin::Plain,
            braces: Vec::new(),
            bracket: None,
            quoted: false,
        }
    }
}

impl Builder {
    pub(super) fn push(&mut self, c: char, origin: Origin) {
        self.switch(origin);
        self.text.push(c);
    }

    pub(super) fn push_str(&mut self, text: &str, origin: Origin) {
        self.switch(origin);
        self.text.push_str(text);
    }

    /// Adds text that can contain unknown text.
    pub(super) fn push_text(&mut self, text: &str, origin: Origin) {
        self.quoted |= origin == Origin::Quoted;
        if text.is_ascii() || !text.contains(UNKNOWN) {
            return self.push_str(text, origin);
        }
        for (index, piece) in text.split(UNKNOWN).enumerate() {
            if index > 0 {
                self.push_part(Part::Unknown { splits: false });
            }
            self.push_str(piece, origin);
        }
    }

    /// Records that the word has quotes.
    pub(super) fn touch_quoted(&mut self) {
        self.quoted = true;
    }

    pub(super) fn push_part(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    /// Adds a sign as a separate part, and returns its index.
    pub(super) fn mark(&mut self, sign: char) -> usize {
        self.push_part(Part::Literal { text: sign.to_string(), origin: Origin::Plain });
        self.parts.len() - 1
    }

    fn switch(&mut self, origin: Origin) {
        if origin != self.origin {
            self.flush();
            self.origin = origin;
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(Part::Literal { text: std::mem::take(&mut self.text), origin: self.origin });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.text.is_empty() && !self.quoted
    }

    /// Returns whether the word so far is `NAME=`, after which `~` is expanded.
    pub(super) fn is_assignment_prefix(&self) -> bool {
        let name = self.text.strip_suffix('=');
        self.parts.is_empty()
            && self.origin == Origin::Plain
            && name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_name))
    }

    /// Ends a pattern of brackets.
    pub(super) fn close_bracket(&mut self) {
        let Some(open) = self.bracket.take() else { return self.push(']', Origin::Plain) };
        self.flush();
        let inside = &self.parts[open + 1..];
        let text: Option<String> = inside
            .iter()
            .map(|part| match part {
                Part::Literal { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        // With expansions inside, the parts stay, so that their commands are found.
        let is_text = text.is_some() && self.braces.last().is_none_or(|brace| *brace < open);
        let class = Part::Glob(Glob::Class(text.unwrap_or_default()));
        if is_text {
            self.parts.truncate(open);
            self.parts.push(class);
        } else {
            self.parts[open] = class;
            self.push(']', Origin::Plain);
        }
    }

    pub(super) fn finish(mut self, span: Span) -> Word {
        // Most words have one part.
        if self.parts.is_empty() {
            self.parts.reserve_exact(1);
        }
        self.flush();
        if self.parts.is_empty() && self.quoted {
            self.parts.push(Part::Literal { text: String::new(), origin: Origin::Quoted });
        }
        Word { parts: self.parts, span }
    }
}
