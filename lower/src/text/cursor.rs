//! The lexer of conditions and of the tags of templates.

use std::ops::Range;

use super::Fault;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword, a name, or names with dots between them.
    Word(String),
    /// A quoted text, without the quotes and escapes.
    Text(String),
    /// An integer.
    Integer(i64),
    /// `(`, `)`, `,`, `=`, `==`, `!=`, `<`, `<=`, `>`, `>=`
    Sign(&'static str),
}

impl Token {
    /// Returns the token as messages show it.
    pub(super) fn show(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("the string {text:?}"),
            Token::Integer(integer) => format!("`{integer}`"),
            Token::Sign(sign) => format!("`{sign}`"),
        }
    }
}

/// The signs, longest first.
const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "=", "(", ")", ","];

/// Operators of other languages, longest first, and the operators to write instead.
const FOREIGN: &[(&str, &str)] =
    &[("===", "=="), ("!==", "!="), ("<>", "!="), ("&&", "and"), ("||", "or"), ("&", "and"), ("!", "not")];

/// The keywords. They are case-sensitive.
const WORDS: &[&str] = &["and", "or", "not", "true", "false"];

/// Reads the tokens of a part of a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'s> {
    text: &'s str,
    start: usize,
    at: usize,
    end: usize,
}

impl<'s> Cursor<'s> {
    /// Creates a cursor over `text[span]`.
    pub(super) fn new(text: &'s str, span: Range<usize>) -> Self {
        Self { text, start: span.start, at: span.start, end: span.end }
    }

    /// Returns the next token and its span, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token, Range<usize>)>, Fault> {
        let rest = &self.text[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        let (start, rest) = (self.at, rest.trim_start());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        let foreign = FOREIGN.iter().find(|(foreign, _)| rest.starts_with(foreign));
        let unexpected = |what: &str| Fault::new(start..start + what.len(), format!("unexpected `{what}`"));
        let (token, length) = if first == '\'' || first == '"' {
            quoted(rest, first).map_err(|message| Fault::new(start..self.end, message))?
        } else if let Some((foreign, replacement)) =
            foreign.filter(|(foreign, _)| sign.is_none_or(|sign| sign.len() < foreign.len()))
        {
            return Err(unexpected(foreign).help(format!("write `{replacement}`")));
        } else if let Some(sign) = sign {
            (Token::Sign(sign), sign.len())
        } else {
            let length = rest.find(|letter: char| !is_part_of_word(letter)).unwrap_or(rest.len());
            if "“”„‘’‚«»`´".contains(first) {
                return Err(unexpected(&rest[..first.len_utf8()]).help("write `'` on each side of a string"));
            }
            if length == 0 {
                let help = "a condition can contain `tools.NAME`, `facts.NAME`, comparisons, `and`, `or` and `not`";
                return Err(unexpected(&rest[..first.len_utf8()]).help(help));
            }
            let written = &rest[..length];
            if let Some(word) = WORDS.iter().find(|word| word.eq_ignore_ascii_case(written) && **word != written) {
                return Err(unexpected(written).help(format!("write `{word}`")));
            }
            let faulty = |message| {
                Fault::new(start..start + length, message).help(format!("if it is a string, write `'{written}'`"))
            };
            (word(written).map_err(faulty)?, length)
        };
        self.at = start + length;
        Ok(Some((token, start..self.at)))
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&self) -> Result<Option<(Token, Range<usize>)>, Fault> {
        self.clone().next()
    }

    /// Returns the text of a span.
    pub(super) fn text(&self, span: Range<usize>) -> &'s str {
        &self.text[span]
    }

    /// Returns the text before and after a span.
    pub(super) fn around(&self, span: &Range<usize>) -> (&'s str, &'s str) {
        (&self.text[self.start..span.start], &self.text[span.end..self.end])
    }

    /// Returns the empty span at the end of the text: the place of a missing token.
    pub(super) fn end(&self) -> Range<usize> {
        let end = self.text[..self.end].trim_end().len().max(self.start);
        end..end
    }
}

fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

/// Parses a word or an integer.
fn word(word: &str) -> Result<Token, String> {
    if !word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
        return Ok(Token::Word(word.to_owned()));
    }
    word.parse().map(Token::Integer).map_err(|_| {
        if word.parse::<f64>().is_ok() {
            format!("`{word}` is not a 64-bit integer, and facts cannot be fractions")
        } else {
            format!("`{word}` is neither a name nor an integer")
        }
    })
}

/// Parses a quoted text, and returns it with its length in bytes. A backslash escapes a quote or a backslash.
fn quoted(rest: &str, quote: char) -> Result<(Token, usize), String> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            letter if letter == quote => return Ok((Token::Text(text), at + 1)),
            '\\' => match letters.next() {
                Some((_, escaped @ ('\\' | '\'' | '"'))) => text.push(escaped),
                _ => return Err("a backslash must be followed by a quote or another backslash".to_owned()),
            },
            letter => text.push(letter),
        }
    }
    Err(format!("this text has no closing {quote}"))
}
