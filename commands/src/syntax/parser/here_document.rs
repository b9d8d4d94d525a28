//! The bodies of here-documents.

use super::builder::Builder;
use super::expansion::Quote;
use super::{ParseResult, Parser, Pending, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::word::Origin;

impl Parser<'_, '_> {
    /// Reads the bodies of the here-documents of the line before the cursor.
    pub(super) fn here_documents(&mut self) -> ParseResult {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let (end, next) = self.body_end(&pending);
            self.spend(end - start)?;
            self.body(&pending, start, end)?;
            self.at = next;
        }
        Ok(())
    }

    /// Returns the end of a body, and the position after its delimiter.
    fn body_end(&mut self, pending: &Pending) -> (usize, usize) {
        let mut line_start = self.at;
        let mut continued = false;
        while line_start < self.text.len() {
            let rest = &self.text[line_start..];
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..length];
            let next = (line_start + length + 1).min(self.text.len());
            let plain = if pending.strip { line.trim_start_matches('\t') } else { line };
            if plain == pending.delimiter {
                if !continued {
                    return (line_start, next);
                }
                // Some shells join the lines before they look for the delimiter.
                self.doubt(DoubtKind::ShellsDiffer, line_start, line_start + length);
            }
            if plain.starts_with(&pending.delimiter) && plain != pending.delimiter && plain.contains(')') {
                // Inside a substitution, bash also accepts this as the delimiter.
                self.doubt(DoubtKind::ShellsDiffer, line_start, line_start + length);
            }
            let backslashes = line.len() - line.trim_end_matches('\\').len();
            continued = !pending.literal && backslashes % 2 == 1;
            if continued && pending.delimiter.starts_with(plain.trim_end_matches('\\')) {
                self.doubt(DoubtKind::ShellsDiffer, line_start, line_start + length);
            }
            line_start = next;
        }
        (self.text.len(), self.text.len())
    }

    /// Reads a body, and sets the target of its redirection.
    fn body(&mut self, pending: &Pending, start: usize, end: usize) -> ParseResult {
        let span = self.span(start, end);
        let mut builder = Builder::default();
        let result = if pending.literal {
            builder.push_str(&self.stripped(pending, start, end), Origin::Quoted);
            Ok(())
        } else {
            // Commands in the body belong to the scope of the redirected command.
            let scope = std::mem::replace(&mut self.scope, self.script.commands[pending.command].scope);
            let result = self.within(start, end, |parser| parser.body_text(pending, &mut builder));
            self.scope = scope;
            result
        };
        match result {
            Ok(()) => {}
            Err(Stop::Limit) => return Err(Stop::Limit),
            // bash reads the body only when it is needed, and runs the lines after it.
            Err(Stop::Unclosed | Stop::Syntax) => self.doubt(DoubtKind::Syntax, start, end),
        }
        let redirect = &mut self.script.commands[pending.command].redirects[pending.redirect];
        redirect.target = builder.finish(span);
        Ok(())
    }

    /// Returns a body, without tabs at the beginning of its lines if the operator is `<<-`.
    fn stripped(&self, pending: &Pending, start: usize, end: usize) -> String {
        let body = &self.text[start..end];
        if !pending.strip {
            return body.to_owned();
        }
        body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
    }

    fn body_text(&mut self, pending: &Pending, builder: &mut Builder) -> ParseResult {
        let mut line_start = true;
        self.skip_continuations();
        while !self.is_at_end() {
            if line_start && pending.strip && self.peek() == b'\t' {
                self.at += 1;
                continue;
            }
            line_start = self.peek() == b'\n';
            match self.peek() {
                b'$' => self.dollar(builder, Quote::Body)?,
                b'`' => self.backquote(builder, Quote::Body)?,
                b'\\' if matches!(self.byte(self.at + 1), b'$' | b'`' | b'\\') => {
                    builder.push(char::from(self.byte(self.at + 1)), Origin::Quoted);
                    self.at += 2;
                    self.skip_continuations();
                }
                _ => self.quoted_run(builder, b"$`\\\n"),
            }
        }
        Ok(())
    }
}
