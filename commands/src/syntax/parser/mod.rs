//! The parser: one pass over the text, without a separate lexer, because what a token is depends on where it is.
//!
//! A parser reads as one dialect. Where another dialect would read differently, it notes that, and the text is read once more.
//! Recursion is limited by the depth, and time by the budget of work.

mod arithmetic;
mod builder;
mod compound;
mod conditional;
mod cursor;
mod expansion;
mod here_document;
mod list;
mod quote;
mod redirect;
mod simple;
mod word;

use crate::doubt::{Doubt, DoubtKind};
use crate::span::Span;
use crate::syntax::dialect::{Dialect, Dialects};
use crate::syntax::ids::ScopeId;
use crate::syntax::script::{Scope, ScopeKind, Script};
use crate::work::{Exhausted, MAX_DEPTH, SCOPE, Work};

/// How positions in the text relate to the line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spans {
    /// The text is a part of the line, and begins at this position.
    Shift(usize),
    /// The line does not contain the text unchanged: everything has the span of the word that it comes from.
    Whole(Span),
}

/// Why a text is not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// A quote is not closed. No shell runs the commands after the last complete line.
    Unclosed,
    /// The syntax is unknown.
    Syntax,
    /// A limit was exceeded. There is a doubt about it.
    Limit,
}

/// The result of reading a part of the text.
type ParseResult<T = ()> = Result<T, Stop>;

/// The result of reading a text in one dialect.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) script: Script,
    /// The dialects that read the text differently.
    pub(crate) differs: Dialects,
}

/// Reads a text in a dialect. `depth` is the depth of nesting around it.
pub(crate) fn parse(
    text: &str,
    dialect: Dialect,
    kind: ScopeKind,
    spans: Spans,
    depth: usize,
    work: &mut Work,
) -> Parsed {
    let mut parser = Parser::new(text, dialect, kind, spans, depth, work);
    if let Err(stop) = parser.script() {
        if stop != Stop::Limit {
            // Other shells may read on.
            parser.differs(&[Dialect::Bash, Dialect::Dash, Dialect::Ash]);
        }
        if stop == Stop::Syntax {
            parser.doubt_at(DoubtKind::Syntax, parser.at);
        }
    }
    Parsed { script: parser.script, differs: parser.differs }
}

/// A here-document whose body has not been read yet.
#[derive(Debug)]
struct Pending {
    /// The index of the command.
    command: usize,
    /// The index of the redirection in the command.
    redirect: usize,
    delimiter: String,
    /// Whether the delimiter was quoted, so that the body has no expansions.
    literal: bool,
    /// `<<-`: tabs at the beginning of lines are removed.
    strip: bool,
}

#[derive(Debug)]
struct Parser<'t, 'w> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte. It is never at a line continuation, except within single quotes, comments and here-documents.
    at: usize,
    dialect: Dialect,
    differs: Dialects,
    spans: Spans,
    depth: usize,
    work: &'w mut Work,
    script: Script,
    scope: ScopeId,
    pending: Vec<Pending>,
}

impl<'t, 'w> Parser<'t, 'w> {
    fn new(text: &'t str, dialect: Dialect, kind: ScopeKind, spans: Spans, depth: usize, work: &'w mut Work) -> Self {
        let mut script = Script::default();
        script.scopes.push(Scope { kind, parent: None, input: None, redirects: None });
        let mut parser = Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            dialect,
            differs: Dialects::default(),
            spans,
            depth,
            work,
            script,
            scope: 0,
            pending: Vec::new(),
        };
        parser.skip_continuations();
        parser
    }

    fn is_bash(&self) -> bool {
        self.dialect == Dialect::Bash
    }

    /// Records that other dialects read this position differently.
    fn differs(&mut self, dialects: &[Dialect]) {
        for dialect in dialects.iter().filter(|dialect| **dialect != self.dialect) {
            self.differs.insert(*dialect);
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        match self.spans {
            Spans::Shift(offset) => Span::new(offset + start, offset + end),
            Spans::Whole(span) => span,
        }
    }

    fn doubt(&mut self, kind: DoubtKind, start: usize, end: usize) {
        let span = self.span(self.text.floor_char_boundary(start), self.text.ceil_char_boundary(end));
        self.script.doubts.push(Doubt { kind, span });
    }

    fn doubt_at(&mut self, kind: DoubtKind, at: usize) {
        self.doubt(kind, at.min(self.text.len()), self.text.len().min(at + 1));
    }

    fn spend(&mut self, steps: usize) -> ParseResult {
        self.work.spend(steps).map_err(|Exhausted| {
            self.doubt_at(DoubtKind::TooMuchWork, self.at);
            Stop::Limit
        })
    }

    /// Calls `read` one level of nesting deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            self.doubt_at(DoubtKind::TooDeep, self.at);
            return Err(Stop::Limit);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Calls `read` in a new scope.
    fn scoped<T>(&mut self, kind: ScopeKind, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        self.spend(SCOPE)?;
        let outer = self.scope;
        self.scope = self.add_scope(kind, outer);
        let result = read(self);
        self.scope = outer;
        result
    }

    fn add_scope(&mut self, kind: ScopeKind, parent: ScopeId) -> ScopeId {
        let id = ScopeId::try_from(self.script.scopes.len()).unwrap_or(ScopeId::MAX);
        self.script.scopes.push(Scope { kind, parent: Some(parent), input: None, redirects: None });
        id
    }

    /// Calls `read` with the cursor at `start`, as if the text ended at `end`. Then continues at `end`.
    fn within<T>(
        &mut self,
        start: usize,
        end: usize,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let outer = self.text;
        self.text = &outer[..end];
        self.bytes = self.text.as_bytes();
        self.at = start;
        let result = read(self);
        self.text = outer;
        self.bytes = outer.as_bytes();
        self.at = end;
        result
    }
}
