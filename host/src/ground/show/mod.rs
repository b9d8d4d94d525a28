//! Shows commands to a person: wrapped, with every character visible, and with highlighted parts.

mod calls;
mod glyphs;
mod layout;
mod reasons;
mod words;

use std::env;
use std::ops::Range;

pub(crate) use calls::{call, lines};
pub(crate) use glyphs::{one_line, visible_characters};
pub(crate) use layout::command;
pub(crate) use reasons::{Reason, reasons, sentence};
pub(crate) use words::running;

/// How a terminal, or another output, shows text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// The width in columns.
    pub(crate) width: usize,
    /// Whether text can be underlined and have a colour.
    pub(crate) styled: bool,
}

/// The width of output that is not a terminal.
const DEFAULT_WIDTH: usize = 100;

/// A part of a command that is highlighted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The bytes.
    pub(crate) bytes: Range<usize>,
    /// Whether letters that look like ASCII are shown with their code, as everywhere in words that are partly ASCII.
    pub(crate) disguised: bool,
}

/// What a piece of text means, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    #[default]
    Plain,
    /// A part that a finding is about.
    Marked,
    /// A character that is shown by its code.
    Code,
    /// What a person should read first.
    Strong,
}

impl Look {
    /// Returns the look of output to a terminal with this number of columns, or to something else.
    pub(crate) fn new(columns: Option<u16>) -> Self {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let width = columns.map_or(DEFAULT_WIDTH, usize::from).clamp(40, 200);
        Self { width, styled: columns.is_some() && !is_set("NO_COLOR") && !is_dumb }
    }

    /// Returns text in a style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let codes = match style {
            Style::Marked => "4;31",
            Style::Code => "7",
            Style::Strong => "1",
            Style::Plain => return text.to_owned(),
        };
        if self.styled && !text.is_empty() { format!("\u{1b}[{codes}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Returns alternatives as a sentence names them: `a, b or c`.
pub(crate) fn one_of(alternatives: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = alternatives.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}
