//! A syntax error, explained.

use std::ops::{Deref, Range};

use super::characters;

/// A syntax error. Boxed, so that the results of the parser are small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) span: Range<usize>,
    /// What is wrong. Follows "invalid TOML: ".
    pub(super) message: String,
    pub(super) label: String,
    /// Other places that explain the error.
    pub(super) related: Vec<(Range<usize>, String)>,
    pub(super) help: Vec<String>,
    /// Where reading can continue, or `None` to continue at the next line that looks like a statement.
    pub(super) resume: Option<usize>,
}

impl Problem {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        let message = message.into();
        let label = String::new();
        Self(Box::new(Details { span, message, label, related: Vec::new(), help: Vec::new(), resume: None }))
    }

    /// Returns the problem of a place about which nothing else is known.
    pub(super) fn unexpected(text: &str, span: Range<usize>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let (end, what) = match text[start..].chars().next() {
            None => (start, "unexpected end of the file".to_owned()),
            Some('\n') => (start, "unexpected end of the line".to_owned()),
            Some(letter) => (start + letter.len_utf8(), format!("unexpected {}", characters::shown(letter))),
        };
        Self::new(start..end, what)
    }

    pub(super) fn details(self) -> Details {
        *self.0
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }

    pub(super) fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.0.related.push((span, label.into()));
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.push(help.into());
        self
    }

    pub(super) fn resume(mut self, at: usize) -> Self {
        self.0.resume = Some(at);
        self
    }
}

impl Deref for Problem {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

/// The result of reading a part of a file.
pub(super) type Read<T> = Result<T, Problem>;

/// Puts a part of the file in backticks. A long part is cut.
pub(super) fn quoted(text: &str) -> String {
    const MAX: usize = 40;
    let text = text.trim();
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// Writes a text as a TOML string, or returns `None` if that is too long for a message.
pub(super) fn string(text: &str) -> Option<String> {
    const MAX: usize = 100;
    if text.len() > MAX || text.contains(char::is_control) {
        return None;
    }
    Some(match (text.contains(['"', '\\']), text.contains('\'')) {
        (false, _) => format!("\"{text}\""),
        (true, false) => format!("'{text}'"),
        (true, true) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    })
}
