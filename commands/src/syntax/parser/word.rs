//! Words outside of quotes.

use super::builder::Builder;
use super::cursor::{is_delimiter, is_name};
use super::expansion::Quote;
use super::{ParseResult, Parser};
use crate::characters::UNKNOWN;
use crate::syntax::braces;
use crate::syntax::dialect::Dialect;
use crate::syntax::word::{Glob, Origin, Part, Word};
use crate::work::{COPY, PART, WORD};

/// Where a word occurs. This decides what is expanded in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPosition {
    /// The first word of a command.
    Program,
    /// Another word of a command.
    Argument,
    /// The value of an assignment.
    Value,
    /// The target of a redirection.
    Target,
    /// A pattern of `case`, or an operand of `[[`.
    Pattern,
}

impl Parser<'_, '_> {
    /// Returns whether the cursor is at `<(` or `>(`.
    pub(super) fn is_process_substitution(&self) -> bool {
        self.dialect != Dialect::Dash && matches!(self.peek(), b'<' | b'>') && self.peek_second() == b'('
    }

    /// Reads a word without brace expansion.
    pub(super) fn single_word(&mut self, place: WordPosition) -> ParseResult<Word> {
        let start = self.at;
        let builder = self.word(place, false)?;
        Ok(builder.finish(self.span(start, self.at)))
    }

    /// Reads a word, and adds it or the words of its brace expansion.
    pub(super) fn word_into(&mut self, place: WordPosition, words: &mut Vec<Word>) -> ParseResult {
        let start = self.at;
        let mut builder = self.word(place, self.is_bash())?;
        let span = self.span(start, self.at);
        let marks = std::mem::take(&mut builder.braces);
        let word = builder.finish(span);
        if marks.len() < 2 {
            words.push(word);
            return Ok(());
        }
        let expanded = braces::expand(word, &marks);
        self.spend(expanded.iter().map(|word| COPY * (1 + word.parts.len())).sum())?;
        words.extend(expanded);
        Ok(())
    }

    fn word(&mut self, place: WordPosition, braces: bool) -> ParseResult<Builder> {
        let start = self.at;
        let mut builder = Builder::default();
        loop {
            let byte = self.peek();
            match byte {
                b'\\' => self.escaped(&mut builder),
                b'\'' => self.single_quoted(&mut builder)?,
                b'"' => self.double_quoted(&mut builder)?,
                b'$' => self.dollar(&mut builder, Quote::None)?,
                b'`' => self.backquote(&mut builder, Quote::None)?,
                b'~' => {
                    let begins = self.at == start
                        || place == WordPosition::Value && builder.text.ends_with(':')
                        || builder.is_assignment_prefix();
                    self.tilde(&mut builder, begins);
                }
                b'<' | b'>' if self.is_process_substitution() => self.process_substitution(&mut builder)?,
                // Assignments have no patterns.
                b'*' | b'?' | b'[' | b']' if place == WordPosition::Value => {
                    self.bump();
                    builder.push(char::from(byte), Origin::Plain);
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if self.is_extended_pattern(place) => {
                    self.extended_pattern(&mut builder)?;
                }
                b'*' | b'?' | b'[' | b']' => self.pattern_sign(byte, &mut builder),
                b'{' | b'}' | b',' if braces && (byte == b'{' || !builder.braces.is_empty()) => {
                    self.bump();
                    let mark = builder.mark(char::from(byte));
                    builder.braces.push(mark);
                }
                b'(' if self.is_bash() && builder.is_assignment_prefix() && place == WordPosition::Argument => {
                    // `declare a=(...)`
                    let array = self.array()?;
                    for part in array.parts {
                        builder.push_part(part);
                    }
                }
                byte if is_delimiter(byte) => break,
                0x80.. => match self.take_char() {
                    Some(c) => builder.push(c, Origin::Plain),
                    None => builder.push_part(Part::Unknown { splits: true }),
                },
                _ => self.plain_run(&mut builder),
            }
        }
        self.spend(WORD + (self.at - start) / 4 + PART * builder.parts.len().saturating_sub(1))?;
        if self.at == start && builder.is_empty() {
            return Err(super::Stop::Syntax);
        }
        Ok(builder)
    }

    /// Reads a backslash outside of quotes, and the character that it quotes.
    fn escaped(&mut self, builder: &mut Builder) {
        self.at += 1;
        match self.text[self.at..].chars().next() {
            None => builder.push('\\', Origin::Plain),
            Some(UNKNOWN) => {
                self.at += UNKNOWN.len_utf8();
                builder.push_part(Part::Unknown { splits: true });
            }
            Some(c) => {
                builder.push(c, Origin::Quoted);
                self.at += c.len_utf8();
                self.skip_continuations();
            }
        }
    }

    /// Reads a sign of a pattern: `*`, `?`, `]`, or `[` with what can follow it without being the end.
    fn pattern_sign(&mut self, byte: u8, builder: &mut Builder) {
        match byte {
            b'*' => {
                self.bump();
                builder.push_part(Part::Glob(Glob::AnyText));
            }
            b'?' => {
                self.bump();
                builder.push_part(Part::Glob(Glob::AnyChar));
            }
            b']' => {
                self.bump();
                builder.close_bracket();
            }
            _ if builder.bracket.is_none() && self.has_closing_bracket() => {
                self.bump();
                builder.bracket = Some(builder.mark('['));
                for first in [b"!^".as_slice(), b"]"] {
                    if first.contains(&self.peek()) {
                        builder.push(char::from(self.peek()), Origin::Plain);
                        self.bump();
                    }
                }
            }
            _ => self.plain_run(builder),
        }
    }

    /// Reads ASCII characters without a special meaning, at least one.
    fn plain_run(&mut self, builder: &mut Builder) {
        let start = self.at;
        let is_plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'/' | b'.' | b'=' | b':' | b'%' | b'^' | b'#');
        let length = self.bytes[start..].iter().skip(1).take_while(|byte| is_plain(byte)).count() + 1;
        let text = &self.text[start..start + length];
        if let Some(control) = text.bytes().position(|byte| byte.is_ascii_control()) {
            self.doubt(crate::doubt::DoubtKind::Invisible, start + control, start + control + 1);
        }
        builder.push_str(text, Origin::Plain);
        self.at = start + length;
        self.skip_continuations();
    }

    fn tilde(&mut self, builder: &mut Builder, begins: bool) {
        let mut at = self.after(self.at);
        let from = at;
        while is_name(self.byte(at)) || matches!(self.byte(at), b'.' | b'-' | b'+') {
            at = self.after(at);
        }
        let ends = matches!(self.byte(at), b'/' | b':') || is_delimiter(self.byte(at));
        if begins && ends {
            let user = self.name(from, at);
            builder.push_part(Part::Tilde { user });
            self.at = at;
        } else {
            self.bump();
            builder.push('~', Origin::Plain);
        }
    }

    /// Returns whether the `[` at the cursor has a `]` in the same word. Quotes are not examined: with one, the answer is yes.
    fn has_closing_bracket(&mut self) -> bool {
        let mut at = self.after(self.at);
        if matches!(self.byte(at), b'!' | b'^') {
            at = self.after(at);
        }
        if self.byte(at) == b']' {
            at = self.after(at);
        }
        loop {
            match self.byte(at) {
                b']' | b'\'' | b'"' | b'\\' | b'$' | b'`' => return true,
                byte if is_delimiter(byte) => return false,
                _ => at = self.after(at),
            }
            if at > self.at + 256 {
                return true;
            }
        }
    }

    /// Returns whether the cursor is at a pattern such as `@(a|b)`, which bash reads if `extglob` is set.
    fn is_extended_pattern(&self, place: WordPosition) -> bool {
        // In the place of a program, `f+()` defines a function, and `!(...)` negates a subshell.
        let next = self.after(self.at);
        self.is_bash()
            && place != WordPosition::Program
            && self.byte(next) == b'('
            && self.byte(self.after(next)) != b')'
    }

    fn extended_pattern(&mut self, builder: &mut Builder) -> ParseResult {
        let start = self.at;
        // Nested parentheses have no sign before them.
        if self.peek() != b'(' {
            self.bump();
        }
        self.bump();
        self.nested(|parser| {
            // Expansions inside run, but the pattern as a whole is unknown.
            let mut inside = Builder::default();
            loop {
                match parser.peek() {
                    b')' => return Ok(()),
                    b'|' | b' ' | b'\t' => parser.bump(),
                    b'(' => parser.extended_pattern(&mut inside)?,
                    0 | b'\n' | b';' | b'&' | b'<' | b'>' => return Err(super::Stop::Syntax),
                    _ => drop(parser.word(WordPosition::Pattern, false)?),
                }
            }
        })?;
        self.bump();
        let text = self.text[start..self.at].to_owned();
        builder.push_part(Part::Glob(Glob::Extended(text)));
        Ok(())
    }
}
