//! Quoted text.

use super::builder::Builder;
use super::expansion::Quote;
use super::{ParseResult, Parser, Stop};
use crate::characters::UNKNOWN;
use crate::syntax::dialect::Dialect;
use crate::syntax::word::{Origin, Part};

impl Parser<'_, '_> {
    /// Reads `'...'`.
    pub(super) fn single_quoted(&mut self, builder: &mut Builder) -> ParseResult {
        self.at += 1;
        let Some(length) = self.text[self.at..].find('\'') else { return Err(Stop::Unclosed) };
        self.spend(length / 8)?;
        builder.push_text(&self.text[self.at..self.at + length], Origin::Quoted);
        self.at += length;
        self.bump();
        Ok(())
    }

    /// Reads `"..."`.
    pub(super) fn double_quoted(&mut self, builder: &mut Builder) -> ParseResult {
        self.bump();
        builder.touch_quoted();
        loop {
            match self.peek() {
                b'"' => {
                    self.bump();
                    return Ok(());
                }
                b'$' => self.dollar(builder, Quote::Double)?,
                b'`' => self.backquote(builder, Quote::Double)?,
                b'\\' => self.escaped_in_quotes(builder, b"$`\"\\"),
                _ if self.is_at_end() => return Err(Stop::Unclosed),
                _ => self.quoted_run(builder, b"\"$`\\"),
            }
        }
    }

    /// Reads a backslash in double quotes, which quotes only some characters.
    pub(super) fn escaped_in_quotes(&mut self, builder: &mut Builder, special: &[u8]) {
        let next = self.byte(self.at + 1);
        self.at += 1;
        if special.contains(&next) {
            builder.push(char::from(next), Origin::Quoted);
            self.bump();
        } else {
            builder.push('\\', Origin::Quoted);
            self.skip_continuations();
        }
    }

    /// Reads text up to one of these bytes, at least one character.
    pub(super) fn quoted_run(&mut self, builder: &mut Builder, until: &[u8]) {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest.iter().skip(1).position(|byte| until.contains(byte)).map_or(rest.len(), |length| length + 1);
        // The bytes that end a run are ASCII, but the first character can have several.
        let mut end = start + length;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        builder.push_text(&self.text[start..end], Origin::Quoted);
        self.at = end;
        self.skip_continuations();
    }

    /// Reads `$'...'`, which dash reads as a `$` and quoted text.
    pub(super) fn ansi_quoted(&mut self, builder: &mut Builder) -> ParseResult {
        // A line continuation can separate the `$` from the quote.
        let start = self.after(self.at) + 1;
        let mut at = start;
        let mut text = String::new();
        let mut unsure = false;
        loop {
            let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
                self.differs(&[Dialect::Dash]);
                return Err(Stop::Unclosed);
            };
            at += c.len_utf8();
            match c {
                '\'' => break,
                '\\' => {
                    if self.byte(at) == b'\'' {
                        self.differs(&[Dialect::Dash]);
                    }
                    at = self.ansi_escape(at, &mut text, &mut unsure);
                }
                c => text.push(c),
            }
        }
        self.spend((at - start) / 4)?;
        builder.push_text(&text, Origin::Quoted);
        if unsure {
            builder.push_part(Part::Unknown { splits: false });
        }
        self.at = at;
        self.skip_continuations();
        Ok(())
    }

    /// Adds the character of the escape sequence whose backslash is before `at`. Returns the position after it.
    fn ansi_escape(&self, at: usize, text: &mut String, unsure: &mut bool) -> usize {
        let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else { return at };
        let after = at + c.len_utf8();
        let number = |from: usize, radix: u32, most: usize| {
            let digits = self.bytes[from.min(self.bytes.len())..].iter().take(most);
            let count = digits.take_while(|byte| char::from(**byte).is_digit(radix)).count();
            (u32::from_str_radix(&self.text[from..from + count], radix).unwrap_or(0), from + count)
        };
        let mut push = |value: u32, end: usize, most: u32| {
            match char::from_u32(value).filter(|c| *c != UNKNOWN && value <= most) {
                // The text ends at a NUL.
                Some('\0') | None => *unsure = true,
                Some(c) => text.push(c),
            }
            end
        };
        match c {
            'n' => push(10, after, 255),
            't' => push(9, after, 255),
            'r' => push(13, after, 255),
            'a' => push(7, after, 255),
            'b' => push(8, after, 255),
            'e' | 'E' => push(27, after, 255),
            'f' => push(12, after, 255),
            'v' => push(11, after, 255),
            '\\' | '\'' | '"' | '?' => push(u32::from(c), after, 255),
            '0'..='7' => {
                let (value, end) = number(at, 8, 3);
                // Bytes that are not ASCII can be parts of a character.
                push(value & 255, end, 127)
            }
            'x' => {
                if self.byte(after) == b'{' {
                    return push(0, after, 0);
                }
                let (value, end) = number(after, 16, 2);
                push(value, end, 127)
            }
            'u' => {
                let (value, end) = number(after, 16, 4);
                push(value, end, u32::MAX)
            }
            'U' => {
                let (value, end) = number(after, 16, 8);
                push(value, end, u32::MAX)
            }
            'c' => {
                *unsure = true;
                after
            }
            c => {
                text.push('\\');
                text.push(c);
                after
            }
        }
    }
}
