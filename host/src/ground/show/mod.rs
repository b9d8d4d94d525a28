//! Text for a person: commands are wrapped, every character is visible, and parts are highlighted.

mod calls;
mod fitted;
mod glyphs;
mod layout;
mod reasons;
mod words;

use std::env;
use std::ops::Range;

use serde_json::Value;
use toolc::text::beginning;

pub(crate) use calls::{call, lines};
pub(crate) use fitted::{answer, choices, fitted, width};
pub(crate) use glyphs::{escaped_characters, one_line};
pub(crate) use layout::command;
pub(crate) use reasons::{judged_line, reasons};
pub(crate) use toolc_cli::visible;
pub(crate) use words::command_text;

/// Returns a count with its noun: `1 line`, `2 lines`.
pub(crate) fn counted<N: Copy + std::fmt::Display + TryInto<u64>>(count: N, noun: &str) -> String {
    let is_one = matches!(count.try_into(), Ok(1));
    format!("{count} {noun}{}", if is_one { "" } else { "s" })
}

/// Returns the first sentence of a text, on one line.
pub(crate) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let text = one_line(&paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}

/// Wraps a line after blanks, so that no row is wider than the output. All rows but the first begin with `indent` blanks, and the first `indent`
/// characters stay together.
pub(crate) fn wrapped(line: &str, indent: usize, look: Look) -> String {
    let columns = look.width.saturating_sub(indent + 1);
    let start = line.char_indices().nth(indent).map_or(line.len(), |(at, _)| at);
    let (first, rest) = line.split_at(start);
    let rows: Vec<String> =
        toolc_markdown::wrapped(rest, columns).iter().map(|row| row.trim_end().to_owned()).collect();
    first.to_owned() + &rows.join(&format!("\n{}", " ".repeat(indent)))
}

/// The width and the styles of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// The width in columns.
    pub(crate) width: usize,
    /// Whether the output supports underlined and coloured text.
    pub(crate) styled: bool,
}

/// The width of output that is not a terminal.
const DEFAULT_WIDTH: usize = 100;

/// A highlighted part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The range of bytes in the command.
    pub(crate) bytes: Range<usize>,
    /// Whether the codes of letters that look like ASCII are shown. In words that also have ASCII letters, they are always shown.
    pub(crate) disguised: bool,
}

/// The meaning of a piece of text, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    #[default]
    Plain,
    /// A part that a finding is about.
    Marked,
    /// A character that is shown by its code.
    Code,
    /// The part that a person should read first.
    Strong,
    /// What a person may skip.
    Faint,
}

impl Look {
    /// Returns the look of a terminal with this number of columns, or with `None`, of a file or a pipe.
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
            Style::Faint => "2",
            Style::Plain => return text.to_owned(),
        };
        if self.styled && !text.is_empty() { format!("\u{1b}[{codes}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Describes how a call has failed, by the kind of its error.
pub(crate) fn outcome(kind: &str) -> String {
    if kind == "failed" { kind.to_owned() } else { format!("failed: {kind}") }
}

/// The maximum length of the reason of a failed call, in characters.
const MAX_REASON: usize = 300;

/// Describes on one line how a call has failed: the kind of its error, and the reason in its result.
pub(crate) fn failure(kind: &str, result: &str) -> String {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let error = result["error"].as_str().unwrap_or_default();
    let reason = error.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let outcome = outcome(kind);
    if reason.is_empty() { outcome } else { format!("{outcome}: {}", one_line(&beginning(&reason, MAX_REASON))) }
}

/// Joins alternatives for a sentence: `a, b or c`.
pub(crate) fn one_of(alternatives: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = alternatives.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_with_its_reason() {
        assert_eq!(failure("refused", r#"{"error":"it is\n  a link\u001b"}"#), "failed: refused: it is a link<U+001B>");
        assert_eq!(failure("failed", r#"{"error":"exit 1"}"#), "failed: exit 1");
        for other in ["", "[]", r#"{"error":5}"#] {
            assert_eq!(failure("not_found", other), "failed: not_found");
        }
        assert!(failure("failed", &serde_json::json!({ "error": "x".repeat(1_000) }).to_string()).len() < 320);
    }
}
