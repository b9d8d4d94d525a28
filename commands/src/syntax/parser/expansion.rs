//! Expansions: variables, substitutions of commands and processes.

use super::builder::Builder;
use super::cursor::is_name;
use super::list::End;
use super::{ParseResult, Parser, Spans, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::dialect::Dialect;
use crate::syntax::script::ScopeKind;
use crate::syntax::word::{Operation, Origin, Part};
use crate::work::SCOPE;

/// The quotes around an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    None,
    Double,
    /// The body of a here-document.
    Body,
    /// An arithmetic expression.
    Arithmetic,
}

impl Quote {
    /// Returns whether the value stays one word.
    fn is_quoted(self) -> bool {
        self != Self::None
    }
}

impl Parser<'_, '_> {
    /// Reads an expansion that begins with `$`.
    pub(super) fn dollar(&mut self, builder: &mut Builder, quote: Quote) -> ParseResult {
        self.spend(2)?;
        let next = self.after(self.at);
        let quoted = quote.is_quoted();
        match self.byte(next) {
            b'(' => {
                if self.byte(self.after(next)) == b'(' && self.arithmetic_expansion(builder, quoted)? {
                    return Ok(());
                }
                self.at = self.after(next);
                self.substitution(builder, quoted)
            }
            b'{' => self.braced(builder, quote),
            b'[' => self.old_arithmetic(builder, quoted),
            b'\'' if quote == Quote::None && self.dialect != Dialect::Dash => self.ansi_quoted(builder),
            b'"' if quote == Quote::None && self.is_bash() => {
                self.bump();
                self.double_quoted(builder)
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                let name = char::from(self.byte(next)).to_string();
                self.at = self.after(next);
                builder.push_part(Part::Variable { name, operation: None, quoted });
                Ok(())
            }
            byte if is_name(byte) => {
                let mut end = next;
                while is_name(self.byte(end)) {
                    end = self.after(end);
                }
                let name = self.name(next, end);
                self.at = end;
                builder.push_part(Part::Variable { name, operation: None, quoted });
                Ok(())
            }
            _ => {
                self.bump();
                builder.push('$', if quoted { Origin::Quoted } else { Origin::Plain });
                Ok(())
            }
        }
    }

    /// Reads the commands of `$(...)`. The cursor is after the `(`.
    fn substitution(&mut self, builder: &mut Builder, quoted: bool) -> ParseResult {
        let commands = self.commands_in(ScopeKind::Substitution)?;
        builder.push_part(Part::Substitution { commands, quoted });
        Ok(())
    }

    /// Reads `<(...)` or `>(...)`.
    pub(super) fn process_substitution(&mut self, builder: &mut Builder) -> ParseResult {
        let input = self.peek() == b'<';
        self.bump();
        self.bump();
        let commands = self.commands_in(ScopeKind::ProcessSubstitution)?;
        builder.push_part(Part::ProcessSubstitution { commands, input });
        Ok(())
    }

    /// Reads a list up to `)`, with here-documents of its own.
    fn commands_in(&mut self, kind: ScopeKind) -> ParseResult<std::ops::Range<u32>> {
        let outer = std::mem::take(&mut self.pending);
        let mark = self.mark();
        let read = self.scoped(kind, |parser| parser.list(End::Parenthesis));
        let inner = std::mem::replace(&mut self.pending, outer);
        read?;
        self.bump();
        if !inner.is_empty() {
            // bash reads the body after the line; other shells read those lines as commands.
            self.differs(&[Dialect::Dash, Dialect::Ash]);
            if self.is_bash() {
                // Where the body begins depends on the version, and on the rest of the line.
                self.doubt_at(DoubtKind::ShellsDiffer, self.at);
                self.pending.extend(inner);
            }
        }
        Ok(self.ids_since(mark))
    }

    /// Reads a command in backquotes.
    pub(super) fn backquote(&mut self, builder: &mut Builder, quote: Quote) -> ParseResult {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            match self.byte(at) {
                b'`' => break,
                b'\\' => {
                    escaped = true;
                    at += 2;
                }
                _ if at >= self.bytes.len() => return Err(Stop::Syntax),
                _ => at += 1,
            }
        }
        self.spend((at - start) / 2)?;
        let raw = &self.text[start..at];
        let commands = if escaped {
            let span = self.span(start - 1, at + 1);
            let text = unescape(raw, quote == Quote::Double);
            self.inner_text(&text, Spans::Whole(span))?
        } else {
            let spans = match self.spans {
                Spans::Shift(offset) => Spans::Shift(offset + start),
                whole @ Spans::Whole(_) => whole,
            };
            self.inner_text(raw, spans)?
        };
        self.at = at;
        self.bump();
        builder.push_part(Part::Substitution { commands, quoted: quote.is_quoted() });
        Ok(())
    }

    /// Reads a separate text, such as the code in backquotes, as a substitution.
    fn inner_text(&mut self, text: &str, spans: Spans) -> ParseResult<std::ops::Range<u32>> {
        self.spend(SCOPE)?;
        let mark = self.mark();
        let kind = ScopeKind::Substitution;
        let (dialect, scope) = (self.dialect, self.scope);
        let inner = self.nested(|parser| {
            let mut inner = Parser::new(text, dialect, kind, spans, parser.depth, parser.work);
            let result = inner.script();
            if matches!(result, Err(Stop::Unclosed | Stop::Syntax)) {
                // bash reports the error only when it is here, after other commands of the line.
                inner.doubt_at(DoubtKind::Syntax, inner.at);
            }
            let (script, differs) = (inner.script, inner.differs);
            parser.differs.merge(differs);
            if result == Err(Stop::Limit) { Err((script, Stop::Limit)) } else { Ok(script) }
                .map_or_else(|(script, stop)| Ok((script, Some(stop))), |script| Ok((script, None)))
        })?;
        let (script, stop) = inner;
        self.script.append(script, scope);
        match stop {
            Some(stop) => Err(stop),
            None => Ok(self.ids_since(mark)),
        }
    }

    /// Reads `${...}`.
    fn braced(&mut self, builder: &mut Builder, quote: Quote) -> ParseResult {
        let start = self.at;
        self.bump();
        self.bump();
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'|') {
            return self.braced_commands(builder, quote, start);
        }
        let mut operator = String::new();
        let next = self.peek_second();
        if self.peek() == b'!' && next != b'}'
            || self.peek() == b'#' && (is_name(next) || matches!(next, b'@' | b'*' | b'?' | b'$' | b'!' | b'-'))
        {
            operator.push(char::from(self.peek()));
            self.bump();
        }
        let name = self.parameter();
        let end = self.at;
        if name.is_empty() {
            // A bad substitution, which some shells report only when they run it.
            self.doubt(DoubtKind::ShellsDiffer, start, end);
        }
        if self.peek() == b'[' && self.dialect == Dialect::Bash {
            let Some(close) = self.subscript_end(self.at) else { return Err(Stop::Syntax) };
            operator.push('[');
            let from = self.after(self.at);
            self.arithmetic_region(from, close)?;
            self.at = self.after(close);
        }
        let operator_start = self.at;
        self.operator_into(&mut operator);
        if self.at == operator_start && self.peek() != b'}' {
            // This is not an operator. Shells differ in how they skip it.
            self.doubt(DoubtKind::ShellsDiffer, start, self.at);
        }
        if operator == ":" && self.opens_quoting() {
            // dash takes any character after the colon for an unknown operator.
            self.doubt(DoubtKind::ShellsDiffer, start, self.at);
        }
        if operator.contains('=') {
            self.script.assigned.push(name.clone());
            self.script.assigns_unknown |= operator.starts_with('!');
        }
        if operator.contains('@') && matches!(self.peek(), b'P' | b'A' | b'E') {
            self.doubt(DoubtKind::HiddenCode, start, self.at + 1);
        }
        self.script.evaluates |= operator == ":" || operator.starts_with(['!', '[']);
        let is_pattern = operator_start < self.at && operator.contains(['#', '%', '/', '^', ',']);
        let operand = self.nested(|parser| parser.operand(quote, is_pattern))?;
        let operation =
            (!operator.is_empty() || !operand.is_empty()).then(|| Box::new(Operation { operator, operand }));
        builder.push_part(Part::Variable { name, operation, quoted: quote.is_quoted() });
        Ok(())
    }

    /// Reads the rest of `${ COMMANDS; }`, which new versions of bash run.
    fn braced_commands(&mut self, builder: &mut Builder, quote: Quote, start: usize) -> ParseResult {
        self.doubt(DoubtKind::ShellsDiffer, start, self.at);
        self.eat(b"|");
        let mark = self.mark();
        self.scoped(ScopeKind::Substitution, |parser| parser.list(End::Words(&[b"}"])))?;
        self.expect(b'}')?;
        let commands = self.ids_since(mark);
        builder.push_part(Part::Substitution { commands, quoted: quote.is_quoted() });
        Ok(())
    }

    /// Reads the name of a variable or the sign of a special one. Returns an empty text if there is none.
    fn parameter(&mut self) -> String {
        let mut end = self.at;
        if is_name(self.byte(end)) {
            while is_name(self.byte(end)) {
                end = self.after(end);
            }
        } else if matches!(self.byte(end), b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            end = self.after(end);
        }
        let name = self.name(self.at, end);
        self.at = end;
        name
    }

    /// Reads the operator between the name of a variable and the operand.
    fn operator_into(&mut self, operator: &mut String) {
        while operator.len() < 4
            && matches!(self.peek(), b':' | b'-' | b'=' | b'?' | b'+' | b'#' | b'%' | b'/' | b'^' | b',' | b'@' | b'*')
        {
            let byte = self.peek();
            operator.push(char::from(byte));
            self.bump();
            // After these, the operand follows.
            if matches!(byte, b'-' | b'=' | b'?' | b'+' | b'@')
                || byte == b':' && !matches!(self.peek(), b'-' | b'=' | b'?' | b'+')
            {
                break;
            }
        }
    }

    /// Returns whether a quote, an escape or an expansion with brackets begins here.
    fn opens_quoting(&self) -> bool {
        match self.peek() {
            b'\'' | b'"' | b'`' | b'\\' => true,
            b'$' => matches!(self.peek_second(), b'(' | b'{' | b'\'' | b'"'),
            _ => false,
        }
    }

    /// Reads the rest of `${...}`, and the `}`.
    fn operand(&mut self, quote: Quote, is_pattern: bool) -> ParseResult<Vec<Part>> {
        let mut builder = Builder::default();
        let start = self.at;
        loop {
            match self.peek() {
                b'}' => {
                    self.bump();
                    return Ok(builder.finish(crate::span::Span::default()).parts);
                }
                b'$' => self.dollar(&mut builder, quote)?,
                b'`' => self.backquote(&mut builder, if quote == Quote::None { Quote::None } else { Quote::Double })?,
                b'"' => self.double_quoted(&mut builder)?,
                b'\'' if quote == Quote::None => self.single_quoted(&mut builder)?,
                b'\'' => self.quote_in_quotes(&mut builder, is_pattern)?,
                b'\\' => {
                    self.at += 1;
                    let Some(c) = self.text[self.at..].chars().next() else { return Err(Stop::Unclosed) };
                    builder.push(c, Origin::Quoted);
                    self.at += c.len_utf8();
                    self.skip_continuations();
                }
                b'<' | b'>' if quote == Quote::None && self.is_process_substitution() => {
                    self.process_substitution(&mut builder)?;
                }
                _ if self.is_at_end() => return Err(Stop::Unclosed),
                _ => {
                    self.quoted_run(&mut builder, b"}$`\"'\\<>");
                    self.spend(1 + (self.at - start) / 64)?;
                }
            }
        }
    }

    /// Reads `'` within `"${...}"`. bash skips to the next `'` to find the `}`, but expands the text between; other shells read it as
    /// a literal.
    fn quote_in_quotes(&mut self, builder: &mut Builder, is_pattern: bool) -> ParseResult {
        if is_pattern {
            let start = self.at;
            self.single_quoted(builder)?;
            if self.text[start..self.at].contains(['$', '`', '"', '\\']) {
                self.doubt(DoubtKind::ShellsDiffer, start, self.at);
            }
            return Ok(());
        }
        self.differs(&[Dialect::Bash, Dialect::Dash, Dialect::Ash]);
        if !self.is_bash() {
            self.bump();
            builder.push('\'', Origin::Quoted);
            return Ok(());
        }
        let start = self.at;
        self.single_quoted(builder)?;
        if self.text[start..self.at].contains(['$', '`', '"', '\\', '}']) {
            self.doubt(DoubtKind::ShellsDiffer, start, self.at);
        }
        Ok(())
    }
}

/// Removes the backslashes of a command in backquotes.
fn unescape(raw: &str, double_quoted: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\'
            && chars.peek().is_some_and(|next| matches!(next, '\\' | '$' | '`') || double_quoted && *next == '"');
        match chars.peek() {
            Some(next) if is_escape => {
                text.push(*next);
                chars.next();
            }
            _ => text.push(c),
        }
    }
    text
}
