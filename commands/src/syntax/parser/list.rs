//! Lists and pipelines.

use super::{ParseResult, Parser, Stop};
use crate::syntax::dialect::Dialect;
use crate::syntax::ids::{CommandId, ScopeId};
use crate::syntax::script::ScopeKind;

/// What ends a list. It is not consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the text.
    Text,
    /// `)`
    Parenthesis,
    /// One of these reserved words.
    Words(&'static [&'static [u8]]),
    /// `;;`, `;&`, `;;&` or `esac`
    CaseItem,
}

/// A position in the lists of commands and scopes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) commands: usize,
    scopes: usize,
}

impl Parser<'_, '_> {
    pub(super) fn mark(&self) -> Mark {
        Mark { commands: self.script.commands.len(), scopes: self.script.scopes.len() }
    }

    pub(super) fn ids_since(&self, mark: Mark) -> std::ops::Range<CommandId> {
        let id = |index: usize| CommandId::try_from(index).unwrap_or(CommandId::MAX);
        id(mark.commands)..id(self.script.commands.len())
    }

    /// Reads the whole text.
    pub(super) fn script(&mut self) -> ParseResult {
        self.list(End::Text)?;
        // A here-document without a line after it has an empty body.
        Ok(())
    }

    /// Reads commands up to an end.
    pub(super) fn list(&mut self, end: End) -> ParseResult {
        self.nested(|parser| {
            loop {
                parser.skip_lines()?;
                if parser.is_at(end) {
                    return Ok(());
                }
                if parser.is_at_end() {
                    return Err(Stop::Syntax);
                }
                let mark = parser.mark();
                parser.and_or()?;
                parser.skip_comment();
                match parser.peek() {
                    b'\n' | 0 => {}
                    b';' if parser.peek_second() != b';' && !(parser.is_bash() && parser.peek_second() == b'&') => {
                        parser.bump();
                    }
                    b'&' if parser.peek_second() != b'&' => {
                        parser.bump();
                        parser.rescope(mark, ScopeKind::Background)?;
                    }
                    _ if parser.is_at(end) => {}
                    _ => return Err(Stop::Syntax),
                }
            }
        })
    }

    /// Returns whether the cursor is at the end of a list.
    pub(super) fn is_at(&self, end: End) -> bool {
        match end {
            End::Text => self.is_at_end(),
            End::Parenthesis => self.peek() == b')',
            End::Words(words) => words.contains(&self.keyword().text()),
            End::CaseItem => {
                self.peek() == b';' && matches!(self.peek_second(), b';' | b'&') || self.keyword().text() == b"esac"
            }
        }
    }

    fn and_or(&mut self) -> ParseResult {
        let mut hidden = self.pipeline()?;
        loop {
            self.skip_blanks();
            let is_and = self.peek() == b'&' && self.peek_second() == b'&';
            let is_or = self.peek() == b'|' && self.peek_second() == b'|';
            if !is_and && !is_or {
                return Ok(());
            }
            self.bump();
            self.bump();
            self.skip_lines()?;
            let mark = self.mark();
            let inner = self.scoped(ScopeKind::Branch, Self::pipeline);
            if hidden && is_and {
                // `[[ a && b ]]`: dash has no `[[`, so that it fails, and `b ]]` does not run.
                self.script.commands.truncate(mark.commands);
                self.pending.retain(|pending| pending.command < mark.commands);
                for scope in &mut self.script.scopes {
                    scope.redirects = scope.redirects.filter(|carrier| (*carrier as usize) < mark.commands);
                }
            }
            hidden = inner? || hidden && is_and;
        }
    }

    /// Reads a pipeline. Returns whether it is a `[[` that this dialect does not have, without its `]]`.
    fn pipeline(&mut self) -> ParseResult<bool> {
        loop {
            let keyword = self.keyword();
            match keyword.text() {
                b"!" => self.at = keyword.end,
                b"time" if self.is_bash() && self.time() => {}
                _ => break,
            }
            self.skip_blanks();
            // `time` and `!` alone are commands.
            if matches!(self.peek(), b'\n' | b';' | b'&' | b'|' | b')' | 0) {
                return Ok(false);
            }
        }
        let mut mark = self.mark();
        self.command()?;
        if !self.is_at_pipe() {
            let Some(command) = self.script.commands.get(mark.commands) else { return Ok(false) };
            let is_open = |word: &crate::syntax::Word| word.literal().as_deref() == Some("[[");
            let is_close = |word: &crate::syntax::Word| word.literal().as_deref() == Some("]]");
            let open = self.dialect == Dialect::Dash
                && command.words.first().is_some_and(is_open)
                && !command.words.last().is_some_and(is_close);
            return Ok(open);
        }
        self.rescope(mark, ScopeKind::PipelinePart)?;
        while self.is_at_pipe() {
            self.bump();
            if self.peek() == b'&' {
                if !self.is_bash() {
                    return Err(Stop::Syntax);
                }
                self.bump();
            }
            self.skip_lines()?;
            let input = self.ids_since(mark);
            mark = self.mark();
            // Some shells allow `!` here.
            while self.keyword().text() == b"!" {
                self.at = self.keyword().end;
                self.skip_blanks();
            }
            self.scoped(ScopeKind::PipelinePart, |parser| {
                let scope = parser.scope as usize;
                parser.script.scopes[scope].input = Some(input);
                if parser.is_bash() && parser.keyword().text() == b"time" && parser.time() {
                    parser.skip_blanks();
                }
                parser.command()
            })?;
            self.skip_blanks();
        }
        Ok(false)
    }

    fn is_at_pipe(&mut self) -> bool {
        self.skip_blanks();
        self.peek() == b'|' && self.peek_second() != b'|'
    }

    /// Moves all commands and scopes since a mark into a new scope.
    fn rescope(&mut self, mark: Mark, kind: ScopeKind) -> ParseResult {
        let outer = self.scope;
        let scope: ScopeId = self.add_scope(kind, outer);
        let commands = &mut self.script.commands[mark.commands..];
        let added = scope as usize;
        let scopes = &mut self.script.scopes[mark.scopes..added];
        let steps = commands.len() + scopes.len();
        for command in commands.iter_mut().filter(|command| command.scope == outer) {
            command.scope = scope;
        }
        for inner in scopes.iter_mut().filter(|inner| inner.parent == Some(outer)) {
            inner.parent = Some(scope);
        }
        self.spend(steps)
    }
}
