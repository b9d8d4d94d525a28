//! Redirections.

use super::cursor::{is_delimiter, is_name};
use super::word::WordPosition;
use super::{ParseResult, Parser, Pending, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::dialect::Dialect;
use crate::syntax::script::{Descriptor, Redirect, RedirectKind, SimpleCommand};
use crate::syntax::word::Word;
use crate::work::WORD;

impl Parser<'_, '_> {
    /// Reads a redirection of the command at `index`. Returns false if there is none here.
    pub(super) fn redirect(&mut self, index: usize) -> ParseResult<bool> {
        let start = self.at;
        let Some((descriptor, at)) = self.descriptor() else { return Ok(false) };
        let operator = self.byte(at);
        if operator == b'&' {
            let is_both = self.byte(self.after(at)) == b'>' && descriptor.is_none() && self.dialect != Dialect::Dash;
            if !is_both {
                return Ok(false);
            }
        } else if !matches!(operator, b'<' | b'>') {
            return Ok(false);
        }
        let here = self.at;
        self.at = at;
        if self.is_process_substitution() {
            self.at = here;
            return Ok(false);
        }
        self.spend(2 * WORD)?;
        let kind = self.operator(operator);
        self.skip_blanks();
        if kind == RedirectKind::HereString && self.dialect == Dialect::Dash {
            return Err(Stop::Syntax);
        }
        if kind == RedirectKind::HereDocument {
            let strip = self.eat(b"-");
            self.skip_blanks();
            return self.here_delimiter(index, start, descriptor, strip).map(|()| true);
        }
        if is_delimiter(self.peek()) && !self.is_process_substitution() {
            return Err(Stop::Syntax);
        }
        let targets = self.targets(kind)?;
        let span = self.span(start, self.at);
        let redirect = |target| Redirect { kind, descriptor: descriptor.clone(), target, span };
        self.script.commands[index].redirects.extend(targets.into_iter().map(redirect));
        Ok(true)
    }

    /// Reads the target of a redirection. Brace expansion can turn it into several words: bash accepts them if all but one are empty
    /// (`> {,FILE}`), and zsh opens each of them.
    fn targets(&mut self, kind: RedirectKind) -> ParseResult<Vec<Word>> {
        let start = self.at;
        if kind == RedirectKind::HereString {
            return Ok(vec![self.single_word(WordPosition::Target)?]);
        }
        let mut targets = Vec::with_capacity(1);
        self.word_into(WordPosition::Target, &mut targets)?;
        if kind.is_input() && targets.len() > 1 {
            self.doubt(DoubtKind::ShellsDiffer, start, self.at);
        }
        if targets.is_empty() {
            targets.push(Word::plain("", self.span(start, self.at)));
        }
        Ok(targets)
    }

    /// Reads the descriptor before an operator, without moving the cursor. Returns it with its end, or `None` if no redirection
    /// can begin here.
    fn descriptor(&mut self) -> Option<(Option<Descriptor>, usize)> {
        let mut at = self.at;
        match self.byte(at) {
            b'<' | b'>' | b'&' => Some((None, at)),
            b'0'..=b'9' => {
                let mut number = 0_u32;
                while self.byte(at).is_ascii_digit() {
                    number = number.saturating_mul(10).saturating_add(u32::from(self.byte(at) - b'0'));
                    at = self.after(at);
                }
                Some((Some(Descriptor::Number(number)), at))
            }
            b'{' if self.is_bash() => {
                at = self.after(at);
                let from = at;
                while is_name(self.byte(at)) {
                    at = self.after(at);
                }
                if at == from || self.byte(at) != b'}' {
                    return None;
                }
                let name = self.name(from, at);
                at = self.after(at);
                if matches!(self.byte(at), b'<' | b'>') {
                    self.script.assigned.push(name.clone());
                    self.differs(&[Dialect::Dash, Dialect::Ash]);
                }
                Some((Some(Descriptor::Variable(name)), at))
            }
            _ => None,
        }
    }

    /// Reads an operator.
    fn operator(&mut self, first: u8) -> RedirectKind {
        if first == b'&' {
            self.bump();
            self.bump();
            return if self.eat(b">") { RedirectKind::AppendBoth } else { RedirectKind::WriteBoth };
        }
        self.bump();
        let (second, third) = (self.peek(), self.peek_second());
        let (kind, length) = match (first, second) {
            (b'<', b'<') if third == b'<' => (RedirectKind::HereString, 2),
            (b'<', b'<') => (RedirectKind::HereDocument, 1),
            (b'<', b'>') => (RedirectKind::ReadWrite, 1),
            (b'<', b'&') => (RedirectKind::DuplicateInput, 1),
            (b'<', _) => (RedirectKind::Read, 0),
            (_, b'>') => (RedirectKind::Append, 1),
            (_, b'|') => (RedirectKind::Overwrite, 1),
            (_, b'&') => (RedirectKind::DuplicateOutput, 1),
            _ => (RedirectKind::Write, 0),
        };
        for _ in 0..length {
            self.bump();
        }
        kind
    }

    /// Returns whether the last redirection of a command is one that dash does not have.
    pub(super) fn is_both(&self, index: usize) -> bool {
        let last = self.script.commands[index].redirects.last();
        last.is_some_and(|redirect| matches!(redirect.kind, RedirectKind::WriteBoth | RedirectKind::AppendBoth))
    }

    /// Reads the redirections after a compound command, whose scope is `scope`.
    pub(super) fn redirects_of(&mut self, scope: crate::syntax::ids::ScopeId) -> ParseResult {
        self.skip_blanks();
        let start = self.at;
        let outer = self.scope;
        let index = self.script.commands.len();
        self.script.commands.push(SimpleCommand { scope: outer, ..SimpleCommand::default() });
        let mut end = self.at;
        while self.redirect(index)? {
            end = self.at;
            self.skip_blanks();
        }
        if self.script.commands[index].redirects.is_empty() {
            self.script.commands.pop();
            return Ok(());
        }
        self.script.commands[index].span = self.span(start, end);
        self.script.scopes[scope as usize].redirects = u32::try_from(index).ok();
        Ok(())
    }

    /// Reads the delimiter of a here-document.
    fn here_delimiter(
        &mut self,
        index: usize,
        start: usize,
        descriptor: Option<Descriptor>,
        strip: bool,
    ) -> ParseResult {
        let from = self.at;
        let mut delimiter = String::new();
        let mut literal = false;
        while !is_delimiter(self.peek()) {
            match self.peek() {
                quote @ (b'\'' | b'"') => {
                    literal = true;
                    self.at += 1;
                    let Some(length) = self.text[self.at..].find(char::from(quote)) else { return Err(Stop::Unclosed) };
                    let text = &self.text[self.at..self.at + length];
                    if quote == b'"' && text.contains(['\\', '$', '`']) {
                        self.doubt(DoubtKind::ShellsDiffer, from, self.at);
                    }
                    delimiter.push_str(text);
                    self.at += length;
                    self.bump();
                }
                b'\\' => {
                    literal = true;
                    self.at += 1;
                    let Some(c) = self.text[self.at..].chars().next() else { return Err(Stop::Syntax) };
                    delimiter.push(c);
                    self.at += c.len_utf8();
                    self.skip_continuations();
                }
                byte => {
                    if matches!(byte, b'`') || byte == b'$' && matches!(self.peek_second(), b'(' | b'{' | b'\'' | b'"')
                    {
                        // Shells differ in how they read an expansion here.
                        self.doubt(DoubtKind::ShellsDiffer, from, self.at + 1);
                    }
                    let Some(c) = self.text[self.at..].chars().next() else { return Err(Stop::Syntax) };
                    delimiter.push(c);
                    self.at += c.len_utf8();
                    self.skip_continuations();
                }
            }
        }
        if self.at == from {
            return Err(Stop::Syntax);
        }
        if delimiter.contains('\n') {
            self.doubt(DoubtKind::ShellsDiffer, from, self.at);
        }
        let span = self.span(start, self.at);
        let command = &mut self.script.commands[index];
        let target = Word { parts: Vec::new(), span };
        let redirect = command.redirects.len();
        command.redirects.push(Redirect { kind: RedirectKind::HereDocument, descriptor, target, span });
        self.pending.push(Pending { command: index, redirect, delimiter, literal, strip });
        Ok(())
    }
}
