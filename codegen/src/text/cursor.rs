//! The words and signs of which conditions and templates' tags are made, one after the other.

use std::ops::Range;

use super::Fault;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word: a keyword, a name, a dotted path of names.
    Word(String),
    /// Quoted text.
    Text(String),
    /// An integer.
    Integer(i64),
    /// `(`, `)`, `,`, `=`, `==`, `!=`, `<`, `<=`, `>`, `>=`
    Sign(&'static str),
}

impl Token {
    /// As it is quoted in a message.
    pub(super) fn show(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("the text {text:?}"),
            Token::Integer(integer) => format!("`{integer}`"),
            Token::Sign(sign) => format!("`{sign}`"),
        }
    }
}

/// Longest first.
const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "=", "(", ")", ","];

/// What other languages write, longest first, and what is written here.
const FOREIGN: &[(&str, &str)] =
    &[("===", "=="), ("!==", "!="), ("<>", "!="), ("&&", "and"), ("||", "or"), ("&", "and"), ("!", "not")];

/// Words that have one spelling.
const WORDS: &[&str] = &["and", "or", "not", "true", "false"];

/// Reads tokens out of part of a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'s> {
    text: &'s str,
    start: usize,
    at: usize,
    end: usize,
}

impl<'s> Cursor<'s> {
    /// The tokens of `text[span]`.
    pub(super) fn new(text: &'s str, span: Range<usize>) -> Self {
        Self { text, start: span.start, at: span.start, end: span.end }
    }

    /// The next token and its place. None at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token, Range<usize>)>, Fault> {
        let rest = &self.text[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        let (start, rest) = (self.at, rest.trim_start());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        let foreign = FOREIGN.iter().find(|(foreign, _)| rest.starts_with(foreign));
        let means_nothing = |what: &str| Fault::new(start..start + what.len(), format!("`{what}` means nothing here"));
        let (token, length) = if first == '\'' || first == '"' {
            quoted(rest, first).map_err(|message| Fault::new(start..self.end, message))?
        } else if let Some((foreign, own)) = foreign.filter(|(all, _)| sign.is_none_or(|sign| sign.len() < all.len())) {
            return Err(means_nothing(foreign).help(format!("write `{own}`")));
        } else if let Some(sign) = sign {
            (Token::Sign(sign), sign.len())
        } else {
            let length = rest.find(|letter: char| !is_part_of_word(letter)).unwrap_or(rest.len());
            if length == 0 {
                let help = "conditions are made of `tools.NAME`, `facts.NAME`, comparisons, `and`, `or`, `not`";
                return Err(means_nothing(&rest[..first.len_utf8()]).help(help));
            }
            let written = &rest[..length];
            if let Some(own) = WORDS.iter().find(|own| own.eq_ignore_ascii_case(written) && **own != written) {
                return Err(means_nothing(written).help(format!("write `{own}`")));
            }
            (word(written).map_err(|message| Fault::new(start..start + length, message))?, length)
        };
        self.at = start + length;
        Ok(Some((token, start..self.at)))
    }

    /// The next token, without stepping over it.
    pub(super) fn peek(&self) -> Result<Option<(Token, Range<usize>)>, Fault> {
        self.clone().next()
    }

    /// What is written there.
    pub(super) fn written(&self, span: Range<usize>) -> &'s str {
        &self.text[span]
    }

    /// Where the text ends: the place of whatever is missing.
    pub(super) fn end(&self) -> Range<usize> {
        let end = self.text[..self.end].trim_end().len().max(self.start);
        end..end
    }
}

fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

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

/// A quoted text: a backslash before a quote or a backslash, and nowhere else.
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
