//! Words outside of quotes.

use super::cursor::{is_delimiter, is_name};
use super::expansion::Quote;
use super::{Parser, Step};
use crate::characters::UNKNOWN;
use crate::span::Span;
use crate::syntax::braces;
use crate::syntax::dialect::Dialect;
use crate::syntax::word::{Glob, Origin, Part, Word};
use crate::work::WORD;

/// Where a word is, which decides what is expanded in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
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

/// Collects the parts of a word.
#[derive(Debug)]
pub(super) struct Builder {
    parts: Vec<Part>,
    text: String,
    origin: Origin,
    /// The parts that are a `{`, `,` or `}` of a brace expansion.
    braces: Vec<usize>,
    /// The part that is the `[` of a pattern.
    bracket: Option<usize>,
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

    pub(super) fn touch_quoted(&mut self) {
        self.quoted = true;
    }

    pub(super) fn push_part(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    /// Adds a part and returns its position.
    fn mark(&mut self, sign: char) -> usize {
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

    fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.text.is_empty() && !self.quoted
    }

    /// Returns whether the word so far is `NAME=`, after which `~` is expanded.
    fn is_assignment_prefix(&self) -> bool {
        let name = self.text.strip_suffix('=');
        self.parts.is_empty()
            && self.origin == Origin::Plain
            && name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_name))
    }

    /// Ends a pattern of brackets.
    fn close_bracket(&mut self) {
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
        self.flush();
        if self.parts.is_empty() && self.quoted {
            self.parts.push(Part::Literal { text: String::new(), origin: Origin::Quoted });
        }
        Word { parts: self.parts, span }
    }
}

impl Parser<'_, '_> {
    /// Returns whether the cursor is at `<(` or `>(`.
    pub(super) fn is_process_substitution(&self) -> bool {
        self.dialect != Dialect::Dash && matches!(self.peek(), b'<' | b'>') && self.peek_second() == b'('
    }

    /// Reads a word without brace expansion.
    pub(super) fn single_word(&mut self, place: Place) -> Step<Word> {
        let start = self.at;
        let builder = self.word(place, false)?;
        Ok(builder.finish(self.span(start, self.at)))
    }

    /// Reads a word, and adds it or the words of its brace expansion.
    pub(super) fn word_into(&mut self, place: Place, words: &mut Vec<Word>) -> Step {
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
        self.spend(expanded.iter().map(|word| 2 + 4 * word.parts.len()).sum())?;
        words.extend(expanded);
        Ok(())
    }

    fn word(&mut self, place: Place, braces: bool) -> Step<Builder> {
        let start = self.at;
        let mut builder = Builder::default();
        loop {
            let byte = self.peek();
            match byte {
                b'\\' => {
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
                b'\'' => self.single_quoted(&mut builder)?,
                b'"' => self.double_quoted(&mut builder)?,
                b'$' => self.dollar(&mut builder, Quote::None)?,
                b'`' => self.backquote(&mut builder, Quote::None)?,
                b'~' => {
                    let begins = self.at == start
                        || place == Place::Value && builder.text.ends_with(':')
                        || builder.is_assignment_prefix();
                    self.tilde(&mut builder, begins);
                }
                b'<' | b'>' if self.is_process_substitution() => self.process_substitution(&mut builder)?,
                // Assignments have no patterns.
                b'*' | b'?' | b'[' | b']' if place == Place::Value => {
                    self.bump();
                    builder.push(char::from(byte), Origin::Plain);
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if self.is_extended_pattern(place) => {
                    self.extended_pattern(&mut builder)?;
                }
                b'*' => {
                    self.bump();
                    builder.push_part(Part::Glob(Glob::AnyText));
                }
                b'?' => {
                    self.bump();
                    builder.push_part(Part::Glob(Glob::AnyChar));
                }
                b'[' if builder.bracket.is_none() && self.has_closing_bracket() => {
                    self.bump();
                    builder.bracket = Some(builder.mark('['));
                    for first in [b"!^".as_slice(), b"]"] {
                        if first.contains(&self.peek()) {
                            builder.push(char::from(self.peek()), Origin::Plain);
                            self.bump();
                        }
                    }
                }
                b']' => {
                    self.bump();
                    builder.close_bracket();
                }
                b'{' | b'}' | b',' if braces && (byte == b'{' || !builder.braces.is_empty()) => {
                    self.bump();
                    let mark = builder.mark(char::from(byte));
                    builder.braces.push(mark);
                }
                b'(' if self.is_bash() && builder.is_assignment_prefix() && place == Place::Argument => {
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
        self.spend(WORD + (self.at - start) / 4)?;
        if self.at == start && builder.is_empty() {
            return Err(super::Stop::Syntax);
        }
        Ok(builder)
    }

    /// Reads ASCII characters without a meaning of their own, at least one.
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
    fn is_extended_pattern(&self, place: Place) -> bool {
        // In the place of a program, `f+()` defines a function, and `!(...)` negates a subshell.
        let next = self.after(self.at);
        self.is_bash() && place != Place::Program && self.byte(next) == b'(' && self.byte(self.after(next)) != b')'
    }

    fn extended_pattern(&mut self, builder: &mut Builder) -> Step {
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
                    _ => drop(parser.word(Place::Pattern, false)?),
                }
            }
        })?;
        self.bump();
        let text = self.text[start..self.at].to_owned();
        builder.push_part(Part::Glob(Glob::Extended(text)));
        Ok(())
    }
}
