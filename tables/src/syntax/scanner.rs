//! A position in a text, and what can be seen from there.

use std::ops::Range;

use super::characters::{self, is_control};
use super::problem::{Problem, Read};

/// The maximum nesting of values, and of keys, as in the crate `toml`.
pub(super) const MAX_DEPTH: usize = 80;

/// A key: its parts, each with its place.
pub(super) type Path = Vec<(String, Range<usize>)>;

/// A position in a text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'s> {
    pub(super) text: &'s str,
    pub(super) at: usize,
    /// The opening brackets around the position.
    pub(super) open: Vec<usize>,
    /// The beginning of the current statement.
    pub(super) start: usize,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self::at(text, if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
    }

    /// Returns a scanner at a position outside all brackets.
    pub(super) fn at(text: &'s str, at: usize) -> Self {
        Self { text, at, open: Vec::new(), start: at }
    }

    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns the rest of the line.
    pub(super) fn line(&self) -> &'s str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    /// Returns the span of the next character.
    pub(super) fn here(&self) -> Range<usize> {
        self.at..self.at + self.peek().filter(|letter| *letter != '\n').map_or(0, char::len_utf8)
    }

    /// Moves past the letters that fit, and returns their span.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> Range<usize> {
        let rest = self.rest();
        let start = self.at;
        self.at += rest.find(|letter| !fits(letter)).unwrap_or(rest.len());
        start..self.at
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(|letter| letter == ' ' || letter == '\t');
    }

    /// Skips white space, line breaks and comments.
    pub(super) fn skip_blank(&mut self) -> Read<()> {
        loop {
            self.take_while(|letter| matches!(letter, ' ' | '\t' | '\n'));
            if self.peek() != Some('#') {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    pub(super) fn skip_comment(&mut self) -> Read<()> {
        let comment = self.take_while(|letter| letter != '\n');
        match self.text[comment.clone()].char_indices().find(|(_, letter)| is_control(*letter)) {
            None => Ok(()),
            Some((at, letter)) => Err(control(comment.start + at, letter, "in a comment")),
        }
    }

    /// Returns the problem of the next character.
    pub(super) fn unexpected(&self) -> Problem {
        let at = self.here();
        let problem = Problem::unexpected(self.text, at);
        match self.peek().and_then(characters::lookalike) {
            Some(plain) => problem.help(format!("write `{plain}`")),
            None => problem,
        }
    }

    /// Returns whether the rest of the line looks like a statement: a header, or a key and `=`.
    pub(super) fn is_at_statement(&self) -> bool {
        let line = self.line().trim();
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.strip_prefix('[').unwrap_or(header);
            let is_name = |letter: char| is_bare(letter) || "\". '$".contains(letter);
            let name = header.trim_end_matches(']');
            let is_number = name.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
            return header.ends_with(']')
                && !name.trim().is_empty()
                && name.chars().all(is_name)
                && !is_number
                && !name.starts_with(['"', '\'']);
        }
        let key = line.find(|letter| !(is_bare(letter) || letter == '.')).unwrap_or(line.len());
        let after = line[key..].trim_start();
        key > 0 && after.starts_with('=') && !after.starts_with("==")
    }
}

/// Returns the end of the table in braces that is opened at a position, or `None` if a header comes first.
pub(super) fn closing_brace(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = open;
    for line in text[open..].split_inclusive('\n') {
        if at > open && line.starts_with('[') && depth > 0 && Scanner::at(text, at).is_at_statement() {
            return None;
        }
        let mut quote = None;
        for (index, letter) in line.char_indices() {
            match (quote, letter) {
                (None, '"' | '\'') => quote = Some(letter),
                (Some(open), letter) if open == letter => quote = None,
                (None, '{' | '[') => depth += 1,
                (None, '}' | ']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(at + index + 1);
                    }
                }
                _ => {}
            }
        }
        at += line.len();
    }
    None
}

/// Returns the problem of a control character.
pub(super) fn control(at: usize, letter: char, place: &str) -> Problem {
    let problem =
        Problem::new(at..at + letter.len_utf8(), format!("control character {} {place}", characters::name(letter)));
    match (letter, place) {
        ('\r', _) => problem.help("save the file with the line endings LF or CRLF"),
        (_, "in a string") => {
            problem.help(format!("remove it, or write `\\u{:04X}` in a string with double quotes", u32::from(letter)))
        }
        _ => problem.help("remove it"),
    }
}

/// Returns the problem of white space that TOML does not have.
pub(super) fn foreign_space(at: usize, letter: char) -> Problem {
    let problem =
        Problem::new(at..at + letter.len_utf8(), format!("unexpected {} outside a string", characters::name(letter)));
    problem.help(if letter.is_whitespace() {
        "replace it with a space"
    } else {
        "delete this character, which is invisible"
    })
}

/// Returns whether a letter can be part of an unquoted key.
pub(super) fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}
