//! Arithmetic expressions, and array subscripts, which have the same syntax.

use super::builder::Builder;
use super::cursor::is_name;
use super::expansion::Quote;
use super::{ParseResult, Parser, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::dialect::Dialect;
use crate::syntax::word::{Part, Word};

impl Parser<'_, '_> {
    /// Reads `$((...))`. Returns false if it is the substitution of a subshell.
    pub(super) fn arithmetic_expansion(&mut self, builder: &mut Builder, quoted: bool) -> ParseResult<bool> {
        let open = self.after(self.after(self.after(self.at)));
        let Some(end) = self.arithmetic_end(open)? else {
            return if self.is_bash() {
                // Within `"${...}"`, bash can take it for arithmetic, and then runs what it contains, even after a `#`.
                self.differs(&[Dialect::Dash, Dialect::Ash]);
                self.doubt(DoubtKind::ShellsDiffer, self.at, open);
                Ok(false)
            } else {
                Err(Stop::Syntax)
            };
        };
        let assigned = self.arithmetic_region(open, end)?;
        self.at = self.after(self.after(end));
        builder.push_part(Part::Arithmetic { assigned, quoted });
        Ok(true)
    }

    /// Reads the command `((...))` of bash. Returns false if it is a subshell within a subshell.
    pub(super) fn arithmetic_command(&mut self) -> ParseResult<bool> {
        let start = self.at;
        let open = self.after(self.after(self.at));
        let Some(end) = self.arithmetic_end(open)? else { return Ok(false) };
        self.differs(&[Dialect::Dash, Dialect::Ash]);
        let index = self.begin();
        let assigned = self.arithmetic_region(open, end)?;
        self.at = self.after(self.after(end));
        let span = self.span(start, self.at);
        let expression = Word { parts: vec![Part::Arithmetic { assigned, quoted: true }], span };
        let command = &mut self.script.commands[index];
        (command.words, command.span) = (vec![Word::plain("((", span), expression], span);
        Ok(true)
    }

    /// Reads `$[...]`, which is arithmetic only in bash.
    pub(super) fn old_arithmetic(&mut self, builder: &mut Builder, quoted: bool) -> ParseResult {
        if !self.is_bash() {
            self.bump();
            builder.push('$', crate::syntax::word::Origin::Plain);
            return Ok(());
        }
        self.differs(&[Dialect::Dash, Dialect::Ash]);
        let bracket = self.after(self.at);
        let Some(end) = self.subscript_end(bracket) else { return Err(Stop::Syntax) };
        let from = self.after(bracket);
        let assigned = self.arithmetic_region(from, end)?;
        self.at = self.after(end);
        builder.push_part(Part::Arithmetic { assigned, quoted });
        Ok(())
    }

    /// Returns the position of the first of the `))` that end the expression at `at`.
    fn arithmetic_end(&mut self, mut at: usize) -> ParseResult<Option<usize>> {
        let start = at;
        let mut depth = 0_u32;
        let end = loop {
            match self.byte(at) {
                b'(' => depth += 1,
                b')' if depth == 0 => break (self.byte(self.after(at)) == b')').then_some(at),
                b')' => depth -= 1,
                b'\\' => at += 1,
                quote @ (b'"' | b'`') if self.is_bash() || quote == b'`' => {
                    at = self.after(at);
                    while at < self.bytes.len() && self.byte(at) != quote {
                        at = if self.byte(at) == b'\\' { at + 2 } else { at + 1 };
                    }
                }
                b'\'' if self.is_bash() => {
                    at += 1;
                    while at < self.bytes.len() && self.byte(at) != b'\'' {
                        at += 1;
                    }
                }
                _ if at >= self.bytes.len() => break None,
                _ => {}
            }
            at = self.after(at);
        };
        self.spend((at - start) / 4 + 1)?;
        let to = end.unwrap_or(at).min(self.bytes.len());
        // Shells differ in whether these are quotes.
        let region = &self.bytes[start..to];
        if region.contains(&b'"') {
            self.differs(&[Dialect::Bash, Dialect::Dash, Dialect::Ash]);
        }
        if region.contains(&b'\'') || region.contains(&b'"') && end.is_none() {
            self.doubt(DoubtKind::ShellsDiffer, start, to);
        }
        Ok(end)
    }

    /// Returns the position of the `]` for the `[` at `at`.
    pub(super) fn subscript_end(&mut self, at: usize) -> Option<usize> {
        let start = at;
        let mut at = self.after(at);
        let mut depth = 0_u32;
        let end = loop {
            match self.byte(at) {
                b'[' => depth += 1,
                b']' if depth == 0 => break Some(at),
                b']' => depth -= 1,
                b'\\' => at += 1,
                quote @ (b'"' | b'\'' | b'`') => {
                    at += 1;
                    while at < self.bytes.len() && self.byte(at) != quote {
                        at += if self.byte(at) == b'\\' && quote != b'\'' { 2 } else { 1 };
                    }
                }
                b'\n' => break None,
                _ if at >= self.bytes.len() => break None,
                _ => {}
            }
            at = self.after(at);
        };
        // If a limit is exceeded here, the next step reports it.
        let _ = self.spend((at - start) / 4 + 1);
        end
    }

    /// Reads the expansions of an expression. Returns the variables that it can assign.
    pub(super) fn arithmetic_region(&mut self, start: usize, end: usize) -> ParseResult<Vec<String>> {
        self.spend((end - start.min(end)) / 4 + 1)?;
        let result = self.nested(|parser| {
            parser.within(start, end, |parser| {
                parser.skip_continuations();
                let mut builder = Builder::default();
                while !parser.is_at_end() {
                    match parser.peek() {
                        b'$' => parser.dollar(&mut builder, Quote::Arithmetic)?,
                        b'`' => parser.backquote(&mut builder, Quote::Double)?,
                        b'\\' => parser.at = (parser.at + 2).min(parser.bytes.len()),
                        _ => {
                            parser.at += 1;
                            parser.at += parser.bytes[parser.at..].iter().take_while(|b| !b"$`\\".contains(b)).count();
                        }
                    }
                }
                Ok(())
            })
        });
        let text = &self.bytes[start..end.max(start)];
        if text.iter().any(|byte| matches!(byte, b'\'' | b'\\')) && text.iter().any(|byte| matches!(byte, b'$' | b'`'))
        {
            // Quoted code is expanded when the expression is evaluated.
            self.doubt(DoubtKind::HiddenCode, start, end);
        }
        let assigned = self.note_names(start, end);
        match result {
            Err(Stop::Limit) => return Err(Stop::Limit),
            Err(Stop::Unclosed | Stop::Syntax) => self.doubt(DoubtKind::Syntax, start, end),
            Ok(()) => {}
        }
        Ok(assigned)
    }

    /// Records the variables that an expression can evaluate or assign. Returns the latter.
    fn note_names(&mut self, start: usize, end: usize) -> Vec<String> {
        let text = &self.text[start..end.max(start)];
        self.script.evaluates |= text.bytes().any(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'$' | b'`'));
        let assigns = text.contains("++")
            || text.contains("--")
            || text.bytes().enumerate().any(|(at, byte)| {
                let around = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).copied().unwrap_or(0);
                byte == b'=' && around(Some(at + 1)) != b'=' && !b"=!<>".contains(&around(at.checked_sub(1)))
                    || byte == b'='
                        && b"<>".contains(&around(at.checked_sub(1)))
                        && b"<>".contains(&around(at.checked_sub(2)))
            });
        if !assigns {
            return Vec::new();
        }
        let names = text.split(|c: char| !c.is_ascii() || !is_name(c as u8));
        let is_variable = |name: &&str| !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit());
        let assigned: Vec<String> = names.filter(is_variable).map(str::to_owned).collect();
        self.script.assigned.extend(assigned.iter().cloned());
        assigned
    }
}
